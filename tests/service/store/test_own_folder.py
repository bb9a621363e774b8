"""The folder of the tests with unreadable files, for root and for other users."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from support.file_rights import without_roots_rights


def test_no_one_can_read_a_file_without_rights(own_folder: Path) -> None:
    path = own_folder / "secret"
    path.write_text("secret")
    path.chmod(0)

    with pytest.raises(PermissionError):
        path.read_text()


@pytest.fixture
def modules(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of modules that only its user can read, such as a checkout below ``/root``."""
    folder = tmp_path_factory.mktemp("modules")
    folder.chmod(0o700)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return folder


def test_a_module_can_be_imported_late(modules: Path, own_folder: Path) -> None:
    del own_folder
    (modules / "podgraft_imported_late.py").write_text("VALUE = 1")

    assert import_module("podgraft_imported_late").VALUE == 1


def test_rights_return(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    path.chmod(0)
    expected = subprocess.run(["cat", path], capture_output=True, check=False).returncode
    with without_roots_rights():
        pass

    try:
        path.read_text()
        status = 0
    except PermissionError:
        status = 1
    assert status == expected
