"""Software bills of materials in CycloneDX 1.6 (JSON).

The documents are reproducible: the serial number follows from the content, and the time is that of
the commit. The tests validate them with the schema of CycloneDX.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from .packages import Package

SCHEMA = "http://cyclonedx.org/schema/bom-1.6.schema.json"
LICENSE = "Apache-2.0"
_Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file of a release, and the packages that it contains or requires.

    *files* are the SHA-256 of single files in it by name.
    """

    name: str
    version: str
    sha256: str
    packages: Sequence[Package] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    properties: Mapping[str, str] = field(default_factory=dict[str, str])


def render_sbom(artifact: Artifact, time: datetime) -> str:
    """The document as JSON text that ends with a line break."""
    packages = sorted(artifact.packages, key=lambda package: package.name)
    document = {
        "$schema": SCHEMA,
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid5(NAMESPACE_URL, f"podgraft:{artifact.name}:{artifact.sha256}").urn,
        "version": 1,
        "metadata": {"timestamp": time.isoformat(), "component": _describe_artifact(artifact)},
        "components": [
            *map(_describe_package, packages),
            *(_describe_file(name, sha256) for name, sha256 in sorted(artifact.files.items())),
        ],
        "dependencies": _list_dependencies(artifact, packages),
    }
    return json.dumps(document, indent=2) + "\n"


def _describe_artifact(artifact: Artifact) -> _Json:
    properties = [
        {"name": f"podgraft:{name}", "value": value} for name, value in artifact.properties.items()
    ]
    return {
        "type": "application",
        "bom-ref": artifact.name,
        "name": artifact.name,
        "version": artifact.version,
        "hashes": _list_hashes(artifact.sha256),
        "licenses": [{"expression": LICENSE}],
        "properties": properties,
    }


def _describe_package(package: Package) -> _Json:
    component: _Json = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": "required",
        "licenses": [{"expression": package.license}],
        "purl": package.purl,
    }
    if package.url:
        hashes = _list_hashes(package.sha256)
        reference = {"type": "distribution", "url": package.url, "hashes": hashes}
        component |= {"hashes": hashes, "externalReferences": [reference]}
    return component


def _describe_file(name: str, sha256: str) -> _Json:
    return {
        "type": "file",
        "bom-ref": f"file:{name}",
        "name": name,
        "hashes": _list_hashes(sha256),
    }


def _list_dependencies(artifact: Artifact, packages: Sequence[Package]) -> list[_Json]:
    """The edges; the artifact depends on its files, and on packages that no other one requires."""
    purls = {package.name: package.purl for package in packages}
    required = {name for package in packages for name in package.requires}
    roots = [purl for name, purl in purls.items() if name not in required]
    files = [f"file:{name}" for name in sorted(artifact.files)]
    return [
        {"ref": artifact.name, "dependsOn": [*files, *roots]},
        *(
            {"ref": package.purl, "dependsOn": [purls[name] for name in package.requires]}
            for package in packages
        ),
    ]


def _list_hashes(sha256: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": sha256}]
