"""Folders of manifests, and folders that are written."""

from pathlib import Path

import pytest

from podgraft.cli import folders
from podgraft.cli.failure import CommandError
from podgraft.cli.folders import UnreadableError


def test_a_file_name_that_no_bundle_may_have_is_an_error(tmp_path: Path) -> None:
    """``push`` would store what no function loads."""
    (tmp_path / "a\\b.yaml").write_text("a: b\n")
    with pytest.raises(UnreadableError) as refused:
        folders.read_manifests(tmp_path)
    [fault] = refused.value.errors
    assert fault.document == repr(str(tmp_path / "a\\b.yaml"))
    assert fault.problem == "must not contain a backslash or a control character"


@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_is_written_with_all_its_files(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "deep" / "out"
    if exists:
        folder.mkdir(parents=True)
    folders.write_folder(folder, {"bundle/a/b.yaml": b"1", "policy.yaml": b"2"})
    assert (folder / "bundle/a/b.yaml").read_bytes() == b"1"
    assert (folder / "policy.yaml").read_bytes() == b"2"
    assert [path.name for path in folder.parent.iterdir()] == ["out"]


def test_a_folder_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="cannot write"):
        folders.write_folder(tmp_path / "file" / "out", {"a": b""})
    with pytest.raises(CommandError, match="cannot write"):
        folders.write_folder(tmp_path / "out", {"a": b"", "a/b": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
