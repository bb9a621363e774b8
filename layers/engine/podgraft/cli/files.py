"""Files that the command line is given: what cannot be read is a fault with its remedy."""

from pathlib import Path

from podgraft.core.bundle import Diagnostic

from .failure import CommandError


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
            Diagnostic(document=str(path), problem=problem, remedy="save it as UTF-8")
        ) from error
    except OSError as error:
        raise UnreadableError(to_diagnostic(path, error)) from error


def to_diagnostic(path: Path, error: OSError) -> Diagnostic:
    """Why the operating system does not give a file."""
    match error:
        case FileNotFoundError():
            problem, remedy = "not found", "check the path"
        case IsADirectoryError():
            problem, remedy = "is a folder", "name a file in it"
        case NotADirectoryError():
            problem, remedy = "is no folder", "name the folder that it is in"
        case PermissionError():
            problem, remedy = "may not be read by you", "change its permissions"
        case _:
            problem, remedy = f"cannot be read: {error.strerror}", "put a readable file there"
    return Diagnostic(document=str(path), problem=problem, remedy=remedy)
