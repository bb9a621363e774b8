"""One AWS for all tests of the stores, and users without root's right to read every file."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from store.aws_fault_proxy import FaultyAws, faulty_aws

_NOBODY = 65534


@pytest.fixture(scope="session")
def faulty() -> Generator[FaultyAws]:
    """An account that fails at will."""
    with faulty_aws() as running:
        yield running


@pytest.fixture
def own_folder() -> Generator[Path]:
    """A folder of a user who has no right to read files of mode 0; the process is that user.

    Effective ids are enough: Linux takes root's capabilities away with them.
    """
    folder = Path(mkdtemp(prefix="podgraft-store-"))
    with _unprivileged(folder):
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _unprivileged(folder: Path) -> Generator[None]:
    if os.geteuid() != 0:
        yield
        return
    try:
        os.chown(folder, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
    except PermissionError:
        pytest.skip("root cannot give up its rights here, so no file is unreadable")
    try:
        yield
    finally:
        os.seteuid(0)
