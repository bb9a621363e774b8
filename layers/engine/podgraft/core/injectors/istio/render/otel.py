"""The environment value OTEL_RESOURCE_ATTRIBUTES, by OpenTelemetry's semantic conventions."""

from collections.abc import Mapping

from podgraft.base.jsonvalue import JSON, list_at, string_at

NAMESPACE, VERSION, INSTANCE = ANNOTATIONS = tuple(
    f"resource.opentelemetry.io/service.{name}" for name in ("namespace", "version", "instance.id")
)
VERSION_LABEL = "app.kubernetes.io/version"


def resource_attributes(
    mesh: Mapping[str, JSON],
    annotations: Mapping[str, str],
    labels: Mapping[str, str],
    namespace: str,
    containers: list[Mapping[str, JSON]],
) -> str:
    """Return namespace, version, and instance of the service, if the mesh enriches traces."""
    if not any(_is_enriching(provider) for provider in list_at(mesh, "extensionProviders")):
        return ""
    attributes = {
        "namespace": annotations.get(NAMESPACE) or namespace,
        "version": _service_version(annotations, labels, containers),
        "instance.id": _service_instance(annotations, namespace, containers),
    }
    return ",".join(f"service.{name}={value}" for name, value in attributes.items() if value)


def image_version(image: str) -> str:
    """Return the version in the name of an image: tag and digest.

    >>> image_version("hub:5000/app:1.2@sha256:0f"), image_version("a:5/b")
    ('1.2@sha256:0f', '')
    """
    name, _, digest = image.partition("@")
    _, colon, last = name.rpartition("/")[2].rpartition(":")
    tag = last if colon else ""
    return "@".join(filter(None, (tag, digest)))


def _is_enriching(provider: JSON) -> bool:
    tracer = provider.get("opentelemetry") if isinstance(provider, dict) else None
    convention = "OTEL_SEMANTIC_CONVENTIONS"
    return isinstance(tracer, dict) and tracer.get("serviceAttributeEnrichment") == convention


def _service_version(
    annotations: Mapping[str, str],
    labels: Mapping[str, str],
    containers: list[Mapping[str, JSON]],
) -> str:
    version = annotations.get(VERSION) or labels.get(VERSION_LABEL)
    if version or len(containers) != 1:
        return version or ""
    return image_version(string_at(containers[0], "image"))


def _service_instance(
    annotations: Mapping[str, str], namespace: str, containers: list[Mapping[str, JSON]]
) -> str:
    instance = annotations.get(INSTANCE)
    if instance or not containers:
        return instance or ""
    return f"{namespace}.$(POD_NAME).{string_at(containers[0], 'name')}"
