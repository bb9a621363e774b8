"""The errors and warnings of a trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.bundle import Diagnostic, Manifest
from podgraft.diagnostics import Severity

from .outcome import Failure
from .suggestions import suggest_name

if TYPE_CHECKING:
    from podgraft.texttemplate.field_check import FieldProblem

# Formats an error for the reader of the report.
Describe = Callable[[Exception], str]


class Report(Struct):
    """The errors and warnings of a trial, without duplicates. ``describe`` formats an error."""

    describe: Describe = str
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def add_error(self, diagnostic: Diagnostic) -> None:
        """Add a problem of a bundle that must not be activated."""
        if diagnostic not in self.errors:
            self.errors.append(diagnostic)

    def add_warning(self, diagnostic: Diagnostic) -> None:
        """Add a problem that does not prevent activation, unless it is already an error."""
        warning = replace(diagnostic, severity=Severity.WARNING)
        if diagnostic not in self.errors and warning not in self.warnings:
            self.warnings.append(warning)

    def describe_failure(self, failure: Failure) -> str:
        """Return the text of the failure's error."""
        return "" if failure.error is None else self.describe(failure.error)


def make_field_diagnostic(manifest: Manifest, path: str, problem: FieldProblem) -> Diagnostic:
    """Return a diagnostic for a field that the data of the template does not have."""
    hint = suggest_name(problem.name, problem.available)
    available = ", ".join(problem.available[:20])
    remedy = (
        f"rename it to {hint}" if hint else f"use one of {available}" if available else "correct it"
    )
    diagnostic = manifest.make_diagnostic(path, str(problem), remedy)
    return replace(diagnostic, excerpt=problem.span.excerpt)
