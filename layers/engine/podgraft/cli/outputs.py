"""Files that are whole or absent, secret from their first byte, and never replaced by accident."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from podgraft.cli.failure import CommandError

PUBLIC = 0o644
SECRET = 0o600


class Output(Struct, frozen=True):
    """One file to write."""

    path: Path
    data: bytes
    mode: int = PUBLIC


# What to do with files that exist, for a command with --force.
REPLACE = "use --force to replace {them}"


def write_files(outputs: Sequence[Output], *, force: bool, remedy: str = REPLACE) -> None:
    """Write all *outputs* or, as far as a file system guarantees it, none of them.

    Each output is written to a temporary file in the same folder, and then renamed. Raises
    ``CommandError`` if a file exists and *force* is not set; *remedy* is for a command without
    ``--force``.
    """
    existing = [str(output.path) for output in outputs if output.path.exists()]
    if existing and not force:
        others = f" and {len(existing) - 1} more" if existing[1:] else ""
        verb, them = ("exist", "them") if others else ("exists", "it")
        raise CommandError(f"{existing[0]}{others}: already {verb}; {remedy.format(them=them)}")
    staged: list[Path] = []
    try:
        staged.extend(map(_write_temporary, outputs))
        _move_into_place(staged, outputs, force=force)
    finally:
        for path in staged:
            path.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes, new_mode: int = PUBLIC) -> None:
    """Replace the content of a file atomically; *new_mode* is for a file that does not exist.

    Raises ``CommandError`` if that fails.
    """
    target = Path(os.path.realpath(path))  # a link remains
    try:
        mode = target.stat().st_mode & 0o777 if os.path.lexists(target) else new_mode
        write_files([Output(target, content, mode)], force=True)
    except OSError as error:
        raise CommandError(f"{path}: cannot write: {error.strerror}; it is unchanged") from error


def _write_temporary(output: Output) -> Path:
    output.path.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp opens with O_EXCL and 0600, whatever the umask: a key is never readable by others.
    descriptor, name = tempfile.mkstemp(dir=output.path.parent, prefix=f".{output.path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(output.data)
            file.flush()
            os.fchmod(descriptor, output.mode)
            os.fsync(descriptor)
    except OSError:
        Path(name).unlink(missing_ok=True)  # a part of a key must not remain on a full disk
        raise
    return Path(name)


def _move_into_place(staged: Sequence[Path], outputs: Sequence[Output], *, force: bool) -> None:
    if force:
        for temporary, output in zip(staged, outputs, strict=True):
            temporary.replace(output.path)
        return
    linked: list[Path] = []
    try:
        for temporary, output in zip(staged, outputs, strict=True):
            # Fails, unlike a rename, if another process created the file.
            output.path.hardlink_to(temporary)
            linked.append(output.path)
    except BaseException as error:  # also an interruption, or a file system without hard links
        for path in linked:
            path.unlink()
        if not isinstance(error, FileExistsError):
            raise
        raise CommandError(f"{error.filename2}: another process created it meanwhile") from error
