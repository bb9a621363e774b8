"""The errors of structured merge, with the texts of structured-merge-diff."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class FieldError(NamedTuple):
    """One error: the path of the field (``.spec.containers[name="a"]``), and the problem."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def with_prefix(self, prefix: str) -> FieldError:
        """The same error in an outer value."""
        return FieldError(prefix + self.path, self.message)


class StructuredError(Exception):
    """A value that does not have its type, or a patch that cannot be merged."""

    def __init__(self, problem: str, errors: Iterable[FieldError] = ()) -> None:
        self.errors = tuple(errors)
        lines = [str(error) for error in self.errors]
        listed = lines[0] if len(lines) == 1 else "\n".join(("errors:", *(f"  {x}" for x in lines)))
        super().__init__(f"{problem}: {listed}" if lines else problem)
