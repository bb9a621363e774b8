"""Checks that the object of a review decodes into its Go type.

These functions raise ``UserError``, because the author of the object can fix it. Without them, each
template, condition, and merge would fail with a different error, which podgraft would report as a
configuration error.
"""

from podgraft import kube
from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType
from podgraft.kube.admission import AdmissionRequest

from .errors import UserError


def check_pod(value: JSON) -> Object:
    """Return the pod in a request; raise ``UserError`` for any other object."""
    if not isinstance(value, dict):
        raise UserError("object: expected a Pod, got none")
    kind = value.get("kind", "Pod")
    if kind != "Pod":
        raise UserError(f"object: expected a Pod, got {kind!r}")
    return _check_type(value, kube.POD)


def check_object(request: AdmissionRequest) -> Object:
    """Return the object in a request, of any kind; raise ``UserError`` if it does not decode."""
    value = request.object
    if not isinstance(value, dict):
        raise UserError(f"object: expected an object, got {jsonvalue.describe_type(value)}")
    version = "/".join(part for part in (request.kind.group, request.kind.version) if part)
    for key, expected in (("kind", request.kind.kind), ("apiVersion", version)):
        got = value.get(key, expected)
        if not isinstance(got, str):
            raise UserError(f"object /{key}: expected a string, got {jsonvalue.describe_type(got)}")
        if expected not in {"", got}:
            raise UserError(f"object /{key}: expected {expected!r}, got {got!r}")
    type_ = kube.object_type(
        {"kind": request.kind.kind or None, "apiVersion": version or None, **value}
    )
    if type_ is not None:
        return _check_type(value, type_)
    try:  # other kinds have typed metadata only; some, such as PodExecOptions, have none
        kube.check(kube.OBJECT_META, _without_managed_fields(value.get("metadata")))
    except kube.DecodeError as error:
        raise UserError(f"object /metadata does not decode: {error}") from error
    return _without_nulls(value)


def _check_type(value: Object, type_: GoType) -> Object:
    """Check an object of a kind with a Go type."""
    kind = type_.name.rpartition(".")[2]
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(value.get("spec", {}), dict):
        raise UserError(f"object: a {kind} must have metadata and spec")
    if type_ is kube.POD and "spec" not in value:
        raise UserError(f"object: a {kind} must have metadata and spec")
    check_decodes(type_, value)
    return _without_nulls(value)


def check_decodes(type_: GoType, value: Object) -> None:
    """Raise ``UserError`` if an object does not decode."""
    try:
        kube.check(type_, value | {"metadata": _without_managed_fields(value.get("metadata"))})
    except kube.DecodeError as error:
        kind, location = type_.name.rpartition(".")[2], error.location_problem
        problem = (
            f"object {location}" if location else f"object does not decode as a {kind}: {error}"
        )
        raise UserError(problem) from error


def _without_managed_fields(metadata: JSON) -> JSON:
    """Return metadata without managedFields: kube-apiserver wrote them, and their check is slow."""
    if not isinstance(metadata, dict):
        return metadata
    return {key: metadata[key] for key in metadata if key != "managedFields"}


def _without_nulls(value: Object) -> Object:
    """Return the object without nulls in its metadata, which Go drops, but CEL can read."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or None not in metadata.values():
        return value
    fields: Object = {key: field for key, field in metadata.items() if field is not None}
    return {**value, "metadata": fields}
