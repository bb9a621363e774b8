"""What an expression can name: variables, functions, types and their fields."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from .overloads import Overload
from .types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
    parameter,
    parse_type,
    struct_of,
    type_of,
)
from .values import Uint

# The fields of named types, as signatures: type to field to its type.
Structs: TypeAlias = Mapping[str, Mapping[str, str]]

OBJECT, JSON_PATCH = "Object", "JSONPatch"
# A field that JSONPatch does not have is of no type, in cel-go's view.
_NO_TYPE = Type("unspecified", "")

# The types of literals.
CONSTANTS: Mapping[type[object], Type] = {
    type(None): NULL,
    bool: BOOL,
    int: INT,
    Uint: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
}
# The types whose names are values.
NAMED_TYPES: Mapping[str, Type] = {
    **{type_.name: type_ for type_ in (BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, TYPE)},
    **{type_.name: type_ for type_ in (DURATION, TIMESTAMP)},
    "list": list_of(DYN),
    "map": map_of(DYN, DYN),
    "optional_type": optional_of(parameter("A")),
    "net.IP": parse_type("net.IP"),
    "net.CIDR": parse_type("net.CIDR"),
}
# Kubernetes' provider of types has these names, which no value has.
_NAMES_ALONE = frozenset(("duration", "timestamp"))
_WRAPPED = {
    "Bool": BOOL,
    "Bytes": BYTES,
    "Double": DOUBLE,
    "Float": DOUBLE,
    "Int32": INT,
    "Int64": INT,
    "String": STRING,
    "UInt32": UINT,
    "UInt64": UINT,
}
WRAPPERS = {
    f"google.protobuf.{name}Value": type_._replace(wrapper=True) for name, type_ in _WRAPPED.items()
}
_SECONDS = {"seconds": INT, "nanos": INT}
_JSON = {
    "google.protobuf.Value": DYN,
    "google.protobuf.Struct": map_of(STRING, DYN),
    "google.protobuf.ListValue": list_of(DYN),
}
# Protobuf's own messages that can be constructed, with their fields.
_MESSAGES: Mapping[str, Mapping[str, Type]] = {
    **{name: {"value": type_._replace(wrapper=False)} for name, type_ in WRAPPERS.items()},
    "google.protobuf.Value": {
        "null_value": INT,
        "number_value": DOUBLE,
        "string_value": STRING,
        "bool_value": BOOL,
        "struct_value": _JSON["google.protobuf.Struct"],
        "list_value": _JSON["google.protobuf.ListValue"],
    },
    "google.protobuf.Struct": {"fields": _JSON["google.protobuf.Struct"]},
    "google.protobuf.ListValue": {"values": _JSON["google.protobuf.ListValue"]},
    DURATION.name: _SECONDS,
    TIMESTAMP.name: _SECONDS,
}

# Gives the type of a field by its name.
FieldTypes: TypeAlias = Callable[[str], Type | None]


@dataclass(frozen=True, slots=True)
class Declarations:
    """The names of one environment; ``patch_types`` has the constructors of mutations."""

    functions: Mapping[str, Sequence[Overload]]
    variables: Mapping[str, Type]
    structs: Structs = field(default_factory=dict[str, Mapping[str, str]])
    patch_types: bool = False

    def find_function(self, name: str) -> Sequence[Overload]:
        """The overloads of a function, in the order of their declaration."""
        return self.functions.get(name, ())

    def find_name(self, name: str) -> Type | None:
        """The type of a variable, or of the name of a type."""
        type_ = self.variables.get(name)
        if type_ is not None:
            return type_
        found = self.find_type(name)
        return None if found is None else type_of(found[0])

    def find_type(self, name: str) -> tuple[Type, str] | None:
        """The type of a name, and the name that it has its fields under where it can be made."""
        type_ = WRAPPERS.get(name) or _JSON.get(name) or NAMED_TYPES.get(name)
        if type_ is not None:
            return type_, name if name in _MESSAGES else ""
        if name in _NAMES_ALONE:
            return struct_of(name), ""
        if name in self.structs or (self.patch_types and _is_patch_type(name)):
            return struct_of(name), name
        return None

    def find_fields(self, struct: str) -> FieldTypes | None:
        """The fields of a struct; none for a type that has none."""
        if struct in self.structs:
            fields = self.structs[struct]
            return lambda name: parse_type(fields[name]) if name in fields else None
        if struct in _MESSAGES:
            return _MESSAGES[struct].get
        if self.patch_types and struct == JSON_PATCH:
            return _patch_field
        if self.patch_types and _is_patch_type(struct):
            return lambda _name: DYN
        return None


def _is_patch_type(name: str) -> bool:
    return name in {OBJECT, JSON_PATCH} or name.startswith(f"{OBJECT}.")


def _patch_field(name: str) -> Type:
    return {"op": STRING, "from": STRING, "path": STRING, "value": DYN}.get(name, _NO_TYPE)


_SIGNATURES = 512


@lru_cache(maxsize=_SIGNATURES)
def signature_of(
    parameters: tuple[str, ...], result: str
) -> tuple[tuple[Type, ...], Type, tuple[str, ...]]:
    """The types of an overload's parameters and result, and the names of its type parameters."""
    types = tuple(map(parse_type, parameters))
    result_type = parse_type(result)
    names: dict[str, None] = {}
    for type_ in (*types, result_type):
        _collect_parameters(type_, names)
    return types, result_type, tuple(names)


def _collect_parameters(type_: Type, names: dict[str, None]) -> None:
    if type_.kind == "param":
        names[type_.name] = None
    for each in type_.parameters:
        _collect_parameters(each, names)
