"""Numbers and bools where Kubernetes wants text, as people write them in YAML files.

``value: 80`` in an environment variable is an error to the API server, but the text ``"80"`` to
whatever reads the file into typed objects first, as kubectl and istioctl do.
"""

from __future__ import annotations

from functools import cache

from podgraft import kube
from podgraft.go.reflect import Field, GoType, Kind
from podgraft.jsonvalue import JSON


def coerce_to_string(type_: GoType, value: JSON) -> JSON:
    """``value`` with text in place of numbers and bools where ``type_`` has strings.

    What the type does not know stays as it is; the very same comes back where nothing changes.
    """
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    match target.kind, value:
        case Kind.STRING, bool() | int() | float():
            return kube.decode(target, value, lenient=True)
        case Kind.STRUCT, dict():
            fields = _fields(target)
            return _unchanged_or_new(
                value, {k: _coerce_field(fields.get(k), each) for k, each in value.items()}
            )
        case Kind.MAP, dict() if target.elem:
            elem = target.elem
            return _unchanged_or_new(
                value, {key: coerce_to_string(elem, each) for key, each in value.items()}
            )
        case Kind.SLICE, list() if target.elem:
            elem = target.elem
            changed = [coerce_to_string(elem, each) for each in value]
            return value if all(map(_is_identical, changed, value)) else changed
        case _:
            return value


def _coerce_field(field: Field | None, value: JSON) -> JSON:
    return value if field is None else coerce_to_string(field.type, value)


def _unchanged_or_new(before: dict[str, JSON], after: dict[str, JSON]) -> JSON:
    return before if all(map(_is_identical, before.values(), after.values())) else after


def _is_identical(left: object, right: object) -> bool:
    return left is right


@cache
def _fields(type_: GoType) -> dict[str, Field]:
    """The fields by JSON name, those of embedded structs included."""
    flat: dict[str, Field] = {}
    for field in type_.fields:
        flat |= _fields(field.type) if field.inline else {field.json: field}
    return flat
