"""The lock of a store in a folder, which another person can have written."""

import os
from pathlib import Path

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.storage.folder import FolderDocuments


@pytest.mark.parametrize("content", ["a secret", None])
def test_a_link_in_the_place_of_the_lock_changes_no_file(
    tmp_path: Path, content: str | None
) -> None:
    victim, store = tmp_path / "victim", tmp_path / "store"
    store.mkdir()
    if content is not None:
        victim.write_text(content)
    (store / ".lock").symlink_to(victim)
    with (
        pytest.raises(CommandError, match=r"\.lock: Too many levels of symbolic links"),
        FolderDocuments(store).lock("denied"),
    ):
        pytest.fail("got the lock")
    assert (victim.read_text() if victim.exists() else None) == content


def test_a_pipe_in_the_place_of_the_lock_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    with FolderDocuments(tmp_path).lock("denied"):
        pass
