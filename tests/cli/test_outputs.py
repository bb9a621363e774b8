"""Files are whole or absent, secret from their first byte, and never replaced by accident."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from podgraft.cli import outputs
from podgraft.cli.failure import CommandError
from podgraft.cli.outputs import SECRET, Output


@pytest.fixture(autouse=True)
def _generous_umask() -> Iterator[None]:
    """An operator's umask that would let everybody read."""
    before = os.umask(0)
    yield
    os.umask(before)


def _listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_key_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    both = [
        Output(tmp_path / "new" / "key", b"k", SECRET),
        Output(tmp_path / "new" / "pem", b"p"),
    ]
    outputs.write_files(both, force=False)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").iterdir()}
    assert modes == {"key": 0o600, "pem": 0o644}


def test_nothing_is_written_if_one_file_exists(tmp_path: Path) -> None:
    (tmp_path / "pem").write_bytes(b"old")
    with pytest.raises(CommandError, match=r"pem: already exists; use --force to replace it"):
        outputs.write_files(
            [Output(tmp_path / "key", b"k"), Output(tmp_path / "pem", b"p")], force=False
        )
    with pytest.raises(CommandError, match=r"pem: already exists; move it away$"):
        outputs.write_files(
            [Output(tmp_path / "pem", b"p")], force=False, remedy="move {them} away"
        )
    (tmp_path / "key").write_bytes(b"old")
    with pytest.raises(
        CommandError, match=r"key and 1 more: already exist; use --force to replace them"
    ):
        outputs.write_files([Output(tmp_path / each, b"n") for each in ("key", "pem")], force=False)
    assert _listing(tmp_path) == {"key": b"old", "pem": b"old"}


def test_force_replaces_and_hardens(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"old")
    (tmp_path / "key").chmod(0o644)
    outputs.write_files([Output(tmp_path / "key", b"new", SECRET)], force=True)
    assert _listing(tmp_path) == {"key": b"new"}
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == SECRET


@pytest.mark.parametrize("force", [False, True])
def test_a_failure_midway_leaves_no_files(tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").touch()
    impossible = Output(tmp_path / "file" / "pem", b"p")
    with pytest.raises(OSError, match="file"):
        outputs.write_files([Output(tmp_path / "key", b"k"), impossible], force=force)
    assert _listing(tmp_path) == {"file": b""}


def test_a_file_that_appears_meanwhile_is_retained(tmp_path: Path) -> None:
    """Both outputs name one path: the second finds what the first has just put there."""
    twice = [Output(tmp_path / "pem", b"first"), Output(tmp_path / "pem", b"second")]
    with pytest.raises(CommandError, match="another process created it meanwhile"):
        outputs.write_files(twice, force=False)
    assert _listing(tmp_path) == {}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interruption_between_two_files_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    link = Path.hardlink_to

    def link_first(path: Path, target: Path) -> None:
        if path.name == "key":
            raise error
        link(path, target)

    monkeypatch.setattr(Path, "hardlink_to", link_first)
    with pytest.raises(error):
        outputs.write_files([Output(tmp_path / each, b"n") for each in ("pem", "key")], force=False)
    assert _listing(tmp_path) == {}


def test_a_link_remains_and_one_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("new")
    outputs.replace_file(tmp_path / "link", b"1")
    outputs.replace_file(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_bytes() == b"2"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(CommandError, match=r"loop: cannot write: .*; it is unchanged"):
        outputs.replace_file(tmp_path / "loop", b"1")
    assert (tmp_path / "loop").is_symlink()
