"""msgspec types of the usual JSON values of Go's types.

msgspec converts a value ten times as fast as ``decoding`` decodes it. A value that converts also
decodes. Other values can decode, too: those with unknown keys, with keys in another case, with
``80.0`` for an integer, or with quantities and times in rare forms.
"""

from functools import cache
from typing import Annotated, Any, TypeAlias

import msgspec

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import GoType, Kind, fields_by_key

from .json_codecs import FIELDS_V1, INT_OR_STRING
from .metav1_time import TIME
from .quantity_types import QUANTITY

# A type for msgspec. Python has no name for the type of unions and annotations.
UsualType: TypeAlias = Any

_INT32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
_INT64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_QUANTITY = r"[0-9]{1,15}(\.[0-9]{1,3})?(m|[kMGTPE]|[KMGTPE]i)?"
_DAY = (
    "((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
    "|(0[13-9]|1[0-2])-(29|30)"  # not February
    "|(0[13578]|1[02])-31)"
)
_TIME = rf"[0-9]{{4}}-{_DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"


def _text(pattern: str) -> UsualType:
    return Annotated[str, msgspec.Meta(pattern=rf"\A{pattern}\Z")]


_TYPES: dict[GoType, UsualType] = {
    FIELDS_V1: Any,
    INT_OR_STRING: _INT32 | str,
    QUANTITY: _text(_QUANTITY),
    TIME: _text(_TIME),
}
_SCALARS: dict[Kind, UsualType] = {
    Kind.BOOL: bool,
    Kind.INT: _INT64,
    Kind.INT32: _INT32,
    Kind.INT64: _INT64,
    Kind.STRING: str,
}


def is_usual(type_: GoType, raw: JSON) -> bool:
    """Whether a value has the usual form of its type, so it decodes."""
    try:
        msgspec.convert(raw, make_type(type_))
    except msgspec.ValidationError:
        return False
    return True


@cache
def make_type(type_: GoType) -> UsualType:
    """The usual values of a Go type, and null. A pod's types take 9 ms."""
    if type_ in _TYPES:
        return _TYPES[type_] | None
    match type_.kind, type_.elem:
        case Kind.STRUCT, _:
            return _make_struct(type_) | None
        case Kind.POINTER, GoType() as target:
            return make_type(target)
        case Kind.SLICE, GoType() as elem:
            return list[make_type(elem)] | None
        case Kind.MAP, GoType() as elem:
            return dict[str, make_type(elem)] | None
        case kind, _:
            return _SCALARS[kind] | None


def _make_struct(type_: GoType) -> UsualType:
    fields = {f"field{number}": field for number, field in enumerate(fields_by_key(type_).values())}
    return msgspec.defstruct(
        type_.name.replace(".", "_"),
        [(attribute, make_type(field.type), None) for attribute, field in fields.items()],
        rename={attribute: field.json for attribute, field in fields.items()},
        forbid_unknown_fields=True,
        gc=False,  # the garbage collector need not visit them
    )
