"""Trials: a compiled bundle renders probe objects before it is in force.

``check_bundle`` runs a complete trial, for the command line. ``Trial`` runs it step by step, for a
review that can only wait for a part of it. A trial uses the code that serves reviews, with lower
limits for templates. Pure: the caller checks the deadline.
"""

from collections.abc import Callable, Iterator

from podgraft.core.bundle import Bundle, Diagnostic
from podgraft.core.policy import Policy

from . import bundle_tests, istio
from .report import Describe, OnChange, Report

__all__ = ["Report", "Trial", "check_bundle"]


class Trial:
    """A trial of one compiled bundle, under the policy that it was compiled for."""

    def __init__(
        self,
        bundle: Bundle,
        policy: Policy,
        describe: Describe = str,
        on_change: OnChange | None = None,
    ) -> None:
        self.report = Report(describe, policy.allows, on_change)
        self._steps = _try_bundle(bundle, policy, self.report)

    def advance(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Run steps until the trial ends or ``is_over``; return whether it has ended.

        Each call runs at least one step, which is about one rendering.
        """
        return all(not is_over() for _ in self._steps)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors found so far; a bundle with errors must not be activated."""
        return (*self.report.errors, *self.report.unlisted)


def check_bundle(bundle: Bundle, policy: Policy, on_change: OnChange | None = None) -> Report:
    """Run a complete trial of a bundle, and return its report.

    ``on_change`` receives each probe object before and after its rendering.
    """
    trial = Trial(bundle, policy, on_change=on_change)
    trial.advance()
    return trial.report


def _try_bundle(bundle: Bundle, policy: Policy, report: Report) -> Iterator[None]:
    """Run all steps, those that affect most pods first; import only what the bundle needs."""
    yield from istio.try_templates(bundle, policy, report)
    manifests = bundle.manifests
    if manifests.of_kind("Mesh"):
        from . import meshes

        yield from meshes.try_meshes(bundle, report)
    if manifests.of_kind("MutatingAdmissionPolicy"):
        from . import mutating_policies

        yield from mutating_policies.try_policies(bundle, report)
    if manifests.of_kind("Overlay"):
        from . import overlays

        yield from overlays.try_overlays(bundle, report)
    if manifests.probes:
        yield from bundle_tests.try_objects(bundle, report)
