"""The stores that the settings name; the factory sends no request."""

from pathlib import Path

import pytest

from podgraft.service.store import AwsStoreConfig, FolderStoreConfig, open_stores
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.store import CachedStore
from podgraft.service.store.folder import FolderCallers, FolderStore


def test_a_folder_is_opened(tmp_path: Path) -> None:
    store, callers = open_stores(FolderStoreConfig(tmp_path))
    assert isinstance(store, FolderStore)
    assert isinstance(callers, FolderCallers)


def test_aws_is_opened_without_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    backing = AwsStoreConfig(
        bucket="b", bundle_prefix="", parameter_prefix="/p", refresh_seconds=30
    )
    store, callers = open_stores(backing)
    assert isinstance(store, CachedStore)
    assert isinstance(callers, CachedCallers)
