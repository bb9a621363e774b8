"""Software bills of materials in CycloneDX 1.6 (JSON).

The documents are reproducible: the serial number follows from the content, and the time is that of
the commit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import (
    ExternalReference,
    ExternalReferenceType,
    HashAlgorithm,
    HashType,
    Property,
    XsUri,
)
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from .packages import Package

LICENSE = "Apache-2.0"
_REMOVED = Property(name="podgraft:content", value="metadata only; the layer removes the modules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file of a release, and the packages that it contains or requires."""

    name: str
    version: str
    sha256: str
    packages: Sequence[Package] = ()
    files: Mapping[str, str] | None = None  # SHA-256 of single files by name
    properties: Mapping[str, str] | None = None
    purl: str = ""


def render_sbom(artifact: Artifact, time: datetime) -> str:
    """The document as JSON text that ends with a line break."""
    subject = Component(
        name=artifact.name,
        version=artifact.version,
        type=ComponentType.APPLICATION,
        bom_ref=artifact.name,
        hashes=[_hash(artifact.sha256)],
        licenses=[LicenseExpression(value=LICENSE)],
        purl=PackageURL.from_string(artifact.purl) if artifact.purl else None,
        properties=[
            Property(name=f"podgraft:{name}", value=value)
            for name, value in (artifact.properties or {}).items()
        ],
    )
    bom = Bom(
        serial_number=uuid5(NAMESPACE_URL, f"podgraft:{artifact.name}:{artifact.sha256}"),
    )
    bom.metadata.timestamp = time
    bom.metadata.component = subject
    components = {package.name: _make_component(package) for package in artifact.packages}
    files = [_make_file(*item) for item in (artifact.files or {}).items()]
    bom.components.update([*components.values(), *files])
    _add_dependencies(bom, subject, artifact.packages, components, files)
    text = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)
    return f"{text}\n"


def _add_dependencies(
    bom: Bom,
    subject: Component,
    packages: Sequence[Package],
    components: Mapping[str, Component],
    files: Iterable[Component],
) -> None:
    """Add the edges; the subject depends on the packages that no other package requires."""
    required = {name for package in packages for name in package.requires}
    roots = [components[package.name] for package in packages if package.name not in required]
    bom.register_dependency(subject, [*roots, *files])
    for package in packages:
        targets = [components[name] for name in package.requires]
        bom.register_dependency(components[package.name], targets)


def _make_component(package: Package) -> Component:
    references = [
        ExternalReference(
            type=ExternalReferenceType.DISTRIBUTION,
            url=XsUri(package.url),
            hashes=[_hash(package.sha256)],
        )
    ]
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=package.purl,
        purl=PackageURL.from_string(package.purl),
        licenses=[LicenseExpression(value=package.license)],
        hashes=[_hash(package.sha256)] if package.sha256 else [],
        external_references=references if package.url else [],
        scope=ComponentScope.EXCLUDED if package.is_removed else ComponentScope.REQUIRED,
        properties=[_REMOVED] if package.is_removed else [],
    )


def _make_file(name: str, sha256: str) -> Component:
    return Component(
        name=name, type=ComponentType.FILE, bom_ref=f"file:{name}", hashes=[_hash(sha256)]
    )


def _hash(sha256: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=sha256)
