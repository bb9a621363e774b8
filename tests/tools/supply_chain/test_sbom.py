"""Bills of materials are valid CycloneDX, complete, and reproducible."""

import json
from datetime import UTC, datetime
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.utils import canonicalize_name

from supply_chain.packages import Package
from supply_chain.sbom import Artifact, render_sbom

TIME = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)
ALPHA, BETA, GAMMA = map(canonicalize_name, ("alpha", "beta", "gamma"))
PACKAGES = (
    Package(
        name=ALPHA,
        version="1.0",
        license="Apache-2.0 OR MIT",
        requires=(BETA,),
        url="https://files.example.com/alpha-1.0-py3-none-any.whl",
        sha256="a" * 64,
    ),
    Package(name=BETA, version="2.0", license="MIT", requires=(ALPHA,)),
    Package(name=GAMMA, version="3.0", license="MIT"),
)
ARTIFACT = Artifact(
    name="layer.zip",
    version="0.1.0",
    sha256="b" * 64,
    packages=PACKAGES,
    files={"handler.py": "c" * 64},
    properties={"commit": "0" * 40},
)


def render(artifact: Artifact) -> dict[str, Any]:
    """The document, which satisfies the schema of CycloneDX 1.6."""
    text = render_sbom(artifact, TIME)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    return json.loads(text)


def test_the_document_describes_the_artifact() -> None:
    document = render(ARTIFACT)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document["metadata"]["timestamp"] == "2026-11-22T12:00:00+00:00"
    subject = document["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("layer.zip", "0.1.0")
    assert subject["hashes"] == [{"alg": "SHA-256", "content": "b" * 64}]
    assert subject["licenses"] == [{"expression": "Apache-2.0"}]
    assert subject["properties"] == [{"name": "podgraft:commit", "value": "0" * 40}]


def test_the_document_lists_packages_and_files() -> None:
    components = {each["name"]: each for each in render(ARTIFACT)["components"]}
    assert components.keys() == {"alpha", "beta", "gamma", "handler.py"}
    alpha = components["alpha"]
    assert (alpha["version"], alpha["purl"]) == ("1.0", "pkg:pypi/alpha@1.0")
    assert alpha["licenses"] == [{"expression": "Apache-2.0 OR MIT"}]
    assert alpha["hashes"] == [{"alg": "SHA-256", "content": "a" * 64}]
    assert alpha["scope"] == "required"
    [reference] = alpha["externalReferences"]
    assert (reference["type"], reference["url"]) == ("distribution", PACKAGES[0].url)
    handler = components["handler.py"]
    assert (handler["type"], handler["hashes"][0]["content"]) == ("file", "c" * 64)


def test_the_document_contains_the_graph_of_requirements() -> None:
    edges = {each["ref"]: each.get("dependsOn", []) for each in render(ARTIFACT)["dependencies"]}
    assert edges["pkg:pypi/alpha@1.0"] == ["pkg:pypi/beta@2.0"]
    assert edges["pkg:pypi/beta@2.0"] == ["pkg:pypi/alpha@1.0"]
    assert edges["layer.zip"] == ["file:handler.py", "pkg:pypi/gamma@3.0"]


def test_the_document_depends_on_its_content_only() -> None:
    assert render_sbom(ARTIFACT, TIME) == render_sbom(ARTIFACT, TIME)
    other = Artifact(name="layer.zip", version="0.1.0", sha256="d" * 64, packages=PACKAGES)
    assert render(other)["serialNumber"] != render(ARTIFACT)["serialNumber"]


def test_an_artifact_without_packages_is_valid() -> None:
    document = render(Artifact(name="engine.zip", version="0.1.0", sha256="e" * 64))
    assert document.get("components", []) == []
