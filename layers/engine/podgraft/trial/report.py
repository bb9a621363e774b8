"""Errors and warnings of a trial, and the words in which a failure is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING

from podgraft.bundle import Diagnostic, Manifest
from podgraft.diagnostics import Severity
from podgraft.lazy_dataclass import dataclass

from .outcome import Failure
from .suggestions import suggestion

if TYPE_CHECKING:
    from podgraft.texttemplate.field_check import FieldProblem

# The text of an error, for the reader that the report is for.
Describe = Callable[[Exception], str]


@dataclass(slots=True)
class Report:
    """What a trial found; each problem once. ``describe`` gives the text of an error."""

    describe: Describe = str
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def error(self, fault: Diagnostic) -> None:
        """Note a problem that keeps a version from being in force."""
        if fault not in self.errors:
            self.errors.append(fault)

    def warning(self, fault: Diagnostic) -> None:
        """Note a problem that does not, unless it is among the errors."""
        warning = replace(fault, severity=Severity.WARNING)
        if fault not in self.errors and warning not in self.warnings:
            self.warnings.append(warning)

    def describe_failure(self, failure: Failure) -> str:
        """Return the text of the failure's error."""
        return "" if failure.error is None else self.describe(failure.error)


def field_fault(holder: Manifest, path: str, problem: FieldProblem) -> Diagnostic:
    """Return a field that the data of a template cannot have as a fault of its file."""
    hint = suggestion(problem.name, problem.available)
    have = ", ".join(problem.available[:20])
    remedy = f"rename it to {hint}" if hint else f"use one of {have}" if have else "correct it"
    fault = holder.make_diagnostic(path, str(problem), remedy)
    return replace(fault, excerpt=problem.span.excerpt)
