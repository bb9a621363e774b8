"""The registrations of one cluster: read, claimed, and written.

Each write names the version of the object that was read before the token was chosen. So a writer
that is slower than another one fails, and cannot put a token back that the other one revokes:
``claim`` makes a new version before any token of the cluster leaves the registry.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from podgraft.base import jsonvalue, system
from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.cli.client_config import read_destination
from podgraft.cli.live.api_errors import ApiError
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.cli.live.registrations import DEFAULT_ROUTES
from podgraft.kube.names import object_name_problem
from podgraft.service.store.caller_document import hash_token, identify_token

MANAGER = "podgraft-fleet"
# Not a secret: it only changes the version of an object.
CLAIM = "podgraft.dev/fleet-claim"
_CLAIM_BYTES = 8
RESOURCES = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")


class KubectlRegistrations(Struct, frozen=True):
    """The webhook configurations of a context, with the rights of the user of kubectl.

    Every method raises ``ApiError``.
    """

    reader: KubectlReader
    forces_conflicts: bool = False

    def read(self) -> list[Object]:
        """Return all mutating and validating configurations, with one command.

        Kind and name become arguments of kubectl, and one such as ``--cluster=other`` is an option.
        """
        found = objects_at(self._run("get", "--output=json", ",".join(RESOURCES)), "items")
        for each in found:
            name, kind = name_of(each), string_at(each, "kind")
            if kind not in DEFAULT_ROUTES or object_name_problem(name) is not None:
                raise ApiError(
                    f"GET {','.join(RESOURCES)}: got {kind!r} with the name {name!r}, which no API "
                    f"server of Kubernetes stores; check the server of {self.reader.name}"
                )
        return found

    def create(self, manifest: Object) -> Object:
        """Create an object, and return it; an error if it exists."""
        return self._run(
            "create",
            "--validate=false",
            f"--field-manager={MANAGER}",
            "--output=json",
            "--filename=-",
            manifest=manifest,
        )

    def touch(self, live: Object) -> Object:
        """Make and return a new version of an object; an error if *live* is not the newest one."""
        value = system.random_bytes(_CLAIM_BYTES).hex()
        return self._run(
            "annotate",
            "--overwrite",
            f"--resource-version={version_of(live)}",
            f"--field-manager={MANAGER}-claim",
            "--output=json",
            string_at(live, "kind").lower(),
            name_of(live),
            f"{CLAIM}={value}",
        )

    def apply(self, manifest: Object) -> Object:
        """Replace what podgraft owns; an error if the version of *manifest* is not the newest."""
        return self._run(
            "apply",
            "--server-side",
            "--validate=false",
            f"--force-conflicts={str(self.forces_conflicts).lower()}",
            f"--field-manager={MANAGER}",
            "--output=json",
            "--filename=-",
            manifest=manifest,
        )

    def delete(self, live: Object) -> None:
        """Delete an object; another command can be faster."""
        self.reader.run(
            "delete",
            "--ignore-not-found",
            "--wait=false",
            string_at(live, "kind").lower(),
            name_of(live),
        )

    def _run(self, *arguments: str, manifest: Object | None = None) -> Object:
        value = jsonvalue.load(self.reader.run(*arguments, manifest=manifest))
        return value if isinstance(value, dict) else {}


def name_of(manifest: Object) -> str:
    """Return the name of an object."""
    return string_at(manifest, "metadata", "name")


def version_of(manifest: Object) -> str:
    """Return the version of an object that was read."""
    return string_at(manifest, "metadata", "resourceVersion")


@dataclass(frozen=True, slots=True)
class LiveRegistrations:
    """The objects of a cluster that call an endpoint, and the tokens in their URLs.

    ``tokens`` are their texts by id: a secret.
    """

    objects: Mapping[tuple[str, str], Object]
    tokens: Mapping[str, str] = field(repr=False)

    def find(self, manifest: Object) -> Object | None:
        """Return the live object of a manifest."""
        return self.objects.get((string_at(manifest, "kind"), name_of(manifest)))

    def differs(self, manifest: Object) -> bool:
        """Whether the webhooks of the live object are not those of the manifest."""
        live = self.find(manifest)
        return live is None or _comparable(live) != _comparable(manifest)


def _comparable(manifest: Object) -> list[Object]:
    # kube-apiserver omits an empty list, and sets every default that register writes.
    return sorted(objects_at(manifest, "webhooks"), key=lambda each: string_at(each, "name"))


def find_live(
    objects: Iterable[Object],
    authority: str,
    hashes: Iterable[str],
    expected: Iterable[Object] = (),
) -> LiveRegistrations:
    """Return the objects with a webhook for the endpoint, with a known token, or of a manifest."""
    known = frozenset(hashes)
    names = {(string_at(each, "kind"), name_of(each)) for each in expected}
    found: dict[tuple[str, str], Object] = {}
    tokens: dict[str, str] = {}
    for each in objects:
        key = string_at(each, "kind"), name_of(each)
        own = {
            identify_token(token): token
            for host, token in _find_tokens(each)
            if host == authority or hash_token(token) in known
        }
        if own or key in names:
            found[key] = each
            tokens |= own
    return LiveRegistrations(found, tokens)


def _find_tokens(configuration: Object) -> Iterator[tuple[str, str]]:
    """Yield the host and the token of each webhook with both."""
    for webhook in objects_at(configuration, "webhooks"):
        destination = read_destination(object_at(webhook, "clientConfig"))
        if destination.token:
            yield destination.address, destination.token
