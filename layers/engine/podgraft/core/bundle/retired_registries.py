"""Image registries that close, and their replacements.

Istio moved its artifacts to AWS. Releases since 1.31 are not in the old registries, which close in
December 2026 (istio.io, blog/2026/retirement-of-gcp, and the upgrade notes of 1.31). A sidecar with
such an image then starts only on nodes that have it in their cache. The table needs no clock: after
the closing date, change ``CLOSURE``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.kube import yaml
from podgraft.kube.patch import pointer

from .manifests import Manifest, Manifests

SOURCE = "https://istio.io/latest/blog/2026/retirement-of-gcp/"
CLOSURE = (
    "has no artifacts of Istio 1.31 and later, and closes in December 2026 after a final outage "
    "from 8 to 9 December (15:00 UTC)"
)


@dataclass(frozen=True, slots=True)
class RetiredRegistry:
    """A registry that closes: its name, the pattern that finds it in text, and its replacement."""

    name: str
    pattern: re.Pattern[str]
    replacement: str


def _compile_pattern(name: str) -> re.Pattern[str]:
    """Compile a pattern for a host, or for a host and folder, with or without a port.

    A mirror with the name in its own name does not match: ``my-gcr.io/istio-release``,
    ``mirror.example.com/gcr.io/istio-release``, ``registry.istio.io.example.com``.
    """
    host, slash, folder = name.partition("/")
    pattern = rf"{re.escape(host)}(?::\d+)?" + (rf"/{re.escape(folder)}" if slash else "")
    return re.compile(rf"(?:(?<=://)|(?<![\w./@-])){pattern}(?!\.?[\w-])", re.IGNORECASE)


RETIRED_REGISTRIES = (
    *(
        RetiredRegistry(name, _compile_pattern(name), "docker.io/istio or a mirror")
        for name in ("gcr.io/istio-release", "registry.istio.io")
    ),
    *(
        RetiredRegistry(name, _compile_pattern(name), "https://blob.istio.io/istio-release")
        for name in (
            "istio-release.storage.googleapis.com",
            "storage.googleapis.com/istio-release",
        )
    ),
)

# Kinds that contain images or hubs. A validating policy names a registry to reject it.
_KINDS = ("Mesh", "ProxyConfig", "Overlay")
# Keys of ConfigMaps that contain a document; a Mesh names further ConfigMaps.
_DOCUMENTS = frozenset({"config", "values", "mesh"})
# An open action of a template with a function that compares or replaces text.
_COMPARISON = re.compile(
    r"(?:\{\{|\[\[)(?:(?!\}\}|\]\]).)*"
    r"\b(?:replace|trimPrefix|hasPrefix|contains|eq|ne|(?:mustR|r)egex\w*)\b(?:(?!\}\}|\]\]).)*$"
)
_COMMENT = re.compile(r"\s*#")


def find_registries(text: str) -> tuple[RetiredRegistry, ...]:
    """Return the registries in a text, which can be an image, a hub, or a URL."""
    return tuple(registry for registry in RETIRED_REGISTRIES if registry.pattern.search(text))


def image_warning(image: str) -> str:
    """Return a warning about the registry of an image, or an empty string if it stays open."""
    for registry in find_registries(image):
        return f"image {image}: {registry.name} {CLOSURE}; use {registry.replacement} ({SOURCE})"
    return ""


def find_warnings(manifests: Manifests) -> Iterator[Diagnostic]:
    """Return a warning for each string of the bundle's manifests that names a registry."""
    templates = _find_patch_config_maps(manifests)
    for manifest in manifests.manifests:
        is_template = (manifest.namespace, manifest.name) in templates
        if manifest.kind in _KINDS:
            spec: Object = {"spec": manifest.object.get("spec")}
            yield from find_document_warnings(manifest.file, spec, manifest.path)
        elif manifest.kind == "ConfigMap" and (is_template or _DOCUMENTS & manifest.data.keys()):
            data: Object = {"data": dict(_parse_data(manifest))}
            yield from find_document_warnings(manifest.file, data, manifest.path)


def find_document_warnings(file: str, document: JSON, path: str = "") -> Iterator[Diagnostic]:
    """Return a warning for each string of a document that names a registry."""
    for string_path, text in pointer.walk(document, path):
        if not isinstance(text, str):
            continue
        for registry in RETIRED_REGISTRIES:
            lines = [
                number
                for number, line in enumerate(text.splitlines(), 1)
                if _uses_registry(registry, line)
            ]
            if lines:
                yield Diagnostic(
                    f"{_format_lines(text, lines)}{registry.name} {CLOSURE}",
                    f"use {registry.replacement} ({SOURCE})",
                    document=file,
                    pointer=string_path,
                    severity=Severity.WARNING,
                )


def _find_patch_config_maps(manifests: Manifests) -> set[tuple[str, str]]:
    """Return the namespaces and names of ConfigMaps that contain templates of App Mesh."""
    names: set[tuple[str, str]] = set()
    for mesh in manifests.of_kind("Mesh"):
        reference = object_at(mesh.object, "spec", "awsAppMesh", "sidecarPatchConfigMap")
        if reference:
            namespace = reference.get("namespace") or mesh.namespace
            names.add((str(namespace), str(reference.get("name"))))
    return names


def _parse_data(manifest: Manifest) -> Iterator[tuple[str, JSON]]:
    """Return the entries of a ConfigMap, with embedded documents parsed."""
    for key, value in manifest.data.items():
        yield key, _parse_document(value) if isinstance(value, str) and key in _DOCUMENTS else value


def _parse_document(text: str) -> JSON:
    try:
        document = yaml.load(text, strict=False)
    except yaml.NotYAMLError:
        return text
    return document if isinstance(document, dict | list) else text


def _uses_registry(registry: RetiredRegistry, line: str) -> bool:
    """Whether a line uses a registry; a comment, a comparison, or a replacement does not."""
    match = registry.pattern.search(line)
    if match is None or _COMMENT.match(line):
        return False
    return not _COMPARISON.search(line[: match.start()])


def _format_lines(text: str, lines: list[int]) -> str:
    if len(text.splitlines()) == 1:
        return ""
    numbers = ", ".join(map(str, lines))
    return f"line {numbers}: " if len(lines) == 1 else f"lines {numbers}: "
