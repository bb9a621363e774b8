"""Folders of manifests, and folders that are written."""

import errno
import os
import re
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.cli import folders, main
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


def test_a_folder_that_cannot_be_replaced_retains_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folders.write_folder(folder, {"a": b"1"})
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if target == folder and path.name != "earlier":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(CommandError, match="No space left on device; nothing was written"):
        folders.write_folder(folder, {"b": b"2"}, replaces=True)
    assert (folder / "a").read_bytes() == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    monkeypatch.undo()
    folders.write_folder(folder, {"b": b"2"}, replaces=True)
    assert [path.name for path in folder.iterdir()] == ["b"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_not_written_through_a_link(tmp_path: Path) -> None:
    """A repository can contain links with any name."""
    victim = tmp_path / "victim"
    victim.mkdir()
    for end in ("", ".earlier"):
        (tmp_path / f".out.{os.getpid()}{end}").symlink_to(victim)
    folder = tmp_path / "out"
    for content in (b"1", b"2"):
        folders.write_folder(folder, {"a": content}, replaces=True)
    assert not folder.is_symlink()
    assert (folder / "a").read_bytes() == b"2"
    assert not [*victim.iterdir()]


@pytest.mark.parametrize("name", ["pipe", "device"])
@pytest.mark.parametrize(
    "file", ["policy.yaml", "bundle/a.yaml", "bundle/tests/podgraft-test.yaml"]
)
@pytest.mark.parametrize("output", ["text", "sarif"])
def test_a_pipe_or_a_device_in_a_folder_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, file: str, output: str
) -> None:
    """Git stores links, and ``/dev/zero`` never ends."""
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if name == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert main(["check", str(tmp_path), "-o", output]) == 1
    printed = capsys.readouterr()
    assert "is a pipe or a device" in printed.out + printed.err


def test_what_is_listed_is_all_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b/c/d", "a/e", "f"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert folders.list_subfolders(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    assert folders.list_subfolders(tmp_path / "missing") == []
    assert folders.list_subfolders(tmp_path / "f") == []
    assert folders.list_files(tmp_path) == [tmp_path / "f"]
    names = [path.name for path in folders.list_files(tmp_path, is_recursive=True)]
    assert names == ["e", "d", "f"]

    def refuse(path: str | Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    for list_ in (folders.list_files, folders.list_subfolders):
        with pytest.raises(PermissionError):
            list_(tmp_path)


def test_no_command_lists_a_folder_with_glob() -> None:
    """``Path.glob`` leaves out a folder that cannot be read. The demo reads its own samples."""
    folder = Path(cli.__file__).parent
    users = [path for path in folder.rglob("*.py") if re.search(r"\.r?glob\(", path.read_text())]
    assert users == [folder / "demo" / "command.py"]
