"""Conversion of numbers and booleans in YAML files to the strings that Kubernetes expects.

``value: 80`` in an environment variable is an error for kube-apiserver. Tools that first read the
file into typed objects, such as istioctl, convert it to the string ``"80"``.
"""

from podgraft import kube
from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import Field, GoType, Kind
from podgraft.golang.reflect.fields import fields_by_key


def coerce_to_string(type_: GoType, value: JSON) -> JSON:
    """Return ``value`` with numbers and booleans as text if ``type_`` has strings there.

    Unknown fields stay unchanged. If nothing changes, the result is the same object.
    """
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    match target.kind, value:
        case Kind.STRING, bool() | int() | float():
            return kube.decode(target, value, lenient=True)
        case Kind.STRUCT, dict():
            fields = fields_by_key(target)
            return _unchanged_or_new(
                value,
                {key: _coerce_field(fields.get(key), member) for key, member in value.items()},
            )
        case Kind.MAP, dict() if target.elem:
            elem = target.elem
            return _unchanged_or_new(
                value, {key: coerce_to_string(elem, element) for key, element in value.items()}
            )
        case Kind.SLICE, list() if target.elem:
            elem = target.elem
            converted = [coerce_to_string(elem, element) for element in value]
            return value if all(map(_is_identical, converted, value)) else converted
        case _:
            return value


def _coerce_field(field: Field | None, value: JSON) -> JSON:
    return value if field is None else coerce_to_string(field.type, value)


def _unchanged_or_new(before: dict[str, JSON], after: dict[str, JSON]) -> JSON:
    return before if all(map(_is_identical, before.values(), after.values())) else after


def _is_identical(left: object, right: object) -> bool:
    return left is right
