"""The stores that the settings name; nothing is asked of them yet."""

from pathlib import Path

import pytest

from podgraft.store import Aws, DirectoryCallers, DirectoryStore, Folder, opened
from podgraft.store.cached import CachedCallers, CachedStore


def test_a_folder_is_opened(tmp_path: Path) -> None:
    store, callers = opened(Folder(tmp_path))
    assert isinstance(store, DirectoryStore)
    assert isinstance(callers, DirectoryCallers)


def test_aws_is_opened_without_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    backing = Aws(bucket="b", bundle_prefix="", parameter_prefix="/p", refresh_seconds=30)
    store, callers = opened(backing)
    assert isinstance(store, CachedStore)
    assert isinstance(callers, CachedCallers)
    assert store.injectors() == ()
