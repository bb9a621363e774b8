"""Image registries that close, and what replaces them.

Istio moved its artifacts to AWS: releases since 1.31 are not in the old locations, which close in
December 2026 (istio.io, blog/2026/retirement-of-gcp, and the upgrade notes of 1.31). A sidecar with
such an image starts only on nodes that have it in their cache. The table needs no clock: after the
closing date, change ``EVENT``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgraft import yaml
from podgraft.diagnostics import Diagnostic, Severity
from podgraft.jsonvalue import JSON, Object
from podgraft.patch import pointer

from .manifests import Manifest, Manifests

SOURCE = "https://istio.io/latest/blog/2026/retirement-of-gcp/"
EVENT = (
    "has nothing of Istio 1.31 and later, and closes in December 2026 after a last outage from "
    "8 to 9 December (15:00 UTC)"
)


@dataclass(frozen=True, slots=True)
class Location:
    """A place that closes: its name, the pattern of its names in text, and the replacement."""

    name: str
    pattern: re.Pattern[str]
    replacement: str


def _pattern(name: str) -> re.Pattern[str]:
    """Match *name* as a host or as host and folder, with or without port, tag, and digest.

    A mirror that has the name inside its own does not match: ``my-gcr.io/istio-release``,
    ``mirror.example.com/gcr.io/istio-release``, ``registry.istio.io.example.com``.
    """
    host, slash, folder = name.partition("/")
    text = rf"{re.escape(host)}(?::\d+)?" + (rf"/{re.escape(folder)}" if slash else "")
    return re.compile(rf"(?:(?<=://)|(?<![\w./@-])){text}(?!\.?[\w-])", re.IGNORECASE)


LOCATIONS = (
    *(
        Location(name, _pattern(name), "docker.io/istio or a mirror")
        for name in ("gcr.io/istio-release", "registry.istio.io")
    ),
    *(
        Location(name, _pattern(name), "https://blob.istio.io/istio-release")
        for name in (
            "istio-release.storage.googleapis.com",
            "storage.googleapis.com/istio-release",
        )
    ),
)

# Kinds that contain images or hubs. Rules are left out: one that names a location refuses it.
_KINDS = ("Mesh", "ProxyConfig", "Overlay")
# Keys of ConfigMaps that contain a document; also those of App Mesh, which a Mesh names.
_DOCUMENTS = frozenset({"config", "values", "mesh"})
# An action of a template that looks for a location, or replaces it: open, with such a function.
_LOOKS = re.compile(
    r"(?:\{\{|\[\[)(?:(?!\}\}|\]\]).)*"
    r"\b(?:replace|trimPrefix|hasPrefix|contains|eq|ne|(?:mustR|r)egex\w*)\b(?:(?!\}\}|\]\]).)*$"
)
_COMMENT = re.compile(r"\s*#")


def find(text: str) -> tuple[Location, ...]:
    """Return the locations that a text names: an image, a hub, or a URL."""
    return tuple(location for location in LOCATIONS if location.pattern.search(text))


def image_warning(image: str) -> str:
    """Return one sentence about the registry of an image, or an empty text if it stays open."""
    for location in find(image):
        return f"image {image}: {location.name} {EVENT}; use {location.replacement} ({SOURCE})"
    return ""


def warnings(manifests: Manifests) -> Iterator[Diagnostic]:
    """Return a warning for each string of the bundle's manifests that names a location."""
    templates = _patch_config_maps(manifests)
    for manifest in manifests.manifests:
        is_template = (manifest.namespace, manifest.name) in templates
        if manifest.kind in _KINDS:
            spec: Object = {"spec": manifest.object.get("spec")}
            yield from document_warnings(manifest.file, spec, manifest.path)
        elif manifest.kind == "ConfigMap" and (is_template or _DOCUMENTS & manifest.data.keys()):
            data: Object = {"data": dict(_data(manifest))}
            yield from document_warnings(manifest.file, data, manifest.path)


def document_warnings(file: str, document: JSON, path: str = "") -> Iterator[Diagnostic]:
    """Return a warning for each string of a document that names a location."""
    for place, text in _strings(document, path):
        for location in LOCATIONS:
            lines = [number for number, line in _lines(text) if _names(location, line)]
            if lines:
                yield Diagnostic(
                    document=file,
                    pointer=place,
                    problem=f"{_at(text, lines)}{location.name} {EVENT}",
                    remedy=f"use {location.replacement} ({SOURCE})",
                    severity=Severity.WARNING,
                )


def _patch_config_maps(manifests: Manifests) -> set[tuple[str, str]]:
    """Return namespace and name of the ConfigMaps that contain templates of App Mesh."""
    found: set[tuple[str, str]] = set()
    for mesh in manifests.of_kind("Mesh"):
        spec = mesh.object.get("spec")
        app_mesh = spec.get("awsAppMesh") if isinstance(spec, dict) else None
        reference = app_mesh.get("sidecarPatchConfigMap") if isinstance(app_mesh, dict) else None
        if isinstance(reference, dict):
            namespace = reference.get("namespace") or mesh.namespace
            found.add((str(namespace), str(reference.get("name"))))
    return found


def _data(manifest: Manifest) -> Iterator[tuple[str, JSON]]:
    """Return the entries of a ConfigMap; those that contain a document as its value."""
    for key, value in manifest.data.items():
        yield key, _parsed(value) if isinstance(value, str) and key in _DOCUMENTS else value


def _parsed(text: str) -> JSON:
    try:
        read = yaml.load(text, strict=False)
    except yaml.NotYAMLError:
        return text
    return read if isinstance(read, dict | list) else text


def _strings(value: JSON, path: str) -> Iterator[tuple[str, str]]:
    """Return each string inside a value with its JSON Pointer."""
    match value:
        case str():
            yield path, value
        case list():
            for index, element in enumerate(value):
                yield from _strings(element, f"{path}/{index}")
        case dict():
            entries: Mapping[str, JSON] = value
            for key, element in entries.items():
                yield from _strings(element, f"{path}/{pointer.escape(key)}")
        case _:
            pass


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return enumerate(text.splitlines(), 1)


def _names(location: Location, line: str) -> bool:
    """Whether a line uses a location; a comment, a comparison, or a replacement does not."""
    match = location.pattern.search(line)
    if match is None or _COMMENT.match(line):
        return False
    return not _LOOKS.search(line[: match.start()])


def _at(text: str, lines: list[int]) -> str:
    if len(text.splitlines()) == 1:
        return ""
    numbers = ", ".join(map(str, lines))
    return f"line {numbers}: " if len(lines) == 1 else f"lines {numbers}: "
