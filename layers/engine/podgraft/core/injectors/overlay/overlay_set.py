"""The overlays of a bundle, which apply to an object one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate import Limits
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints
from podgraft.kube.matching.index import CandidateQueue, ConstraintIndex

from .overlay import Overlay

UNCHANGED = "matches, and the object already is as the overlay sets it"


@dataclass(frozen=True, slots=True)
class OverlaySet:
    """The overlays of a bundle, in the order of their names."""

    overlays: tuple[Overlay, ...]
    namespaces: Mapping[str, Object]
    index: ConstraintIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the overlays by what they can match."""
        index = ConstraintIndex(overlay.constraints for overlay in self.overlays)
        object.__setattr__(self, "index", index)

    def apply(self, before: Object, context: ReviewContext) -> Mutation:
        """Apply each overlay that matches the request; without one, the object's creation."""
        request = context.request or constraints.make_create_request(before, context.namespace)
        if context.trace is None:
            after = self._apply_candidates(before, request, context.limits)
        else:
            after = self._apply_traced(before, request, context.limits, context.trace)
        if after is before or jsonvalue.equal(before, after):
            return Mutation.from_unchanged(before)
        return Mutation.from_objects(before, after)

    def _apply_candidates(
        self, before: Object, request: AdmissionRequest, limits: Limits
    ) -> Object:
        """The object after all overlays; an overlay can add labels that later ones select."""
        after, request = before, replace(request, object=before)
        queue = CandidateQueue(self.index)
        queue.add_request(request, self.namespaces)
        for number in queue.drain():
            overlay = self.overlays[number]
            if overlay.applies(request, self.namespaces):
                after = overlay.apply(after, request.namespace, self.namespaces, limits)
                request = replace(request, object=after)
                queue.add_request(request, self.namespaces)
        return after

    def _apply_traced(
        self, before: Object, request: AdmissionRequest, limits: Limits, trace: Trace
    ) -> Object:
        """The same; the trace gets a step for each overlay of the bundle."""
        after = before
        for overlay in self.overlays:
            mismatch = overlay.mismatch(replace(request, object=after), self.namespaces)
            _add_step(trace, overlay.name, mismatch)
            if mismatch is None:
                merged = overlay.apply(after, request.namespace, self.namespaces, limits)
                _amend_step(trace, overlay.name, is_changed=not jsonvalue.equal(merged, after))
                after = merged
        return after


def _add_step(trace: Trace, name: str, mismatch: constraints.Mismatch | None) -> None:
    if mismatch is not None:
        trace.add(f"overlay {name}", f"does not match: {mismatch.describe()}")
    else:
        trace.add(f"overlay {name}", "matches, and fails for the object", "fails")


def _amend_step(trace: Trace, name: str, *, is_changed: bool) -> None:
    if is_changed:
        trace.amend(f"overlay {name}", "matches, and changes the object", "changes")
    else:
        trace.amend(f"overlay {name}", UNCHANGED)


def sort_overlays(overlays: Sequence[Overlay], namespaces: Mapping[str, Object]) -> OverlaySet:
    """The overlays in the order in which they apply."""
    return OverlaySet(tuple(sorted(overlays, key=lambda overlay: overlay.name)), namespaces)
