"""``Overlay`` documents: any sidecar or default, for objects of any kind.

An overlay matches requests as a ValidatingAdmissionPolicy does, by ``matchConstraints`` and
``matchConditions``. Its Go template renders to a partial object, which is laid over the object: by
strategic merge for kinds whose Go types are known, by JSON merge for others. Several overlays work
one after the other, in the order of their names.

What the object's author wrote cannot add structure to what the template's author wrote
(``guard`` says how that is known).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from podgraft import gotemplate, jsonvalue, kube, kubeyaml
from podgraft.admission import AdmissionRequest
from podgraft.cel import CONDITIONS_BUDGET, CostExceededError, Meter
from podgraft.gotemplate import sprig
from podgraft.govalue import GoType
from podgraft.jsonvalue import JSON, Object
from podgraft.patch import merge_patch, pointer, strategic
from podgraft.policy import Keys, Spot, conditions, constraints, reading

from .errors import InjectionError, OperatorError, UserError
from .guard import Guard
from .masks import Place, steps
from .overlay_data import FUNCTIONS, Data, type_of

API_VERSION = "podgraft.dev/v1"

_FAILURES = (gotemplate.ExecError, gotemplate.LimitError, kubeyaml.NotYAMLError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """A compiled overlay; ``changes`` tells that its template may change its data."""

    name: str
    constraints: constraints.MatchConstraints
    conditions: tuple[conditions.Condition, ...]
    template: gotemplate.Program
    changes: bool
    values: Object = field(default_factory=dict[str, JSON])

    def applies(self, request: AdmissionRequest, namespaces: Mapping[str, Object]) -> bool:
        """Whether the overlay is for the request; raises ``OperatorError``."""
        if self.constraints.mismatch(request, namespaces) is not None:
            return False
        variables = conditions.values(request, namespaces, None)
        meter = Meter(CONDITIONS_BUDGET)
        try:
            return conditions.hold(
                self.conditions, lambda program: program.evaluate(variables, meter)
            )
        except (conditions.ConditionError, CostExceededError) as error:
            raise OperatorError(f"overlay {self.name}: {error}") from error

    def render(self, before: Object, namespace: str) -> Object:
        """The partial object for this object.

        Raises ``OperatorError`` where the template fails, ``UserError`` where text of the object
        would change the structure of what it gives.
        """
        data = Data(before, namespace, self.values)
        try:
            text = self._text(data)
            partial = kubeyaml.load(text)
        except _FAILURES as error:
            raise self._blamed(data, error) from error
        if partial is None:
            return {}
        if not isinstance(partial, dict):
            raise OperatorError(f"overlay {self.name}: the template gives no mapping")
        self._verify(data, text, partial)
        return partial

    def over(self, before: Object, namespace: str) -> Object:
        """The object with the overlay on it."""
        return laid(before, self.render(before, namespace), self.name)

    def _text(self, data: Data) -> str:
        value = (data.copied() if self.changes else data).value()
        return self.template.render(value)

    def _verify(self, data: Data, text: str, partial: Object) -> None:
        """Raise ``UserError`` where text of the object brought structure of its own."""
        place = self._guard(data).foreign(text, partial)
        if place is not None:
            raise UserError(
                f"{_pointer(place)}: its text would change the structure that overlay {self.name} "
                "gives; leave out line breaks, quotes, brackets and other YAML syntax"
            )

    def _blamed(self, data: Data, error: Exception) -> InjectionError:
        """Whose fault it is that the template fails: it works where nothing could be syntax."""
        place = self._guard(data).breaking(self._works)
        if place is None:
            return OperatorError(f"overlay {self.name}: the template fails: {error}")
        return UserError(f"{_pointer(place)}: overlay {self.name} fails with it: {error}")

    def _guard(self, data: Data) -> Guard[Data]:
        return Guard(
            subject=data,
            masked=Data.masked,
            text=self._text,
            read=kubeyaml.load,
            failures=_FAILURES,
        )

    def _works(self, data: Data) -> bool:
        try:
            kubeyaml.load(self._text(data))
        except _FAILURES:
            return False
        return True


def _pointer(place: Place) -> str:
    return "".join(f"/{pointer.escape(str(step))}" for step in steps(place))


def laid(before: Object, partial: Object, name: str) -> Object:
    """``partial`` laid over an object by what is known of its kind; raises ``OperatorError``."""
    type_ = type_of(before)
    merged = _typed(before, partial, type_, name) if type_ else merge_patch(before, partial)
    return merged if isinstance(merged, dict) else before


def _typed(before: Object, partial: Object, type_: GoType, name: str) -> JSON:
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


def read(spot: Spot, name: str) -> Overlay | None:
    """Read an Overlay's ``spec``; faults are noted."""
    keys = Keys(spot)
    compiler = conditions.Compiler(params=False)
    where = keys.read("matchConstraints", constraints.read)
    met = keys.read("matchConditions", lambda each: conditions.read(each, compiler))
    template = keys.read("template", lambda text: _template(text, name))
    values = keys.read("values", _mapping)
    keys.close()
    given = spot.value if isinstance(spot.value, dict) else {}
    for key, remedy in _REQUIRED.items():
        if given.get(key) is None:
            spot.under(key, None).fault("is missing", remedy)
    if template is None or where is None:
        return None
    return Overlay(
        name=name,
        constraints=where,
        conditions=met or (),
        template=template,
        changes=sprig.changes_maps(template),
        values=values or {},
    )


def _template(spot: Spot, name: str) -> gotemplate.Program | None:
    text = reading.text(spot)
    if text is None:
        return None
    try:
        return gotemplate.compile_(text, name=name, functions=FUNCTIONS)
    except (gotemplate.TemplateError, gotemplate.LimitError) as error:
        return spot.fault(f"does not parse: {error}", f"correct line {error.line} of it")


def _mapping(spot: Spot) -> Object | None:
    return spot.value if isinstance(spot.value, dict) else spot.expected(reading.Wanted.MAPPING)


@dataclass(frozen=True, slots=True)
class Overlays:
    """The overlays of a bundle, in the order of their names."""

    all: tuple[Overlay, ...]
    namespaces: Mapping[str, Object]

    def over(self, before: Object, request: AdmissionRequest) -> Object:
        """The object with every overlay on it that applies; the same where none changes it."""
        after = before
        for overlay in self.all:
            if overlay.applies(replace(request, object=after), self.namespaces):
                after = overlay.over(after, request.namespace)
        return before if jsonvalue.equal(before, after) else after


def ordered(overlays: Sequence[Overlay], namespaces: Mapping[str, Object]) -> Overlays:
    """Overlays as they work: sorted by name."""
    return Overlays(tuple(sorted(overlays, key=lambda overlay: overlay.name)), namespaces)
