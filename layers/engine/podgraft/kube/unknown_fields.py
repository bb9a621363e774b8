"""Fields that the Go type of an object does not have, as strict decoding finds them.

Source: sigs.k8s.io/json, ``unknown field "spec.x"``. kube-apiserver drops them, or rejects the
object with ``fieldValidation=Strict``.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType, Kind, fields_by_key

from .json_codecs import SELF_MARSHALING
from .types import NEWEST, object_type

# A newer release can have the field.
UNKNOWN = f"Kubernetes 1.{NEWEST} drops it"

_INDEX = re.compile(r"\[[0-9]+\]")
_ELEMENTS = frozenset({Kind.SLICE, Kind.MAP, Kind.POINTER})


class UnknownField(NamedTuple):
    """The path of a field, such as ``spec.container``, its name, and the names in its place."""

    path: str
    name: str
    available: tuple[str, ...]


def drop_indexes(path: str) -> str:
    """Return the path of a field, the same for all elements of a list.

    >>> drop_indexes("spec.containers[1].ports[0].name")
    'spec.containers.ports.name'
    """
    return _INDEX.sub("", path)


def find_unknown_fields(value: Object) -> Iterator[UnknownField]:
    """Yield the unknown fields of an object; none for a kind without a Go type."""
    type_ = object_type(value)
    if type_ is not None:
        yield from _find_unknown(type_, value, "")


def _find_unknown(type_: GoType, value: JSON, path: str) -> Iterator[UnknownField]:
    if type_ in SELF_MARSHALING:
        return
    if type_.kind in _ELEMENTS and type_.elem is not None:
        for suffix, element in _elements(type_, value):
            yield from _find_unknown(type_.elem, element, f"{path}{suffix}")
    elif type_.kind is Kind.STRUCT and isinstance(value, dict):
        fields = fields_by_key(type_)
        for key, element in value.items():
            name = f"{path}.{key}".removeprefix(".")
            if key in fields:
                yield from _find_unknown(fields[key].type, element, name)
            else:
                yield UnknownField(name, key, (*fields,))


def _elements(type_: GoType, value: JSON) -> Iterator[tuple[str, JSON]]:
    """Yield each element with its part of the path; a pointer has one."""
    if type_.kind is Kind.POINTER:
        yield "", value
    elif isinstance(value, dict):
        yield from ((f".{key}", element) for key, element in value.items())
    elif isinstance(value, list):
        yield from ((f"[{index}]", element) for index, element in enumerate(value))
