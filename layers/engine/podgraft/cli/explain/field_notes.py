"""Notes about fields with which kube-apiserver or kubectl rejects an object.

podgraft reviews such an object as kube-apiserver sends it, so a decision is not enough. A note
changes no decision. Sources: strict decoding (sigs.k8s.io/json, ``unknown field "spec.x"``), and
the required fields in pkg/apis/core/validation.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import Field, GoType, Kind
from podgraft.kube import SELF_MARSHALING, object_type, workload
from podgraft.kube.document_reader import format_value

_MANY = 5
_ELEMENTS = frozenset({Kind.SLICE, Kind.MAP, Kind.POINTER})


def find_field_notes(value: Object) -> Iterator[str]:
    """Yield a note for each unknown field of an object, and for a pod without containers."""
    type_ = object_type(value)
    if type_ is not None:
        yield from islice(_find_unknown(type_, value, ""), _MANY)
    path = workload.find_pod_template_path(value, workload.ALL_KINDS)
    if path is None:
        return
    spec: JSON = value
    for key in path.spec:
        spec = spec.get(key) if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not spec.get("containers"):
        yield f"{'.'.join(path.spec)}.containers: is missing, so kube-apiserver rejects the object"


def _find_unknown(type_: GoType, value: JSON, path: str) -> Iterator[str]:
    if type_ in SELF_MARSHALING:
        return
    if type_.kind in _ELEMENTS and type_.elem is not None:
        for suffix, element in _elements(type_, value):
            yield from _find_unknown(type_.elem, element, f"{path}{suffix}")
    elif type_.kind is Kind.STRUCT and isinstance(value, dict):
        fields = {field.json: field for field in _flatten_fields(type_)}
        for key, element in value.items():
            name = f"{path}.{key}".removeprefix(".")
            if key in fields:
                yield from _find_unknown(fields[key].type, element, name)
            else:
                yield _describe_unknown(name, key, fields)


def _elements(type_: GoType, value: JSON) -> Iterator[tuple[str, JSON]]:
    """Yield each element with its part of the path; a pointer has one."""
    if type_.kind is Kind.POINTER:
        yield "", value
    elif isinstance(value, dict):
        yield from ((f".{key}", element) for key, element in value.items())
    elif isinstance(value, list):
        yield from ((f"[{index}]", element) for index, element in enumerate(value))


def _flatten_fields(type_: GoType) -> Iterator[Field]:
    for field in type_.fields:
        if field.inline:
            yield from _flatten_fields(field.type)
        else:
            yield field


def _describe_unknown(name: str, key: str, fields: dict[str, Field]) -> str:
    similar = get_close_matches(key, fields, n=1)
    remedy = f"did you mean {similar[0]}?" if similar else "kube-apiserver drops it"
    return f"unknown field {format_value(name)}; {remedy}"
