"""Trials: a compiled bundle renders probe objects before it is in force.

``check_bundle`` does it all at once, for the command line. ``Trial`` does it step by step, for a
review that can wait for a part of it only. A trial uses the code that answers reviews, with lower
limits for templates. Pure: whoever calls it watches the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from podgraft.bundle import Bundle, Diagnostic
from podgraft.policy import Policy

from .report import Describe, Report

__all__ = ["Report", "Trial", "check_bundle"]


class Trial:
    """A trial of one compiled bundle, under the policy that it was compiled for."""

    def __init__(self, bundle: Bundle, policy: Policy, describe: Describe = str) -> None:
        self.report = Report(describe)
        self._steps = _steps(bundle, policy, self.report)

    def advance(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Go on until the trial ends or ``is_over``; return whether it has ended.

        At least one step is done each time: about one rendering.
        """
        return all(not is_over() for _ in self._steps)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The problems that keep the bundle from being in force, so far."""
        return tuple(self.report.errors)


def check_bundle(bundle: Bundle, policy: Policy, describe: Describe = str) -> Report:
    """Return what a whole trial of a bundle finds."""
    trial = Trial(bundle, policy, describe)
    trial.advance()
    return trial.report


def _steps(bundle: Bundle, policy: Policy, report: Report) -> Iterator[None]:
    """All steps, those that concern most pods first; imported as far as the bundle needs them."""
    from . import istio

    yield from istio.steps(bundle, policy, report)
    manifests = bundle.manifests
    if manifests.of_kind("Mesh"):
        from . import meshes

        yield from meshes.steps(bundle, report)
    if manifests.of_kind("Overlay"):
        from . import overlays

        yield from overlays.steps(bundle, report)
    if manifests.probes:
        from . import bundle_tests

        yield from bundle_tests.steps(bundle, report)
