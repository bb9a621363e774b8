"""The environment value OTEL_RESOURCE_ATTRIBUTES, by OpenTelemetry's semantic conventions."""

from __future__ import annotations

from collections.abc import Mapping

from podgraft.jsonvalue import JSON

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
    """Namespace, version and instance of the service, where the mesh enriches by OTel's names."""
    if not any(_is_enriching(provider) for provider in _as_list(mesh.get("extensionProviders"))):
        return ""
    found = {
        "namespace": annotations.get(NAMESPACE) or namespace,
        "version": _service_version(annotations, labels, containers),
        "instance.id": _service_instance(annotations, namespace, containers),
    }
    return ",".join(f"service.{name}={value}" for name, value in found.items() if value)


def image_version(image: str) -> str:
    """What an image's name says about its version.

    >>> version_of("hub:5000/app:1.2@sha256:0f"), version_of("app@sha256:0f"), version_of("a:5/b")
    ('1.2@sha256:0f', 'sha256:0f', '')
    """
    name, _, digest = image.partition("@")
    _, colon, last = name.rpartition("/")[2].rpartition(":")
    tag = last if colon else ""
    return "@".join(filter(None, (tag, digest)))


def _is_enriching(provider: JSON) -> bool:
    tracer = provider.get("opentelemetry") if isinstance(provider, dict) else None
    wanted = "OTEL_SEMANTIC_CONVENTIONS"
    return isinstance(tracer, dict) and tracer.get("serviceAttributeEnrichment") == wanted


def _service_version(
    annotations: Mapping[str, str],
    labels: Mapping[str, str],
    containers: list[Mapping[str, JSON]],
) -> str:
    said = annotations.get(VERSION) or labels.get(VERSION_LABEL)
    if said or len(containers) != 1:
        return said or ""
    return image_version(_as_text(containers[0].get("image")))


def _service_instance(
    annotations: Mapping[str, str], namespace: str, containers: list[Mapping[str, JSON]]
) -> str:
    said = annotations.get(INSTANCE)
    if said or not containers:
        return said or ""
    return f"{namespace}.$(POD_NAME).{_as_text(containers[0].get('name'))}"


def _as_list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _as_text(value: JSON) -> str:
    return value if isinstance(value, str) else ""
