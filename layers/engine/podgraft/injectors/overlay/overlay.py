"""``Overlay`` documents: any sidecar or default, for objects of any kind.

An overlay matches requests as a ValidatingAdmissionPolicy does, by ``matchConstraints`` and
``matchConditions``. Its Go template renders to a partial object, which is laid over the object: by
strategic merge for kinds whose Go types are known, by JSON merge for others. Several overlays work
one after the other, in the order of their names.

What the object's author wrote cannot add structure to what the template's author wrote
(``guard`` says how that is known).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from podgraft import document_reader, jsonvalue, kube, sprig, texttemplate, yaml
from podgraft.admission import AdmissionRequest
from podgraft.cel import CONDITIONS_BUDGET, CostExceededError, Meter
from podgraft.go.reflect import GoType
from podgraft.go.reflect.taint import Address, PlaceholderRegistry
from podgraft.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.injectors.plain_text import steps
from podgraft.injectors.structure_guard import (
    breaking,
    breaking_key,
    failing,
    failing_source,
    foreign,
)
from podgraft.jsonvalue import JSON, Object
from podgraft.matching import conditions, constraints
from podgraft.patch import merge_patch, pointer, strategic
from podgraft.policy import Cursor, MappingReader

from .data import FUNCTIONS, OverlayData

if TYPE_CHECKING:
    from podgraft.texttemplate.run.tracing import Trace as RenderingTrace
    from podgraft.trace import Trace

API_VERSION = "podgraft.dev/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """A compiled overlay; ``changes`` tells that its template may change its data."""

    name: str
    constraints: constraints.MatchConstraints
    conditions: tuple[conditions.Condition, ...]
    template: texttemplate.Program
    mutates_data: bool
    values: Object = field(default_factory=dict[str, JSON])

    def applies(self, request: AdmissionRequest, namespaces: Mapping[str, Object]) -> bool:
        """Whether the overlay is for the request; raises ``OperatorError``."""
        return self.mismatch(request, namespaces) is None

    def mismatch(
        self, request: AdmissionRequest, namespaces: Mapping[str, Object]
    ) -> constraints.Mismatch | None:
        """Why the overlay is not for the request, or ``None``; raises ``OperatorError``."""
        found = self.constraints.mismatch(request, namespaces)
        if found is not None:
            return found
        variables = conditions.condition_variables(request, namespaces, None)
        meter = Meter(CONDITIONS_BUDGET)
        try:
            condition = conditions.find_false(
                self.conditions, lambda program: program.evaluate(variables, meter)
            )
        except (conditions.ConditionError, CostExceededError) as error:
            raise OperatorError(f"overlay {self.name}: {error}") from error
        if condition is None:
            return None
        return constraints.Mismatch("matchConditions", f"{condition.name} is false")

    def render(self, before: Object, namespace: str) -> Object:
        """The partial object for this object.

        Raises ``OperatorError`` where the template fails, ``UserError`` where text of the object
        would change the structure of what it gives.
        """
        data = OverlayData(before, namespace, self.values)
        try:
            if not self.template.can_create_syntax and data.is_harmless():
                return self._read(self._render_text(data))
            trace = self._trace(data)
            partial = self._read(trace.text)
        except _FAILURES as error:
            raise self._classify_error(data, error, self._reads) from error
        self._verify(trace)
        return partial

    def apply(self, before: Object, namespace: str) -> Object:
        """The object with the overlay on it."""
        partial = self.render(before, namespace)
        try:
            return merge_partial(before, partial, self.name)
        except OperatorError as error:
            data = OverlayData(before, namespace, self.values)
            raise self._classify_error(
                data, error, lambda text: self._fits(before, text)
            ) from error

    def _read(self, text: str) -> Object:
        """The partial object that a rendered text is."""
        partial = yaml.load(text)
        if partial is None:
            return {}
        if not isinstance(partial, dict):
            raise _NoMappingError
        return partial

    def _render_text(self, data: OverlayData) -> str:
        value = (data.copy_for_mutation() if self.mutates_data else data).to_struct()
        return self.template.render(value)

    def _trace(self, data: OverlayData, slots: PlaceholderRegistry | None = None) -> RenderingTrace:
        """The same text, and what of the object it is made of."""
        slots = slots or PlaceholderRegistry()
        tainted = data.tainted(slots)
        value = (tainted.copy_for_mutation() if self.mutates_data else tainted).to_struct()
        return self.template.trace(value, slots)

    def _verify(self, trace: RenderingTrace) -> None:
        """Raise ``UserError`` where text of the object brought structure of its own."""
        place = foreign(trace)
        if place is not None:
            raise UserError(
                f"{_to_pointer(place)}: its text would change the structure that overlay {self.name} "
                "gives; leave out line breaks, quotes, brackets and other YAML syntax"
            )

    def _classify_error(
        self, data: OverlayData, error: Exception, reads: Callable[[str], bool]
    ) -> InjectionError:
        """Whose fault it is that the template fails, or what it writes (``reads``)."""
        place = self._breaking(data, reads)
        if isinstance(error, OperatorError):
            return error if place is None else UserError(f"{_to_pointer(place)}: {error}")
        if isinstance(error, _NoMappingError):
            problem = "the template gives no mapping"
        else:
            problem = f"the template fails: {error}"
        if place is None:
            return OperatorError(f"overlay {self.name}: {problem}")
        return UserError(f"{_to_pointer(place)}: overlay {self.name} fails with it: {error}")

    def _breaking(self, data: OverlayData, reads: Callable[[str], bool]) -> Address:
        """The place of the text with which the template fails; none if it fails by itself."""

        def works(tried: OverlayData) -> bool:
            try:
                return reads(self._render_text(tried))
            except _FAILURES:
                return False

        place = breaking(data, OverlayData.mask, works)
        if place is not None:
            return place
        key = breaking_key(data.keys(), lambda keys: works(data.with_keys(keys)))
        return key or self._breaking_text(data, reads)

    def _breaking_text(self, data: OverlayData, reads: Callable[[str], bool]) -> Address:
        slots = PlaceholderRegistry()
        try:
            trace = self._trace(data, slots)
        except (texttemplate.ExecError, texttemplate.LimitError) as error:
            return failing_source(slots, error)
        return failing(trace, reads)

    def _reads(self, text: str) -> bool:
        try:
            self._read(text)
        except _FAILURES:
            return False
        return True

    def _fits(self, before: Object, text: str) -> bool:
        """Whether a rendered text fits the object."""
        try:
            merge_partial(before, self._read(text), self.name)
        except (*_FAILURES, OperatorError):
            return False
        return True


class _NoMappingError(Exception):
    """The text is YAML, but not of a mapping."""

    def __str__(self) -> str:
        return "the template gives no mapping"


_FAILURES = (texttemplate.ExecError, texttemplate.LimitError, yaml.NotYAMLError, _NoMappingError)


def _to_pointer(place: Address) -> str:
    return "".join(f"/{pointer.escape(str(step))}" for step in steps(place))


def merge_partial(before: Object, partial: Object, name: str) -> Object:
    """``partial`` laid over an object by what is known of its kind; raises ``OperatorError``."""
    type_ = kube.object_type(before)
    merged = _merge_typed(before, partial, type_, name) if type_ else merge_patch(before, partial)
    return merged if isinstance(merged, dict) else before


def _merge_typed(before: Object, partial: Object, type_: GoType, name: str) -> JSON:
    try:
        kube.check(type_, partial)
        return strategic.merge(before, partial, type_)
    except (kube.DecodeError, strategic.MergeError) as error:
        _check_merges(before, type_)
        raise OperatorError(f"overlay {name}: what it gives does not fit: {error}") from error


def _check_merges(before: Object, type_: GoType) -> None:
    """Raise ``UserError`` for an object with lists that nothing can be merged into."""
    try:
        known: JSON = kube.decode(type_, before)  # without what newer releases of Kubernetes add
        strategic.merge(known, known, type_)
    except (kube.DecodeError, strategic.MergeError) as error:
        raise UserError(f"object {error}") from error


# The keys of ``spec`` that must be there, and what they are for.
_REQUIRED = {
    "matchConstraints": "say which objects it is for",
    "template": "write what renders to a partial object",
}


def parse_overlay(spot: Cursor, name: str) -> Overlay | None:
    """Read an Overlay's ``spec``; faults are noted."""
    keys = MappingReader(spot)
    compiler = conditions.ExpressionCompiler(params=False)
    where = keys.read_key("matchConstraints", constraints.parse_constraints)
    met = keys.read_key("matchConditions", lambda each: conditions.parse_conditions(each, compiler))
    template = keys.read_key("template", lambda text: _parse_template(text, name))
    values = keys.read_key("values", _parse_mapping)
    keys.check_unknown_keys()
    given = spot.value if isinstance(spot.value, dict) else {}
    for key, remedy in _REQUIRED.items():
        if given.get(key) is None:
            spot.child(key, None).add_error("is missing", remedy)
    if template is None or where is None:
        return None
    return Overlay(
        name=name,
        constraints=where,
        conditions=met or (),
        template=template,
        mutates_data=sprig.mutates_maps(template),
        values=values or {},
    )


def _parse_template(spot: Cursor, name: str) -> texttemplate.Program | None:
    text = document_reader.parse_string(spot)
    if text is None:
        return None
    try:
        return texttemplate.compile_(text, name=name, functions=FUNCTIONS)
    except (texttemplate.TemplateError, texttemplate.LimitError) as error:
        return spot.add_error(f"does not parse: {error}", f"correct line {error.line} of it")


def _parse_mapping(spot: Cursor) -> Object | None:
    return (
        spot.value
        if isinstance(spot.value, dict)
        else spot.add_type_error(document_reader.JSONType.MAPPING)
    )


@dataclass(frozen=True, slots=True)
class OverlaySet:
    """The overlays of a bundle, in the order of their names."""

    overlays: tuple[Overlay, ...]
    namespaces: Mapping[str, Object]

    def apply(
        self, before: Object, request: AdmissionRequest, trace: Trace | None = None
    ) -> Object:
        """The object with every overlay on it that applies; the same where none changes it."""
        after = before
        for overlay in self.overlays:
            mismatch = overlay.mismatch(replace(request, object=after), self.namespaces)
            if trace is not None:
                _add_step(trace, overlay.name, mismatch)
            if mismatch is not None:
                continue
            merged = overlay.apply(after, request.namespace)
            if trace is not None:
                _amend_step(trace, is_changed=not jsonvalue.equal(merged, after))
            after = merged
        return before if jsonvalue.equal(before, after) else after


def _add_step(trace: Trace, name: str, mismatch: constraints.Mismatch | None) -> None:
    if mismatch is not None:
        trace.add(f"overlay {name}", f"does not match: {mismatch.key}: {mismatch.observed}")
    else:
        trace.add(f"overlay {name}", "matches, and fails for the object", "fails")


def _amend_step(trace: Trace, *, is_changed: bool) -> None:
    if is_changed:
        trace.amend("matches, and changes the object", "changes")
    else:
        trace.amend("matches, and the object already is as the overlay sets it")


def sort_overlays(overlays: Sequence[Overlay], namespaces: Mapping[str, Object]) -> OverlaySet:
    """Overlays as they work: sorted by name."""
    return OverlaySet(tuple(sorted(overlays, key=lambda overlay: overlay.name)), namespaces)
