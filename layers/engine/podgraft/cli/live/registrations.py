"""The webhooks of a cluster that inject pods, and the service or endpoint that each calls."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.cli.client_config import read_destination
from podgraft.service.paths import Target

MUTATING = "MutatingWebhookConfiguration"
# By kind of configuration: the route of a webhook that names no address.
DEFAULT_ROUTES = {MUTATING: "inject", "ValidatingWebhookConfiguration": "validate"}
_DOMAIN = ".podgraft.dev"
_ISTIO_DOMAIN = ".istio.io"
_NAME_LABEL = "app.kubernetes.io/name"
_ROUTE = "inject"


class InjectorKind(StrEnum):
    """Which program a webhook calls."""

    PODGRAFT = "podgraft"
    ISTIOD = "istiod"
    OTHER = "other"


class Webhook(Struct, frozen=True, kw_only=True):
    """A registered webhook, or a route that a bundle serves, which has no configuration.

    ``address`` is the host of the URL, or the service; it contains no path, which can contain a
    token. ``route``, ``injector``, and ``url_path`` are empty for a path that is none of podgraft's
    routes.
    """

    route: str
    configuration: str = ""
    configuration_kind: str = ""
    name: str = ""
    kind: InjectorKind = InjectorKind.OTHER
    address: str = ""
    manifest: Object = {}
    labels: Object = {}
    injector: str = ""
    url_path: str = ""

    @property
    def is_registered(self) -> bool:
        """Whether kube-apiserver selects the requests for the webhook."""
        return bool(self.configuration_kind)

    @property
    def ignores_failure(self) -> bool:
        """Whether the registration lets an object pass if the call fails."""
        return self.manifest.get("failurePolicy") == "Ignore"

    @property
    def revision(self) -> str:
        """The label of the revision of Istio."""
        return string_at(self.labels, "istio.io/rev")

    @property
    def reviews_pods(self) -> bool:
        """Whether the webhook receives the creation of pods."""
        return any(map(_is_for_pods, objects_at(self.manifest, "rules")))

    @property
    def is_injecting(self) -> bool:
        """Whether the webhook is a mutating webhook for new pods, of podgraft or istiod."""
        is_injector = self.kind is not InjectorKind.OTHER and self.route == _ROUTE
        return is_injector and self.configuration_kind == MUTATING and self.reviews_pods

    def describe(self) -> str:
        """Return the program and its address."""
        target = (
            self.kind if self.kind is not InjectorKind.PODGRAFT else f"podgraft ({self.injector})"
        )
        return f"{target} at {self.address}"


def parse_webhooks(configurations: Iterable[Object]) -> list[Webhook]:
    """Return the webhooks in the order in which kube-apiserver calls them."""
    ordered = sorted(
        configurations,
        key=lambda each: (
            each.get("kind") != MUTATING,
            string_at(each, "metadata", "name"),
        ),
    )
    return [webhook for configuration in ordered for webhook in _parse_configuration(configuration)]


def _parse_configuration(configuration: Object) -> Iterator[Webhook]:
    metadata = object_at(configuration, "metadata")
    kind, labels = string_at(configuration, "kind"), object_at(metadata, "labels")
    for manifest in objects_at(configuration, "webhooks"):
        client = object_at(manifest, "clientConfig")
        destination = read_destination(client)
        # kube-apiserver stores no webhook without an address; files can have one.
        target = destination.target if client else Target(DEFAULT_ROUTES.get(kind, _ROUTE))
        yield Webhook(
            route=target.route if target else "",
            configuration=string_at(metadata, "name"),
            configuration_kind=kind,
            name=string_at(manifest, "name"),
            kind=_find_kind(string_at(manifest, "name"), labels, client),
            address=destination.address,
            manifest=manifest,
            labels=labels,
            injector=target.injector if target else "",
            url_path=target.tail if target else "",
        )


def _find_kind(name: str, labels: Object, client: Object) -> InjectorKind:
    if name.endswith(_DOMAIN) or labels.get(_NAME_LABEL) == "podgraft":
        return InjectorKind.PODGRAFT
    service = string_at(client, "service", "name")
    if name.endswith(_ISTIO_DOMAIN) or service.startswith("istiod"):
        return InjectorKind.ISTIOD
    return InjectorKind.OTHER


def _is_for_pods(rule: Object) -> bool:
    return (
        _contains(rule.get("resources"), "pods")
        and _contains(rule.get("operations"), "CREATE")
        and _contains(rule.get("apiGroups"), "")
    )


def _contains(values: JSON, name: str) -> bool:
    return isinstance(values, list) and (name in values or "*" in values or "*/*" in values)
