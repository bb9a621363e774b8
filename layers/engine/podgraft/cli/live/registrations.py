"""The webhooks of a cluster that inject pods, and the service or endpoint that each calls."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.cli.client_config import Destination, read_destination

MUTATING = "MutatingWebhookConfiguration"
_DOMAIN = ".podgraft.dev"
_ISTIO_DOMAIN = ".istio.io"
_NAME_LABEL = "app.kubernetes.io/name"
_ROUTE = "inject"


class InjectorKind(StrEnum):
    """Which program a webhook calls."""

    PODGRAFT = "podgraft"
    ISTIOD = "istiod"
    OTHER = "other"


class LiveWebhook(Struct, frozen=True, kw_only=True):
    """A registered webhook.

    ``address`` is the host of the URL, or the service; it contains no path, which can contain a
    token. ``injector`` and ``url_path`` are empty for other programs than podgraft and istiod.
    """

    configuration: str
    configuration_kind: str
    name: str
    kind: InjectorKind
    address: str
    manifest: Object
    labels: Object
    injector: str = ""
    url_path: str = ""

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
        is_injector = self.kind is not InjectorKind.OTHER and bool(self.injector)
        return is_injector and self.configuration_kind == MUTATING and self.reviews_pods

    def describe(self) -> str:
        """Return the program and its address."""
        target = (
            self.kind if self.kind is not InjectorKind.PODGRAFT else f"podgraft ({self.injector})"
        )
        return f"{target} at {self.address}"


def parse_webhooks(configurations: Iterable[Object]) -> list[LiveWebhook]:
    """Return the webhooks in the order in which kube-apiserver calls them."""
    ordered = sorted(
        configurations,
        key=lambda each: (
            each.get("kind") != MUTATING,
            string_at(object_at(each, "metadata"), "name"),
        ),
    )
    return [webhook for configuration in ordered for webhook in _parse_configuration(configuration)]


def _parse_configuration(configuration: Object) -> Iterator[LiveWebhook]:
    metadata = object_at(configuration, "metadata")
    labels = object_at(metadata, "labels")
    for manifest in objects_at(configuration, "webhooks"):
        client = object_at(manifest, "clientConfig")
        kind = _find_kind(string_at(manifest, "name"), labels, client)
        destination = read_destination(client)
        injector, url_path = (
            _find_injector(destination) if kind is not InjectorKind.OTHER else ("", "")
        )
        yield LiveWebhook(
            configuration=string_at(metadata, "name"),
            configuration_kind=string_at(configuration, "kind"),
            name=string_at(manifest, "name"),
            kind=kind,
            address=destination.address,
            manifest=manifest,
            labels=labels,
            injector=injector,
            url_path=url_path,
        )


def _find_kind(name: str, labels: Object, client: Object) -> InjectorKind:
    if name.endswith(_DOMAIN) or labels.get(_NAME_LABEL) == "podgraft":
        return InjectorKind.PODGRAFT
    service = string_at(object_at(client, "service"), "name")
    if name.endswith(_ISTIO_DOMAIN) or service.startswith("istiod"):
        return InjectorKind.ISTIOD
    return InjectorKind.OTHER


def _find_injector(destination: Destination) -> tuple[str, str]:
    """Return the injector, and the rest after the route; both empty for another route."""
    target = destination.target
    return (target.injector, target.tail) if target and target.route == _ROUTE else ("", "")


def _is_for_pods(rule: Object) -> bool:
    return (
        _contains(rule.get("resources"), "pods")
        and _contains(rule.get("operations"), "CREATE")
        and _contains(rule.get("apiGroups"), "")
    )


def _contains(values: JSON, name: str) -> bool:
    return isinstance(values, list) and (name in values or "*" in values or "*/*" in values)
