"""tools/corpus.py: which tags it takes, and what it says where something is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import corpus
from support.git import require_git


def test_the_first_and_last_patch_of_every_minor() -> None:
    tags = ["1.9.9", "1.9.0", "1.9.10", "1.10.0", "1.10.0-rc.1", "v1.2", "2.0.0", "1.0.1"]

    assert corpus.find_edges(tags) == ["1.0.1", "1.9.0", "1.9.10", "1.10.0"]


def test_a_minor_without_a_release_has_its_last_pre_release() -> None:
    tags = ["1.30.0", "1.31.0-beta.2", "1.31.0-rc.0", "1.31.0-rc.1", "1.31.0-alpha.9"]

    assert corpus.find_edges(tags) == ["1.30.0", "1.31.0-rc.1"]


def test_a_clone_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.main([""]) == 1
    assert capsys.readouterr().err == (
        "corpus: ISTIO is missing; run make corpus ISTIO=folder-of-a-clone\n"
    )


@pytest.fixture(name="tools")
def fixture_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that Go is there, which no test may need."""
    require_git()
    monkeypatch.setattr("shutil.which", _find_file)


def _find_file(name: str) -> str:
    return f"/usr/bin/{name}"


@pytest.mark.usefixtures("tools")
def test_a_folder_that_is_no_clone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.main([str(tmp_path)]) == 1
    assert "name a clone of Istio's repository" in capsys.readouterr().err


@pytest.mark.usefixtures("tools")
def test_a_clone_without_tags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    assert corpus.main([str(tmp_path)]) == 1
    assert "no release tag found; run git fetch --tags" in capsys.readouterr().err
