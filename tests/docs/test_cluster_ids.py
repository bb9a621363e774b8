"""The pages keep the calling cluster and Istio's cluster id apart, and name no closing registry."""

import re
from pathlib import Path

import pytest

from podgraft.cli.folders import read_manifests
from podgraft.core import bundle, policy
from podgraft.core.bundle import lint, retired_registries

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
SAMPLES = sorted(path.parent.name for path in (ROOT / "samples").glob("*/bundle"))

_BLOCK = re.compile(r"^ *```(?:sh|console|yaml|json|toml)?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_REGISTER = re.compile(r"podgraft register .*")


def blocks(page: str) -> str:
    return "\n".join(_BLOCK.findall((ROOT / page).read_text()))


@pytest.mark.parametrize("page", PAGES)
def test_no_command_puts_the_calling_cluster_into_the_path(page: str) -> None:
    for command in _REGISTER.findall(blocks(page)):
        assert "/cluster/" not in command
        assert "--network" not in command.split()


def test_the_pages_distinguish_the_two_ids() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text() + (
        ROOT / "docs" / "from-istio.md"
    ).read_text()
    for words in (
        "ISTIO_META_CLUSTER_ID",
        "global.multiCluster.clusterName",
        "--istio-cluster-id",
        "--istio-network",
    ):
        assert words in text


@pytest.mark.parametrize("page", PAGES)
def test_no_example_uses_a_registry_that_closes(page: str) -> None:
    assert retired_registries.find_registries(blocks(page)) == ()


@pytest.mark.parametrize("sample", SAMPLES)
def test_no_sample_gives_a_warning(sample: str) -> None:
    folder = ROOT / "samples" / sample
    text = (folder / "policy.yaml").read_text()
    files, read = read_manifests(folder / "bundle"), policy.parse(text)
    compiled = bundle.compile_(files, read)
    assert list(lint.find_warnings(compiled, files, read, text, "policy.yaml")) == []
    assert not any(
        retired_registries.find_registries(path.read_text()) for path in folder.glob("*.*")
    )
