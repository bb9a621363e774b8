"""CEL's values as Python objects, and their equality.

==================  ==============================================================
CEL                 Python
==================  ==============================================================
null, bool, int     ``None``, ``bool``, ``int`` (64 bits; arithmetic checks)
uint                ``Uint``
double, string      ``float``, ``str``
bytes               ``bytes``
list, map           ``list``, ``dict``: raw JSON is a CEL value as it is
type                ``TypeValue``
timestamp           ``Timestamp``, nanoseconds since 1970
duration            ``Duration``, nanoseconds
optional            ``Optional``
``variables``       ``LazyMap``
struct              ``Struct``: ``Object.spec{…}``, ``JSONPatch{…}``
Quantity, IP, …     the classes of ``library``
==================  ==============================================================
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

from podgraft.golang.strconv.ftoa import format_float

from .errors import EvaluationError

# Any CEL value of the table above. Python has no narrower type for it.
Value: TypeAlias = Any

NANOSECONDS = 1_000_000_000
INT_MIN, INT_MAX = -(2**63), 2**63 - 1
UINT_MAX = 2**64 - 1


class Uint(int):
    """An unsigned integer; arithmetic on it stays unsigned and is checked."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A signed length of time."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A point in time; ``nanoseconds`` since 1970, negative before.

    ``offset`` is the seconds east of UTC that it was written with; it shows in its text alone.
    """

    nanoseconds: int
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value, which ``type(x)`` gives."""

    name: str


@dataclass(frozen=True, slots=True)
class Optional:
    """``optional.of(value)``, or ``optional.none()`` where not ``present``."""

    present: bool
    value: Value = None


NONE = Optional(present=False)


@dataclass(frozen=True, slots=True)
class Struct:
    """What ``Object.spec{…}`` or ``JSONPatch{…}`` makes: the name of its type, and its fields."""

    type_name: str
    fields: dict[str, Value]

    def find(self, field: str) -> Optional:
        """A field that is set; the texts of a ``JSONPatch`` count as set unless they are empty."""
        value = self.fields.get(field)
        is_set = field in self.fields and not (self.type_name == "JSONPatch" and value == "")
        return Optional(True, value) if is_set else NONE

    def select(self, field: str) -> Optional:
        """A field by name; a text of a ``JSONPatch`` that is not set is empty."""
        if self.type_name == "JSONPatch" and field in {"op", "path", "from"}:
            return Optional(True, self.fields.get(field, ""))
        return self.find(field)


class LazyMap:
    """``variables`` of a policy: values by name that are made when they are read."""

    __slots__ = ("_names", "_read")
    CEL_NAME = "kubernetes.variables"

    def __init__(self, names: Collection[str], read: Callable[[str], Value]) -> None:
        self._names = names
        self._read = read

    def find(self, name: Value) -> Optional:
        """The value of a name, where it is declared. Its error is raised."""
        if not isinstance(name, str) or name not in self._names:
            return NONE
        return Optional(True, self._read(name))


def is_lazy(value: Value) -> TypeGuard[LazyMap]:
    """Whether the value is ``variables``."""
    return type(value) is LazyMap


def kind(value: object) -> type[object]:
    """The Python type of a value, exactly: ``bool`` is not an ``int`` here."""
    return type(value)


def is_list(value: Value) -> TypeGuard[list[Value]]:
    """Whether the value is a list."""
    return type(value) is list


def is_map(value: Value) -> TypeGuard[dict[Value, Value]]:
    """Whether the value is a map."""
    return type(value) is dict


def is_optional(value: Value) -> TypeGuard[Optional]:
    """Whether the value is an optional."""
    return type(value) is Optional


NUMBERS: frozenset[type[object]] = frozenset({int, Uint, float})


def same_number(left: float, right: float) -> bool:
    """Whether two numbers are equal; with a double, both are compared as doubles, as in cel-go."""
    if type(left) is float or type(right) is float:
        return float(left) == float(right)
    return left == right


def has_key(mapping: Mapping[Value, Value], key: Value) -> bool:
    """Whether a map has a key; ``1``, ``1u`` and ``1.0`` are one key, ``true`` is another."""
    try:
        if key not in mapping:
            return False
    except TypeError:  # a list or map, or something with one in it
        return False
    if kind(key) is str:
        return True
    is_bool, is_double = type(key) is bool, type(key) is float
    return any(
        existing == key
        and (type(existing) is bool) == is_bool
        and (is_double or type(existing) is not float)
        for existing in mapping
    )


def is_key(value: Value) -> bool:
    """Whether the value is of a type that keys can have."""
    return kind(value) in _KEY_TYPES


def check_qualifier(index: Value) -> None:
    """Check that a value is of a type that can stand in ``[]``."""
    if not is_key(index):
        raise EvaluationError(f"invalid qualifier type: {go_name(index)}")


def go_name(value: Value) -> str:
    """The type of a value in Go, as messages of cel-go show it."""
    name = type_name(value).rpartition(".")[2].removesuffix("_type")
    if kubernetes_type(value):
        return f"cel.{name}"
    if name in {"list", "map"}:
        return f"*types.base{name.capitalize()}"
    return f"{'*' if name in {'optional', 'type'} else ''}types.{name.capitalize()}"


def check_key(key: Value) -> Value:
    """The key, where a map can have it: kube-apiserver ends in a panic for some others."""
    if isinstance(key, bytes | list | dict | Struct | LazyMap):
        raise EvaluationError(f"unsupported key type: {type_name(key)}")
    return key


_KEY_TYPES: frozenset[type[object]] = frozenset({str, int, Uint, bool, float})


_TYPE_NAMES: dict[type[object], str] = {
    type(None): "null_type",
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    dict: "map",
    TypeValue: "type",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    Optional: "optional_type",
}


def type_name(value: Value) -> str:
    """The name of a value's type, as ``type(value)`` and messages show it."""
    if type(value) is Struct:
        return value.type_name
    return _TYPE_NAMES.get(kind(value)) or kubernetes_type(value)


def kubernetes_type(value: Value) -> str:
    """The name of one of Kubernetes' own types (``library``); empty for CEL's types."""
    name = getattr(kind(value), "CEL_NAME", "")
    return str(name)


def conversion_error(value: Value, target_type: str) -> EvaluationError:
    """cel-go's error for a value that has no equal of another type."""
    return EvaluationError(f"type conversion error from '{type_name(value)}' to '{target_type}'")


def text_of(key: Value) -> str:
    """A key in a message: strings bare, booleans in small letters, doubles as Go prints them."""
    if type(key) is float:
        return format_float(key, "g")
    return str(key).lower() if type(key) is bool else str(key)


def check_int(value: int) -> int:
    """The value as a signed integer, where it fits 64 bits."""
    if not INT_MIN <= value <= INT_MAX:
        raise EvaluationError("integer overflow")
    return int(value)


def check_uint(value: int) -> Uint:
    """The value as an unsigned integer, where it fits 64 bits."""
    if not 0 <= value <= UINT_MAX:
        raise EvaluationError("unsigned integer overflow")
    return Uint(value)
