"""Files that the command line is given: what cannot be read is a fault with its remedy."""

from pathlib import Path

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
            Diagnostic(document=str(path), problem=problem, remedy="save it as UTF-8")
        ) from error
    except OSError as error:
        raise UnreadableError(to_diagnostic(path, error)) from error


def to_diagnostic(path: Path, error: OSError) -> Diagnostic:
    """Why the operating system does not give a file."""
    problem, remedy = describe_os_error(error)
    return Diagnostic(document=str(path), problem=problem, remedy=remedy)
