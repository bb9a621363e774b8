"""Files that commands read, and folders of manifests that they read and write."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from podgraft.core import bundle
from podgraft.core.bundle import Diagnostic

from .failure import CommandError, describe_os_error


class UnreadableError(CommandError):
    """Unreadable files; ``errors`` contains the problems and remedies."""

    def __init__(self, *faults: Diagnostic) -> None:
        super().__init__(*map(str, faults))
        self.errors = faults


def read_text(path: Path) -> str:
    """The text of a file; raises ``UnreadableError``."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        problem = f"is not UTF-8: {byte}"
        raise UnreadableError(
            Diagnostic(problem, "save it as UTF-8", document=str(path))
        ) from error
    except OSError as error:
        raise UnreadableError(to_diagnostic(path, error)) from error


def to_diagnostic(path: Path, error: OSError) -> Diagnostic:
    """Why the operating system does not give a file."""
    problem, remedy = describe_os_error(error)
    return Diagnostic(problem, remedy, document=str(path))


def read_manifests(folder: Path) -> dict[str, bytes]:
    """The folder's manifests by relative path.

    Raises ``UnreadableError`` for a folder without any, and for all files that cannot be read.
    """
    files: dict[str, bytes] = {}
    faults: list[Diagnostic] = []
    for path in _find_manifests(folder, faults):
        name = path.relative_to(folder).as_posix()
        problem = bundle.validate_path(name)
        if problem:
            faults.append(Diagnostic(problem, "rename the file", document=repr(str(path))))
            continue
        try:
            files[name] = path.read_bytes()
        except OSError as error:
            faults.append(to_diagnostic(path, error))
    if not files and not faults:
        problem = "holds no manifests (*.yaml, *.yml, *.json)"
        faults.append(Diagnostic(problem, "put some in, or name another", document=str(folder)))
    if faults:
        raise UnreadableError(*faults)
    return files


def write_folder(folder: Path, files: Mapping[str, bytes], *, replaces: bool = False) -> None:
    """Write *files*, by relative path, into a new or empty folder: all of them, or none.

    With *replaces*, the folder loses its earlier content. Raises ``CommandError`` if a file cannot
    be written; then the folder has its earlier content.
    """
    staging = folder.with_name(f".{folder.name}.{os.getpid()}")
    earlier = staging.with_name(f"{staging.name}.earlier")
    try:
        for path, content in files.items():
            target = staging / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if replaces and folder.exists():
            folder.rename(earlier)
        staging.rename(folder)
    except OSError as error:
        if earlier.exists():
            earlier.rename(folder)
        failed_path = error.filename or folder
        raise CommandError(
            f"{failed_path}: cannot write: {error.strerror}; nothing was written"
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    shutil.rmtree(earlier, ignore_errors=True)


def list_files(folder: Path, *, is_recursive: bool = False) -> list[Path]:
    """Return the files of a folder, sorted; a missing folder has none.

    Raises ``OSError`` for a folder that cannot be read: ``Path.glob`` would leave out its files.
    """
    files: list[Path] = []
    for parent, _, names in os.walk(folder, onerror=_raise_unless_missing):
        files += (path for name in names if (path := Path(parent, name)).is_file())
        if not is_recursive:
            break
    return sorted(files)


def list_subfolders(folder: Path) -> list[Path]:
    """Return the folders in a folder, sorted; a missing folder and a file have none.

    Raises ``OSError`` as ``list_files``.
    """
    if folder.is_dir():
        for _, names, _ in os.walk(folder, onerror=_raise_unless_missing):
            return sorted(folder / name for name in names)
    return []


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _find_manifests(folder: Path, faults: list[Diagnostic]) -> Iterator[Path]:
    """The paths, sorted; a folder that cannot be listed is a fault."""

    def note(error: OSError) -> None:
        faults.append(to_diagnostic(Path(error.filename), error))

    paths = (
        Path(parent, name) for parent, _, names in os.walk(folder, onerror=note) for name in names
    )
    return iter(
        sorted(path for path in paths if bundle.is_manifest(path.relative_to(folder).as_posix()))
    )
