"""The errors and warnings of a trial."""

from collections.abc import Callable

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.base.diagnostics import find_similar
from podgraft.base.jsonvalue import Object
from podgraft.core.bundle import Diagnostic, Manifest
from podgraft.core.policy.allows import Allows
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate.field_check import FieldProblem
from podgraft.kube.privileges import Privilege, find_added

from .outcome import Mutate

# Formats an error for the reader of the report.
Describe = Callable[[Exception], str]

# Receives an object before and after a rendering, and the location of the template.
OnChange = Callable[[Object, Object, Manifest, str], None]


class Report(Struct):
    """The errors and warnings of a trial, without duplicates. ``describe`` formats an error.

    ``privileges`` are all privileges that the renderings added. ``unlisted`` are the errors of
    those that ``allows`` of the policy does not list. ``on_change`` receives each result.
    """

    describe: Describe = str
    allows: Allows | None = None
    on_change: OnChange | None = None
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])

    privileges: dict[Privilege, Manifest] = field(default_factory=dict[Privilege, Manifest])
    unlisted: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def observe(
        self,
        change: Mutate,
        manifest: Manifest,
        path: str,
        describe: Callable[[Privilege], str] = str,
    ) -> Mutate:
        """Return the same change, which also records the privileges that it adds."""

        def change_and_record(before: Object, context: ReviewContext) -> Object:
            after = change(before, context)
            if self.on_change is not None:
                self.on_change(before, after, manifest, path)
            for privilege in find_added(before, after):
                if privilege in self.privileges:
                    continue
                self.privileges[privilege] = manifest
                for each in self.allows.find_unlisted((privilege,)) if self.allows else ():
                    remedy = f"list it under allows.{each.kind} in the policy, or remove it"
                    self.unlisted.append(manifest.make_diagnostic(path, describe(each), remedy))
            return after

        return change_and_record

    def add_error(self, diagnostic: Diagnostic) -> None:
        """Add a problem of a bundle that must not be activated."""
        if diagnostic not in self.errors:
            self.errors.append(diagnostic)

    def add_warning(self, diagnostic: Diagnostic) -> None:
        """Add a problem that does not prevent activation, unless it is already an error."""
        warning = diagnostic.as_warning()
        if diagnostic not in self.errors and warning not in self.warnings:
            self.warnings.append(warning)


def make_field_diagnostic(manifest: Manifest, path: str, problem: FieldProblem) -> Diagnostic:
    """Return a diagnostic for a field that the data of the template does not have."""
    hint = find_similar(problem.name, problem.available)
    available = ", ".join(problem.available[:20])
    remedy = (
        f"rename it to {hint}" if hint else f"use one of {available}" if available else "correct it"
    )
    diagnostic = manifest.make_diagnostic(path, str(problem), remedy)
    return replace(diagnostic, excerpt=problem.span.excerpt)
