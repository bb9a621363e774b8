"""One AWS for all tests of the stores, and folders in which root can read no unreadable file."""

from collections.abc import Generator
from pathlib import Path

import pytest

from service.store.aws_fault_proxy import FaultyAws, faulty_aws
from support.file_rights import without_roots_rights


@pytest.fixture(scope="session")
def faulty() -> Generator[FaultyAws]:
    """An account that fails at will."""
    with faulty_aws() as running:
        yield running


@pytest.fixture
def own_folder(tmp_path: Path) -> Generator[Path]:
    """A folder in which no one can read files of mode 0, not even root."""
    with without_roots_rights():
        yield tmp_path
