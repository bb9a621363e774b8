"""Go's fmt: Sprint, Sprintln and Sprintf of Go values."""

from collections.abc import Sequence

from podgraft.govalue import Value


def sprint(*values: Value) -> str:
    """fmt.Sprint: default formats, a blank between two operands when neither is a string."""
    raise NotImplementedError


def sprintln(*values: Value) -> str:
    """fmt.Sprintln: default formats, blanks between all operands, and a newline."""
    raise NotImplementedError


def sprintf(format_: str, arguments: Sequence[Value]) -> str:
    """fmt.Sprintf."""
    raise NotImplementedError
