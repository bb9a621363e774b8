"""Diagnostics: problems in the documents of an operator, each with its place and its remedy.

One type serves ``policy check``, ``policy push``, ``inject`` and ``explain``. This module reads no
document and prints nothing.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from podgraft.lazy_dataclass import dataclass


class Severity(StrEnum):
    """Whether a diagnostic stops ``policy check`` and ``policy push``."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A problem in a document of an operator.

    ``document`` names the document, such as its file, and is empty where the reader knows it.
    ``pointer`` is a JSON Pointer inside it. ``excerpt`` shows the lines, if the document is a
    program. A warning stops nothing, except with ``--strict``.
    """

    document: str = ""
    pointer: str = ""
    problem: str
    remedy: str
    excerpt: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        place = f"{self.document} {self.pointer}".strip() or "/"
        excerpt = f"\n{self.excerpt}" if self.excerpt else ""
        return f"{place}: {self.problem}; {self.remedy}{excerpt}"

    @property
    def is_warning(self) -> bool:
        """Whether the diagnostic stops nothing."""
        return self.severity is Severity.WARNING

    def as_error(self) -> Diagnostic:
        """Return the same problem as an error, which ``--strict`` makes of a warning."""
        return replace(self, severity=Severity.ERROR)
