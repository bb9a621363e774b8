"""Files that commands read, and folders of manifests that they read and write."""

import errno
import os
import shutil
import stat
import tempfile
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
        _check_kind(path)
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        problem = f"is not UTF-8: {byte}"
        raise UnreadableError(
            Diagnostic(problem, "save it as UTF-8", document=str(path))
        ) from error
    except OSError as error:
        raise UnreadableError(to_diagnostic(path, error)) from error


def _check_kind(path: Path) -> None:
    """Raise ``OSError`` for a pipe or a device, which can be in a folder, and may never end.

    A path of the system, such as that of a process substitution, is meant as one.
    """
    kind = path.stat().st_mode
    is_finite = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
    if not is_finite and path.parts[:2] not in {("/", "dev"), ("/", "proc")}:
        raise OSError(errno.EINVAL, "is a pipe or a device", str(path))


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
            _check_kind(path)
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
    work: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # A new folder: a link with a known name could lead to another one.
        work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        _replace_folder(folder, files, work, replaces=replaces)
    except OSError as error:
        failed_path = error.filename or folder
        raise CommandError(
            f"{failed_path}: cannot write: {error.strerror}; nothing was written"
        ) from error
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)


def _replace_folder(
    folder: Path, files: Mapping[str, bytes], work: Path, *, replaces: bool
) -> None:
    staging, earlier = work / "new", work / "earlier"
    for path, content in files.items():
        target = staging / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    if replaces and folder.exists():
        folder.rename(earlier)
    try:
        staging.rename(folder)
    except OSError:
        if earlier.exists():
            earlier.rename(folder)
        raise


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
