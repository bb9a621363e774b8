"""A disk that is full: reviews go on, and no part of a file remains or replaces a complete one."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any, Self

import pytest

from podgraft.cli import outputs
from podgraft.cli.outputs import SECRET, Output
from service.store.test_file_faults import GOOD, Site, ask
from support.store_fixture import write_injector


class FullFile:
    """A file on a full disk: a part is written, and then nothing more."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.name = file.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, content: bytes) -> None:
        self._file.write(content[: len(content) // 2])
        self._file.flush()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.name)


def fill_disk(patch: pytest.MonkeyPatch) -> None:
    """Let all writes of the state folder fail in the middle."""
    from podgraft.service.store import last_known_good

    make = last_known_good.NamedTemporaryFile

    def make_full(**options: Any) -> FullFile:
        return FullFile(make(**options))

    patch.setattr(last_known_good, "NamedTemporaryFile", make_full)


def test_a_full_state_folder_stops_no_review_and_retains_its_version(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(own_folder)
    process = site.process(kept=True)
    assert ask(process) == GOOD
    state = own_folder / "state"
    before = (state / "default.json").read_bytes()
    with monkeypatch.context() as full:
        fill_disk(full)
        for text in ("policy: enabled  # 2\n", "policy: enabled  # 3\n"):
            write_injector(site.store, policy=text)
            assert ask(process) == GOOD
    assert [path.name for path in state.iterdir()] == ["default.json"]
    assert (state / "default.json").read_bytes() == before
    write_injector(site.store, policy="policy: [")
    later = site.process(kept=True)
    assert ask(later).stale  # the version before the disk was full

    write_injector(site.store, policy="policy: enabled  # 4\n")
    assert ask(process) == GOOD
    assert b"# 4" in (state / "default.json").read_bytes()


def test_a_full_disk_leaves_no_part_of_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", sync)
    files = [Output(tmp_path / "ca.pem", b"certificate"), Output(tmp_path / "ca.key", b"k", SECRET)]
    with pytest.raises(OSError, match="No space left"):
        outputs.write_files(files, force=False)
    assert list(tmp_path.iterdir()) == []
