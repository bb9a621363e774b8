"""The overlays of a bundle, which apply to an object one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect import GoType
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints
from podgraft.kube.matching.index import CandidateQueue, ConstraintIndex

from .overlay import Overlay
from .reads import find_overlay_reads

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

    def __call__(self, before: Object, context: ReviewContext, /) -> Mutation:
        """Apply each overlay that matches the request; without one, the object's creation."""
        request = context.request or constraints.make_create_request(before, context.namespace)
        after = self._apply_overlays(before, request, context)
        if after is before or jsonvalue.equal(before, after):
            return Mutation.from_unchanged(before)
        return Mutation.from_objects(before, after)

    def find_reads(self, type_: GoType | None, /) -> Iterator[tuple[FieldRead, ...]]:
        """Yield what each overlay reads."""
        for overlay in self.overlays:
            yield find_overlay_reads(overlay, type_)

    def _apply_overlays(
        self, before: Object, request: AdmissionRequest, context: ReviewContext
    ) -> Object:
        """The object after all overlays; an overlay can add labels that later ones select.

        The trace gets a step for each overlay of the bundle.
        """
        after, request, trace = before, replace(request, object=before), context.trace
        queue = CandidateQueue(self.index)
        queue.add_request(request, self.namespaces)
        for number in queue.drain() if trace is None else range(len(self.overlays)):
            overlay = self.overlays[number]
            mismatch = overlay.mismatch(request, self.namespaces)
            if trace is not None:
                _add_step(trace, overlay.name, mismatch)
            if mismatch is not None:
                continue
            merged = overlay.apply(after, request.namespace, self.namespaces, context.limits)
            if trace is not None:
                _amend_step(trace, overlay.name, is_changed=not jsonvalue.equal(merged, after))
            after, request = merged, replace(request, object=merged)
            queue.add_request(request, self.namespaces)
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
