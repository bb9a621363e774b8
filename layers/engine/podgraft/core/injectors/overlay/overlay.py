"""``Overlay`` documents: a sidecar or default for objects of any kind.

An overlay matches requests as a ValidatingAdmissionPolicy does, by ``matchConstraints`` and
``matchConditions``. Its Go template renders to a partial object, which is merged into the object:
by strategic merge for kinds with known Go types, by JSON merge for others.

Text of the object's author cannot add structure to the template's result (``structure_check.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.core.injectors.plain_text import has_only_plain_text, path_steps
from podgraft.core.injectors.structure_check import (
    CheckedTemplate,
    StructureError,
    find_breaking_key,
    find_breaking_text,
    find_failing_text,
    render_with_check,
)
from podgraft.core.policy import Cursor, MappingReader
from podgraft.golang import texttemplate
from podgraft.golang.reflect import GoType, Value
from podgraft.golang.reflect.taint import Address
from podgraft.golang.reflect.tainted_values import taint_json
from podgraft.golang.texttemplate import DEFAULT_LIMITS, Limits
from podgraft.kube import document_reader, yaml
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.cel import CONDITIONS_BUDGET, Budget, CostExceededError, ReviewLimitError
from podgraft.kube.matching import conditions, constraints
from podgraft.kube.patch import merge_patch, pointer, strategic

from .data import OverlayData
from .partial import resolve_partial
from .paths import OTHERS, find_merge_keys
from .templates import OverlayTemplate

API_VERSION = "podgraft.dev/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """A parsed overlay; its template is compiled when an object needs it."""

    name: str
    constraints: constraints.MatchConstraints
    conditions: tuple[conditions.Condition, ...]
    source: OverlayTemplate
    values: Object = field(default_factory=dict[str, JSON])
    if_absent: tuple[str, ...] = ()

    @property
    def template(self) -> texttemplate.Program:
        """The compiled template; raises ``OperatorError`` if it does not parse."""
        return self.source.load()

    def mismatch(
        self, request: AdmissionRequest, namespaces: Mapping[str, Object]
    ) -> constraints.Mismatch | None:
        """The first rule that does not match the request; raises ``OperatorError``."""
        mismatch = self.constraints.mismatch(request, namespaces)
        if mismatch is not None:
            return mismatch
        condition = self._find_false_condition(request, namespaces)
        if condition is None:
            return None
        return constraints.Mismatch("matchConditions", f"{condition.name} is false")

    def _find_false_condition(
        self, request: AdmissionRequest, namespaces: Mapping[str, Object]
    ) -> conditions.Condition | None:
        if not self.conditions:
            return None
        variables = conditions.condition_variables(request, namespaces, None)
        budget = Budget(CONDITIONS_BUDGET)
        try:
            return conditions.find_false(
                self.conditions, lambda program: budget.evaluate(program, variables)
            )
        except (conditions.ConditionError, CostExceededError, ReviewLimitError) as error:
            raise OperatorError(f"overlay {self.name}: {error}") from error

    def render(
        self,
        before: Object,
        namespace: str,
        namespaces: constraints.Namespaces,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Object:
        """Render the partial object for an object.

        Raises ``OperatorError`` if the template fails, and ``UserError`` if text of the object
        changes the structure of the result or is the cause of the failure.
        """
        return self._bind(before, namespace, namespaces, limits).render()

    def apply(
        self,
        before: Object,
        namespace: str,
        namespaces: constraints.Namespaces,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Object:
        """The object with the overlay applied."""
        return self._bind(before, namespace, namespaces, limits).apply()

    def merge(self, before: Object, partial: Object) -> Object:
        """Merge a rendered partial object into an object; raises ``OperatorError``."""
        type_ = kube.object_type(before)
        if type_ is not None:
            merged = self._merge_typed(before, partial, type_)
        else:
            merged = merge_patch(before, resolve_partial(partial, before, None, self.if_absent))
        return merged if isinstance(merged, dict) else before

    def _merge_typed(self, before: Object, partial: Object, type_: GoType) -> JSON:
        try:
            kube.check(type_, partial)
            patch = resolve_partial(partial, before, type_, self.if_absent)
            return strategic.merge(before, patch, type_)
        except (kube.DecodeError, strategic.MergeError) as error:
            _check_merges(before, type_)
            problem = f"overlay {self.name}: what it gives does not fit: {error}"
            raise OperatorError(problem) from error

    def _bind(
        self, before: Object, namespace: str, namespaces: constraints.Namespaces, limits: Limits
    ) -> _Rendering:
        found = constraints.find_namespace(namespace, namespaces) if namespace else {}
        data = OverlayData(before, namespace, found.get("metadata"), self.values)
        return _Rendering(self, self.source.load(), data, limits)


@dataclass(frozen=True, slots=True)
class _Rendering:
    """One overlay for one object."""

    overlay: Overlay
    template: texttemplate.Program
    data: OverlayData
    limits: Limits

    def render(self) -> Object:
        """The partial object; raises ``OperatorError`` or ``UserError``."""
        try:
            return render_with_check(
                self._make_checked_template,
                is_harmless=has_only_plain_text(self.data.object, (OTHERS,)),
            )
        except StructureError as error:
            raise UserError(
                f"{_to_pointer(error.address)}: its text would change the structure that overlay "
                f"{self.overlay.name} gives; leave out line breaks, quotes, brackets and other "
                "YAML syntax"
            ) from error
        except _FAILURES as error:
            raise self._classify_error(error, _can_parse) from error

    def apply(self) -> Object:
        """The object with the partial object merged into it."""
        partial = self.render()
        try:
            return self.overlay.merge(self.data.object, partial)
        except OperatorError as error:
            raise self._classify_error(error, self._can_merge) from error

    @property
    def _make_checked_template(self) -> CheckedTemplate[Object]:
        return CheckedTemplate(
            f"overlay {self.overlay.name}",
            self.template,
            lambda: self._to_dot(self.data),
            lambda slots: self._to_dot(self._with_object(taint_json(slots, self.data.object))),
            _parse_partial,
            _parse_partial,  # it refuses a key that a mapping has twice
            self.limits,
            selectors=[
                (key, OTHERS) for key in find_merge_keys(kube.object_type(self.data.object))
            ],
        )

    def _with_object(self, changed: Object) -> OverlayData:
        return replace(self.data, object=changed)

    def _to_dot(self, data: OverlayData) -> Value:
        return (data.copy_for_mutation() if self.template.mutates_data else data).to_struct()

    def _classify_error(self, error: Exception, works: Callable[[str], bool]) -> InjectionError:
        """The error of the object's author or of the operator, by the cause of the failure.

        ``works`` is whether a rendered text does not fail.
        """
        address = None
        if self.limits.finds_causes:
            address = replace(self, limits=self.limits.reduce()).find_cause(works)
        if isinstance(error, OperatorError):
            return error if address is None else UserError(f"{_to_pointer(address)}: {error}")
        gives_nothing = isinstance(error, _NoMappingError)
        problem = str(error) if gives_nothing else f"the template fails: {error}"
        if address is None:
            return OperatorError(f"overlay {self.overlay.name}: {problem}")
        return UserError(
            f"{_to_pointer(address)}: overlay {self.overlay.name} fails with it: {error}"
        )

    def find_cause(self, works: Callable[[str], bool]) -> Address:
        """The place of the text with which the template fails; ``None`` if it fails by itself."""

        def can_render(data: OverlayData) -> bool:
            try:
                dot = self._to_dot(data)
                return works(self.template.render(dot, limits=self.limits))
            except _FAILURES:
                return False

        address = find_breaking_text(
            lambda masker: self._with_object(masker.mask(self.data.object)), can_render
        )
        if address is not None:
            return address
        keys = self.data.metadata_keys()
        key = find_breaking_key(
            keys, lambda retained: can_render(self.data.with_metadata_keys(retained))
        )
        return key or find_failing_text(self._make_checked_template, works)

    def _can_merge(self, text: str) -> bool:
        """Whether a rendered text can be merged into the object."""
        try:
            self.overlay.merge(self.data.object, _parse_partial(text))
        except (*_FAILURES, OperatorError):
            return False
        return True


class _NoMappingError(Exception):
    """The rendered text is YAML, but not a mapping."""

    def __str__(self) -> str:
        return "the template gives no mapping"


_FAILURES = (texttemplate.ExecError, texttemplate.LimitError, yaml.NotYAMLError, _NoMappingError)


def _parse_partial(text: str) -> Object:
    """The partial object in a rendered text."""
    partial = yaml.load_document(text)
    if partial is None:
        return {}
    if not isinstance(partial, dict):
        raise _NoMappingError
    return partial


def _can_parse(text: str) -> bool:
    try:
        _parse_partial(text)
    except _FAILURES:
        return False
    return True


def _to_pointer(address: Address) -> str:
    return "".join(f"/{pointer.escape(str(step))}" for step in path_steps(address))


def _check_merges(before: Object, type_: GoType) -> None:
    """Raise ``UserError`` for an object with lists that cannot be merged."""
    try:
        decoded: JSON = kube.decode(type_, before)  # without fields of newer Kubernetes releases
        strategic.merge(decoded, decoded, type_)
    except (kube.DecodeError, strategic.MergeError) as error:
        raise UserError(f"object {error}") from error


# The required keys of ``spec``, and the remedy for a missing one.
_REQUIRED = {
    "matchConstraints": "say which objects it is for",
    "template": "write what renders to a partial object",
}


def parse_overlay(cursor: Cursor, name: str, *, deferred: bool = False) -> Overlay | None:
    """Parse an Overlay's ``spec``; errors are collected by the cursor.

    If ``deferred``, the first object that needs the template compiles it.
    """
    keys = MappingReader(cursor)
    compiler = conditions.ExpressionCompiler(params=False)
    match_constraints = keys.read_key("matchConstraints", constraints.parse_constraints)
    match_conditions = conditions.read_conditions(keys, compiler)
    template = keys.read_key(
        "template", lambda text: _parse_template(text, name, deferred=deferred)
    )
    values = keys.read_key("values", document_reader.parse_mapping)
    if_absent = keys.read_key("setIfAbsent", document_reader.parse_strings)
    keys.check_unknown_keys()
    for key, remedy in _REQUIRED.items():
        if keys.raw.get(key) is None:
            cursor.add_key_error(key, "is missing", remedy)
    if template is None or match_constraints is None:
        return None
    return Overlay(
        name=name,
        constraints=match_constraints,
        conditions=match_conditions,
        source=template,
        values=values or {},
        if_absent=if_absent or (),
    )


def _parse_template(cursor: Cursor, name: str, *, deferred: bool) -> OverlayTemplate | None:
    text = document_reader.parse_string(cursor)
    if text is None:
        return None
    template = OverlayTemplate(name, text)
    try:
        if not deferred:
            template.compile()
    except (texttemplate.TemplateError, texttemplate.LimitError) as error:
        return cursor.add_error(f"does not parse: {error}", error.remedy)
    return template
