"""The decoder from JSON objects to Go's structs, in JSON form (encoding/json, Go 1.26).

Of duplicate keys that differ in case (``name``, ``Name``), all must decode. Their values are not
merged: the last one wins. What a template renders can have none: text of a pod would replace the
value of the template.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import TypeAlias

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang import strings
from podgraft.golang.reflect import Field, GoType, Kind, Value, round_to_float32
from podgraft.golang.strconv.ftoa import format_float

from . import usual_values
from .decode_errors import DecodeError, FieldError, mismatch_error
from .json_codecs import FIELDS_V1, INT_OR_STRING, MARSHALERS, parse_integer

Decode: TypeAlias = Callable[[Value], Value]


class Mode(Enum):
    """How a value is decoded: see ``decode``, its parameter ``lenient``, and ``decode_…``."""

    STRICT = "strict"
    LENIENT = "lenient"
    ADDITIONS = "additions"
    PATCH = "patch"


_LENIENT = (Mode.LENIENT, Mode.ADDITIONS)
_RENDERED = (Mode.ADDITIONS, Mode.PATCH)


_BOUNDS = {
    Kind.INT: range(-(2**63), 2**63),
    Kind.INT32: range(-(2**31), 2**31),
    Kind.INT64: range(-(2**63), 2**63),
}
_PLAIN = {Kind.STRING: frozenset({str}), Kind.BOOL: frozenset({bool})}
_INTEGER, _INT_OR_STRING = frozenset({int}), frozenset({int, str})
_NEVER: frozenset[type] = frozenset()
_LEAST_INT32, _GREATEST_INT32 = -(2**31), 2**31 - 1
_ONLY_TEXT = {str}
_OMITTED = object()


def decode(type_: GoType, raw: JSON, *, lenient: bool = False) -> JSON:
    """Return the content of ``raw`` after Go decoded it; shares the parts that do not change.

    Unknown keys, nulls, and empty values with omitempty are removed. Keys have the spelling of the
    type; quantities and times have the canonical form; nothing is added. Raises ``DecodeError``.

    ``lenient`` converts numbers and booleans to strings if the field is a string, as
    sigs.k8s.io/yaml does, except in fields promoted from embedded structs, such as
    ``secretKeyRef.name``.
    """
    return _decoder(type_, Mode.LENIENT if lenient else Mode.STRICT)(raw)


def decode_additions(type_: GoType, raw: JSON) -> JSON:
    """``decode``, lenient, for what a template renders; raises ``DecodeError``."""
    return _decoder(type_, Mode.ADDITIONS)(raw)


def decode_patch(type_: GoType, raw: JSON) -> JSON:
    """``decode`` for a strategic merge patch: nulls, directives, and empty values remain.

    Raises ``DecodeError``.
    """
    return _decoder(type_, Mode.PATCH)(raw)


def check(type_: GoType, raw: JSON) -> None:
    """Raise ``DecodeError`` if a value does not have its Go type."""
    if not _is_usual(type_, raw):
        decode(type_, raw)


def check_patched(type_: GoType, before: Object, after: Object) -> None:
    """Raise ``DecodeError`` if an object does not decode after a patch; *before* decodes.

    Only what the patch adds is checked. The places in the error are those of the added elements.
    """
    check(type_, {key: _added_values(before.get(key), after[key]) for key in after})


def _is_usual(type_: GoType, raw: JSON) -> bool:
    """Whether a value decodes, which msgspec finds out fast for most values.

    Its types take 9 ms, so the first checks in a process do without them.
    """
    checks = _CHECK_COUNTS.get(type_, 0)
    if checks < _CHECKS_WITHOUT_MSGSPEC:
        _CHECK_COUNTS[type_] = checks + 1
        return False
    return usual_values.is_usual(type_, raw)


_CHECK_COUNTS: dict[GoType, int] = {}
_CHECKS_WITHOUT_MSGSPEC = 4


def _added_values(before: JSON, after: JSON) -> JSON:
    """``after`` without the members that it shares with ``before``, and their shared elements.

    Identity only saves work: a value that is equal but not shared is checked again.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    added: Object = {}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, list) and isinstance(old, list):
            shared = set(map(id, old))
            added[key] = [element for element in value if id(element) not in shared]
        elif value is not old:
            added[key] = value
    return added


class _FieldDecoder:
    """The decoder of one field of a struct.

    Most values need only a check of the class: strings that are not empty, true, and integers of 32
    bits. ``plain`` has the classes of such values.
    """

    __slots__ = ("decode", "drops_falsy", "omitempty", "path", "plain")

    def __init__(self, field: Field, path: tuple[str, ...], mode: Mode) -> None:
        self.decode = _decoder(field.type, mode)
        self.omitempty = field.omitempty and mode is not Mode.PATCH
        self.drops_falsy = self.omitempty and field.type.kind not in (Kind.STRUCT, Kind.POINTER)
        self.path = (*path, field.json)
        self.plain = _plain_classes(field.type)

    def is_omitted(self, raw: Value, decoded: Value) -> bool:
        """Whether omitempty omits the field (never for a struct in Go; null is not a struct)."""
        if raw is None or decoded is None:
            return self.omitempty
        return self.drops_falsy and not decoded


class _StructDecoder:
    """The decoder of a struct, which is built for the first object of the type."""

    __slots__ = ("mode", "steps", "type")

    def __init__(self, type_: GoType, mode: Mode) -> None:
        self.type = type_
        self.mode = mode
        self.steps: Mapping[str, _FieldDecoder] = {}

    def decode(self, raw: Value) -> Value:
        if raw.__class__ is not dict:
            if raw is None:
                return None if self.mode is Mode.PATCH else {}
            raise mismatch_error(raw, self.type)
        if not self.steps:
            self._build_steps()
        steps = self.steps
        changes: dict[str, Value] = {}
        errors: list[FieldError] = []
        for key, value in raw.items():
            step = steps.get(key) or self._find_directive(key)
            if step is None:
                return self.decode(self._match_keys(raw))
            class_ = value.__class__
            if (
                class_ in step.plain
                and value
                and (class_ is not int or _LEAST_INT32 <= value <= _GREATEST_INT32)
            ):
                continue
            try:
                decoded = step.decode(value)
            except DecodeError as error:
                errors += self._prefix_errors(error, step)
                continue
            if decoded is not value or not value:
                changes[key] = _OMITTED if step.is_omitted(value, decoded) else decoded
        if errors:
            raise DecodeError(errors)
        return _apply_changes(raw, changes) if changes else raw

    def _build_steps(self) -> None:
        """Build the steps, and assign them atomically, because other threads can read them."""
        self.steps = {field.json: step for field, step in _steps(self.type, (), self.mode)}

    def _match_keys(self, raw: dict[str, Value]) -> dict[str, Value]:
        """The supported keys in the spelling of the type; Go ignores their case."""
        folded = {strings.fold_name(name): name for name in self.steps}
        members: dict[str, Value] = {}
        for key, value in raw.items():
            name = key if key in self.steps else folded.get(strings.fold_name(key))
            if name is not None:
                if name in members:
                    self._check_replaced(name, members[name])
                members[name] = value
            elif self._find_directive(key) is not None:
                members[key] = value
        return members

    def _check_replaced(self, name: str, value: Value) -> None:
        """Raise ``DecodeError`` if another spelling of a key must not replace its value."""
        if self.mode in _RENDERED:
            raise DecodeError([FieldError(refusal=f"{name} is set twice, in another case")])
        self.decode({name: value})  # Go decodes this value, too

    def _find_directive(self, key: str) -> _FieldDecoder | None:
        return _DIRECTIVE if self.mode is Mode.PATCH and key.startswith("$") else None

    def _prefix_errors(self, error: DecodeError, step: _FieldDecoder) -> list[FieldError]:
        struct = self.type.name.rpartition(".")[2]
        return [field_error.with_field(struct, step.path) for field_error in error.errors]


def _steps(
    type_: GoType, path: tuple[str, ...], mode: Mode
) -> Iterator[tuple[Field, _FieldDecoder]]:
    """The steps of the fields of a struct, including promoted fields."""
    for field in type_.fields:
        if field.inline:
            inner = Mode.STRICT if mode in _LENIENT else mode
            yield from _steps(field.type, (*path, field.name), inner)
        else:
            yield field, _FieldDecoder(field, path, mode)


def _plain_classes(type_: GoType) -> frozenset[type]:
    """The classes of values that are decoded, if they are not zero and integers fit 32 bits."""
    if type_ is INT_OR_STRING:
        return _INT_OR_STRING
    if type_ in MARSHALERS:
        return _NEVER
    return _INTEGER if type_.kind in _BOUNDS else _PLAIN.get(type_.kind, _NEVER)


def _apply_changes(raw: dict[str, Value], changes: dict[str, Value]) -> dict[str, Value]:
    if all(value is raw[key] for key, value in changes.items()):
        return raw
    return {key: value for key, value in (raw | changes).items() if value is not _OMITTED}


@cache
def _decoder(type_: GoType, mode: Mode) -> Decode:
    if type_ in MARSHALERS:
        return _leaf(MARSHALERS[type_].decode, mode)
    match type_.kind, type_.elem:
        case Kind.STRUCT, _:
            return _StructDecoder(type_, mode).decode
        case Kind.POINTER, GoType() as target:
            return _keep_null(_decoder(target, mode))
        case Kind.SLICE, GoType() as elem:
            return _list(type_, _decoder(elem, mode), texts=elem.kind is Kind.STRING)
        case Kind.MAP, GoType() as elem:
            return _map(type_, _decoder(elem, mode), texts=elem.kind is Kind.STRING)
        case Kind.STRING, _:
            return _leaf(_text(type_, lenient=mode in _LENIENT), mode)
        case Kind.BOOL, _:
            return _leaf(_bool(type_), mode)
        case kind, _ if kind in _BOUNDS:
            return _leaf(_integer(type_, _BOUNDS[kind]), mode)
        case _:
            raise TypeError(f"unsupported type of a Kubernetes field: {type_}")


def _leaf(decode_value: Decode, mode: Mode) -> Decode:
    return _keep_null(decode_value) if mode is Mode.PATCH else decode_value


def _keep_null(decode_value: Decode) -> Decode:
    return lambda raw: None if raw is None else decode_value(raw)


def _list(type_: GoType, decode_element: Decode, *, texts: bool) -> Decode:
    def decode_list(raw: Value) -> Value:
        if raw is None:
            return None
        if raw.__class__ is not list:
            raise mismatch_error(raw, type_)
        if texts and _ONLY_TEXT.issuperset(map(type, raw)):
            return raw
        decoded = _decode_elements(decode_element, raw, range(len(raw)))
        return raw if decoded is None else decoded

    return decode_list


def _map(type_: GoType, decode_element: Decode, *, texts: bool) -> Decode:
    def decode_map(raw: Value) -> Value:
        if raw is None:
            return None
        if raw.__class__ is not dict:
            raise mismatch_error(raw, type_)
        if texts and _ONLY_TEXT.issuperset(map(type, raw.values())):
            return raw
        decoded = _decode_elements(decode_element, raw.values(), raw)
        return raw if decoded is None else dict(zip(raw, decoded, strict=True))

    return decode_map


def _decode_elements(
    decode_element: Decode, values: Iterable[Value], steps: Iterable[int | str]
) -> list[Value] | None:
    """The decoded elements; ``None`` if all decode to themselves. Collects all errors."""
    decoded: list[Value] = []
    failed: dict[int, DecodeError] = {}
    is_same = True
    for value in values:
        try:
            element = decode_element(value)
        except DecodeError as error:
            failed[len(decoded)] = error
            element = value
        if element is not value:
            is_same = False
        decoded.append(element)
    if failed:
        names = [str(step) for step in steps]
        raise DecodeError(
            error.with_element(names[place])
            for place, failure in failed.items()
            for error in failure.errors
        )
    return None if is_same else decoded


def _text(type_: GoType, *, lenient: bool) -> Decode:
    def decode_text(raw: Value) -> Value:
        if raw.__class__ is str:
            return raw
        if raw is None:
            return ""
        if lenient and isinstance(raw, bool | int | float):
            return format_yaml_number(raw)
        raise mismatch_error(raw, type_)

    return decode_text


def _bool(type_: GoType) -> Decode:
    def decode_bool(raw: Value) -> Value:
        if raw.__class__ is bool:
            return raw
        if raw is None:
            return False
        raise mismatch_error(raw, type_)

    return decode_bool


def _integer(type_: GoType, bounds: range) -> Decode:
    def decode_integer(raw: Value) -> Value:
        if raw is None:
            return 0
        number = parse_integer(raw) if raw.__class__ in (int, float) else None
        if number is None or number not in bounds:
            raise mismatch_error(raw, type_)
        return number

    return decode_integer


# A directive of a strategic merge patch is any JSON, as fieldsV1 is.
_DIRECTIVE = _FieldDecoder(Field("", FIELDS_V1, ""), (), Mode.PATCH)


def format_yaml_number(value: bool | float) -> str:
    """Format a number for a string field: strconv's shortest %g with 32 bits.

    >>> format_yaml_number(True), format_yaml_number(80), format_yaml_number(0.1)
    ('true', '80', '0.1')
    >>> format_yaml_number(1e6), format_yaml_number(1.123456789)
    ('1e+06', '1.1234568')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return format_float(round_to_float32(value), "g", bits=32)
