"""The types of the checker, and their two spellings.

Problems and Kubernetes' messages about results spell some types differently: ``duration`` and
``google.protobuf.Duration``, ``null`` and ``null_type``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple


class Type(NamedTuple):
    """A type; ``kind`` is its general category. A wrapper is a primitive that can be null."""

    kind: str
    name: str
    parameters: tuple[Type, ...] = ()
    wrapper: bool = False


DYN = Type("dyn", "dyn")
ANY = Type("any", "google.protobuf.Any")
ERROR = Type("error", "*error*")
NULL = Type("null", "null_type")
BOOL, INT, UINT, DOUBLE, STRING, BYTES = (
    Type(name, name) for name in ("bool", "int", "uint", "double", "string", "bytes")
)
DURATION = Type("duration", "google.protobuf.Duration")
TIMESTAMP = Type("timestamp", "google.protobuf.Timestamp")
TYPE = Type("type", "type")

_DYNAMIC = frozenset(("dyn", "any"))
_NULLABLE = frozenset(("opaque", "struct", "any", "duration", "timestamp", "null", "dyn"))


def list_of(element: Type) -> Type:
    """``list(element)``."""
    return Type("list", "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """``map(key, value)``."""
    return Type("map", "map", (key, value))


def optional_of(value: Type) -> Type:
    """``optional_type(value)``."""
    return Type("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    """``type(value)``, the type of a type."""
    return Type("type", "type", (value,))


def struct_of(name: str) -> Type:
    """An object type."""
    return Type("struct", name)


def parameter(name: str) -> Type:
    """A type parameter."""
    return Type("param", name)


def is_dyn(type_: Type) -> bool:
    """Whether any value has the type."""
    return type_.kind in _DYNAMIC


def is_dyn_or_error(type_: Type) -> bool:
    """Whether nothing about a value can be checked."""
    return type_.kind in _DYNAMIC or type_.kind == "error"


def is_optional(type_: Type) -> bool:
    """Whether the type is an optional."""
    return type_.kind == "opaque" and type_.name == "optional_type"


def unwrap_optional(type_: Type) -> Type:
    """The type in an optional, any other as it is."""
    return type_.parameters[0] if is_optional(type_) else type_


def is_nullable(type_: Type) -> bool:
    """Whether null is assignable to the type."""
    return type_.kind in _NULLABLE or type_.wrapper


def is_exact(left: Type, right: Type) -> bool:
    """Whether two types are the same; a wrapper is its primitive."""
    if left == right:
        return True
    return (
        left.kind == right.kind
        and left.name == right.name
        and len(left.parameters) == len(right.parameters)
        and all(map(is_exact, left.parameters, right.parameters))
    )


def rename_parameters(type_: Type, fresh: Mapping[str, Type]) -> Type:
    """The type with other names or types for its parameters."""
    if type_.kind == "param":
        return fresh[type_.name]
    if not type_.parameters:
        return type_
    return type_._replace(
        parameters=tuple(rename_parameters(each, fresh) for each in type_.parameters)
    )


_SHOWN = {kind: kind for kind in ("any", "duration", "timestamp", "null")} | {"error": "!error!"}


def show_type(type_: Type) -> str:
    """A type as problems show it (cel-go checker/format.go)."""
    shown = _SHOWN.get(type_.kind)
    if shown is not None:
        return shown
    if not type_.parameters:
        return _declared_name(type_)
    return f"{type_.name}({', '.join(map(show_type, type_.parameters))})"


def spell_type(type_: Type) -> str:
    """A type as messages about the result of an expression show it (cel-go types.Type.String)."""
    if type_.kind == "param":
        return f"<{type_.name}>"
    if not type_.parameters:
        return _declared_name(type_)
    return f"{_declared_name(type_)}({', '.join(map(spell_type, type_.parameters))})"


def _declared_name(type_: Type) -> str:
    return f"wrapper({type_.name})" if type_.wrapper else type_.name


_PRIMITIVES = (BOOL, INT, UINT, DOUBLE, STRING, BYTES)
_NAMED = {each.kind: each for each in (*_PRIMITIVES, DYN, ANY, NULL, DURATION, TIMESTAMP, TYPE)}
_OPAQUE = frozenset(("optional_type", "net.IP", "net.CIDR"))
_TYPES_IN_TABLES = 256


def variable_signature(type_: Type) -> str:
    """The signature of a policy's variable with values of a type.

    Kubernetes keeps simple types, lists and maps; all else is ``dyn`` there
    (plugin/cel/composition.go).
    """
    if type_.kind in {"list", "map"}:
        return f"{type_.kind}({','.join(map(variable_signature, type_.parameters))})"
    return type_.kind if type_.kind in _NAMED and type_ != TYPE and not type_.wrapper else "dyn"


@lru_cache(maxsize=_TYPES_IN_TABLES)
def parse_type(text: str) -> Type:
    """Return the type of a signature, such as ``map(string,list(A))``."""
    outer, _, inner = text.partition("(")
    if len(outer) == 1 and outer.isupper():
        return parameter(outer)
    parameters = tuple(map(parse_type, _split(inner[:-1]))) if inner else ()
    match outer:
        case "list" | "map":
            return Type(outer, outer, parameters)
        case "type" if parameters:
            return type_of(parameters[0])
        case _ if outer in _OPAQUE:
            return Type("opaque", outer, parameters)
        case _:
            return _NAMED.get(outer) or struct_of(outer)


def _split(text: str) -> list[str]:
    """Split at the commas outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts
