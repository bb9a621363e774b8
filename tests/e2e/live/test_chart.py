"""kube-apiserver accepts what helm renders from the chart, but for kinds of other projects."""

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from charts.rendering import render
from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from podgraft.cli import main
from podgraft.kube import yaml

RECORDED = Path(__file__).parents[2] / "charts" / "recorded"
OTHERS = ("cert-manager.io/v1", "monitoring.coreos.com/v1")


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    program = find_program()
    with start_control_plane(program, tmp_path_factory.mktemp("plane")) as plane:
        plane.create("/api/v1/namespaces", {"metadata": {"name": "podgraft"}})
        account = {"metadata": {"name": "default"}}
        plane.create("/api/v1/namespaces/podgraft/serviceaccounts", account)
        yield plane


def create(plane: ControlPlane, text: str) -> int:
    """Create the manifests as a dry run, and return their number."""
    manifests: list[Any] = [each for each in yaml.load_all(text) if each]
    own = [each for each in manifests if each["apiVersion"] not in OTHERS]
    for manifest in own:
        version: str = manifest["apiVersion"]
        group = f"apis/{version}" if "/" in version else f"api/{version}"
        resource = re.sub("ys$", "ies", f"{manifest['kind'].lower()}s")
        space = f"namespaces/{each}/" if (each := manifest["metadata"].get("namespace")) else ""
        plane.create(f"/{group}/{space}{resource}?dryRun=All&fieldValidation=Strict", manifest)
    return len(own)


@pytest.mark.parametrize("case", sorted(each.name for each in RECORDED.iterdir()))
def test_kube_apiserver_accepts_the_rendered_chart(plane: ControlPlane, case: str) -> None:
    assert create(plane, (RECORDED / case).read_text()) > 4


def test_kube_apiserver_accepts_the_first_installation(plane: ControlPlane, tmp_path: Path) -> None:
    assert main(["init", "--kind", "helm", str(tmp_path / "cluster")]) == 0
    values: Any = yaml.load((tmp_path / "cluster" / "values.yaml").read_text())
    assert create(plane, render(values)) > 4
