"""Diagnostics: problems in the documents of an operator, each with a location and a remedy.

``podgraft check``, ``push``, ``inject``, and ``explain`` use this type. This module reads no
document and prints nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace


class Severity(StrEnum):
    """Whether a diagnostic stops ``podgraft check`` and ``podgraft push``."""

    ERROR = "error"
    WARNING = "warning"


class Diagnostic(Struct, frozen=True):
    """A problem in a document of an operator.

    ``document`` names the document, for example its file, and is empty if the context names it.
    ``pointer`` is a JSON Pointer inside the document. ``excerpt`` contains the lines of a template
    or an expression. A warning stops nothing, except with ``--strict``.
    """

    problem: str
    remedy: str
    document: str = ""
    pointer: str = ""
    excerpt: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        location = f"{self.document} {self.pointer}".strip() or "/"
        excerpt = f"\n{self.excerpt}" if self.excerpt else ""
        return f"{location}: {self.problem}; {self.remedy}{excerpt}"

    @property
    def is_warning(self) -> bool:
        """Whether the diagnostic stops nothing."""
        return self.severity is Severity.WARNING

    def as_warning(self) -> Diagnostic:
        """Return the same problem as a warning."""
        return replace(self, severity=Severity.WARNING)

    def as_error(self) -> Diagnostic:
        """Return the same problem as an error, for ``--strict``."""
        return replace(self, severity=Severity.ERROR)


def find_similar(name: str, names: Iterable[str]) -> str:
    """Return the most similar of the names, in any case of letters, or an empty string.

    >>> find_similar("polcy", ["policy", "templates"]), find_similar("x", ["policy"])
    ('policy', '')
    """
    by_lower = {candidate.lower(): candidate for candidate in names}
    match = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[match[0]] if match else ""
