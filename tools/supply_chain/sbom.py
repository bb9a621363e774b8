"""Software bills of materials in CycloneDX 1.6 (JSON), by cyclonedx-python-lib.

The documents are reproducible: the serial number follows from the content, and the time is that of
the commit. The tests validate them with the schema of CycloneDX.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packageurl import PackageURL
from packaging.utils import NormalizedName

from .packages import Package

LICENSE = "Apache-2.0"
# The decorators of its classes hide their parameters from type checkers.
_model: Any = import_module("cyclonedx.model")
_bom: Any = import_module("cyclonedx.model.bom")
_component: Any = import_module("cyclonedx.model.component")
_license: Any = import_module("cyclonedx.model.license")
_json: Any = import_module("cyclonedx.output.json")


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
    root = _describe_artifact(artifact)
    packages = {package.name: _describe_package(package) for package in artifact.packages}
    files = [_describe_file(name, sha256) for name, sha256 in artifact.files.items()]
    bom = _bom.Bom(
        components=[*packages.values(), *files],
        metadata=_bom.BomMetaData(component=root, timestamp=time),
        serial_number=uuid5(NAMESPACE_URL, f"podgraft:{artifact.name}:{artifact.sha256}"),
    )
    bom.register_dependency(root, [*files, *_find_roots(artifact.packages, packages)])
    for package in artifact.packages:
        bom.register_dependency(
            packages[package.name], [packages[name] for name in package.requires]
        )
    return f"{_json.JsonV1Dot6(bom).output_as_string(indent=2)}\n"


def _find_roots(
    packages: Sequence[Package], components: Mapping[NormalizedName, Any]
) -> Iterable[Any]:
    """The packages that no other one requires."""
    required = {name for package in packages for name in package.requires}
    return (component for name, component in components.items() if name not in required)


def _describe_artifact(artifact: Artifact) -> Any:
    return _component.Component(
        type=_component.ComponentType.APPLICATION,
        bom_ref=artifact.name,
        name=artifact.name,
        version=artifact.version,
        hashes=_list_hashes(artifact.sha256),
        licenses=[_license.LicenseExpression(LICENSE)],
        properties=[
            _model.Property(name=f"podgraft:{name}", value=value)
            for name, value in artifact.properties.items()
        ],
    )


def _describe_package(package: Package) -> Any:
    hashes = _list_hashes(package.sha256) if package.url else []
    reference = _model.ExternalReference(
        type=_model.ExternalReferenceType.DISTRIBUTION, url=_model.XsUri(package.url), hashes=hashes
    )
    return _component.Component(
        type=_component.ComponentType.LIBRARY,
        bom_ref=package.purl,
        name=package.name,
        version=package.version,
        scope=_component.ComponentScope.REQUIRED,
        licenses=[_license.LicenseExpression(package.license)],
        purl=PackageURL.from_string(package.purl),
        hashes=hashes,
        external_references=[reference] if package.url else [],
    )


def _describe_file(name: str, sha256: str) -> Any:
    return _component.Component(
        type=_component.ComponentType.FILE,
        bom_ref=f"file:{name}",
        name=name,
        hashes=_list_hashes(sha256),
    )


def _list_hashes(sha256: str) -> list[Any]:
    return [_model.HashType(alg=_model.HashAlgorithm.SHA_256, content=sha256)]
