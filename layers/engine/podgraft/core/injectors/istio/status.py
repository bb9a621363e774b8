"""The annotation ``sidecar.istio.io/status``: the names of what an injection added."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import astuple

from podgraft.base.jsonvalue import JSON, Object, list_at, load_object, names_at
from podgraft.golang.json import plain

from .releases import Profile

ANNOTATION = "sidecar.istio.io/status"
DEFAULT_REVISION = "default"


class InjectionStatus(Struct, frozen=True):
    """The names of the objects in the template pod, in order."""

    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] = ()

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """The names by the key of their list in the pod's spec."""
        return dict(zip(_KEYS, astuple(self), strict=True))


_KEYS = ("initContainers", "containers", "volumes", "imagePullSecrets")
# The objects that versions without a status inject.
LEGACY = InjectionStatus(
    init_containers=("istio-init", "enable-core-dump"),
    containers=("istio-proxy",),
    volumes=("istio-certs", "istio-envoy"),
)


def make_status(template: Mapping[str, JSON]) -> InjectionStatus:
    """Return the status for a template pod."""
    return InjectionStatus(*[tuple(names_at(template, "spec", key)) for key in _KEYS])


def to_json(profile: Profile, status: InjectionStatus, revision: str, version: str = "") -> str:
    """Format the annotation; an empty list is ``null``."""
    fields: Object = {"version": version} if profile.status_version else {}
    fields |= {key: [*names] or None for key, names in status.lists.items()}
    if profile.status_revision:
        fields["revision"] = revision or DEFAULT_REVISION
    return plain.encode(fields)


def parse_status(annotations: Mapping[str, str]) -> InjectionStatus | None:
    """Parse the status of an earlier injection; None if it is missing or invalid."""
    if ANNOTATION not in annotations:  # the common case; an exception is slow
        return None
    raw = load_object(annotations[ANNOTATION])
    if raw is None:
        return None
    return InjectionStatus(
        *[tuple(name for name in list_at(raw, key) if isinstance(name, str)) for key in _KEYS]
    )
