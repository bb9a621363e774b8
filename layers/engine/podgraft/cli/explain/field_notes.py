"""Notes about fields with which kube-apiserver or kubectl rejects an object.

podgraft reviews such an object as kube-apiserver sends it, so a decision is not enough. A note
changes no decision. Source of the required fields: pkg/apis/core/validation.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import workload
from podgraft.kube.document_reader import format_value
from podgraft.kube.unknown_fields import UnknownField, find_unknown_fields

_MANY = 5


def find_field_notes(value: Object) -> Iterator[str]:
    """Yield a note for each unknown field of an object, and for a pod without containers."""
    yield from map(_describe_unknown, islice(find_unknown_fields(value), _MANY))
    path = workload.find_pod_template_path(value, workload.ALL_KINDS)
    if path is None:
        return
    spec: JSON = value
    for key in path.spec:
        spec = spec.get(key) if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not spec.get("containers"):
        yield f"{'.'.join(path.spec)}.containers: is missing, so kube-apiserver rejects the object"


def _describe_unknown(field: UnknownField) -> str:
    similar = get_close_matches(field.name, field.available, n=1)
    remedy = f"did you mean {similar[0]}?" if similar else "kube-apiserver drops it"
    return f"unknown field {format_value(field.path)}; {remedy}"
