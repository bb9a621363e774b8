"""The packages of a layer are those of its folder, with the hashes that pip reports."""

import json
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from supply_chain.packages import Package, PackageError, read_environment, read_layer
from supply_chain.target import ARCHITECTURES, RUNTIMES, TARGETS

ROOT = Path(__file__).parents[3]
LAMBDA = next(each.markers for each in TARGETS if str(each) == "python3.12-arm64")


def add_package(layer: Path, name: str, *requires: str) -> dict[str, Any]:
    """Write the metadata of a package to the layer; return its item in the report of pip."""
    info = layer / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    lines = [f"Name: {name}", "Version: 1.0", "License-Expression: MIT"]
    lines += [f"Requires-Dist: {requirement}" for requirement in requires]
    (info / "METADATA").write_text("Metadata-Version: 2.4\n" + "\n".join(lines) + "\n")
    return {
        "metadata": {"name": name, "version": "1.0"},
        "download_info": {
            "url": f"https://files.example.com/{name}.whl",
            "archive_info": {"hashes": {"sha256": name[0].lower() * 64}},
        },
    }


def write_report(folder: Path, *items: dict[str, Any]) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps({"version": "1", "install": items}))
    return path


def test_a_layer_is_read_with_the_markers_of_its_lambda(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    report = write_report(
        tmp_path,
        add_package(
            layer,
            "Alpha_Tool",
            "boto3>=1",
            'delta; python_version < "3.12"',
            'epsilon; platform_machine == "aarch64"',
            'zeta; extra == "fast"',
            "absent-here",
        ),
        *(add_package(layer, name) for name in ("boto3", "delta", "epsilon", "zeta")),
    )
    packages: dict[str, Package] = {each.name: each for each in read_layer(layer, report, LAMBDA)}
    alpha = packages["alpha-tool"]
    assert alpha.requires == ("boto3", "epsilon")
    assert (alpha.version, alpha.license, alpha.purl) == ("1.0", "MIT", "pkg:pypi/alpha-tool@1.0")
    assert (alpha.url, alpha.sha256) == ("https://files.example.com/Alpha_Tool.whl", "a" * 64)


def test_a_folder_with_another_package_than_reported_is_an_error(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    report = write_report(tmp_path, add_package(layer, "alpha"))
    add_package(layer, "planted")
    with pytest.raises(PackageError, match="differ in planted; delete the folder"):
        read_layer(layer, report, LAMBDA)


def test_the_environment_contains_indirect_requirements() -> None:
    packages: dict[str, Package] = {
        each.name: each for each in read_environment([Requirement("flask>=3")])
    }
    assert {"flask", "werkzeug", "jinja2", "markupsafe"} <= packages.keys()
    assert "asgiref" not in packages, "an extra"
    assert packages["jinja2"].requires == ("markupsafe",)
    with pytest.raises(PackageError, match="not-here: is not installed; run make setup"):
        read_environment([Requirement("not-here")])


def test_the_targets_are_those_of_the_template() -> None:
    template = (ROOT / "template.yaml").read_text()
    assert f"AllowedValues: [{', '.join(RUNTIMES)}]" in template
    assert f"AllowedValues: [{', '.join(ARCHITECTURES)}]" in template
