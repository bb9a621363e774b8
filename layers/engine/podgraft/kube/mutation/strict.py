"""The check of a patched object: kube-apiserver decodes it strictly.

Unknown fields and values of wrong types are errors, for Kubernetes' kinds only: a custom resource
keeps what it has, and its own schema is checked later.
"""

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.decode_errors import json_type_name
from podgraft.kube.structured import Schema
from podgraft.kube.structured.validation import Validator
from podgraft.kube.unknown_fields import drop_indexes


class StrictDecodingError(Exception):
    """An object that does not decode after a JSON Patch."""


def check_decodes(schema: Schema, before: Object, after: JSON, ref: str) -> Object:
    """Return the patched object; raises ``StrictDecodingError``."""
    if not isinstance(after, dict):
        raise StrictDecodingError("the patched document is not an object")
    after = _restore_kind(before, after)
    if schema.is_custom(ref):
        return after
    # Fields of newer releases, which the object had before, remain, also if their element moves.
    validator = Validator(schema, names_keys=False)
    known = {drop_indexes(str(error)) for error in validator.check(before, ref)}
    errors = [
        error for error in validator.check(after, ref) if drop_indexes(str(error)) not in known
    ]
    unknown = [error for error in errors if error.message.startswith("field not declared")]
    if unknown:
        listed = ", ".join(f'unknown field "{error.path.removeprefix(".")}"' for error in unknown)
        raise StrictDecodingError(f"strict decoding error: {listed}")
    type_ = kube.object_type(after)
    if type_ is not None:
        try:
            kube.check(type_, after)
        except kube.DecodeError as error:
            raise StrictDecodingError(str(error)) from error
    elif errors:
        raise StrictDecodingError(f"strict decoding error: {errors[0]}")
    return after


def _restore_kind(before: Object, after: Object) -> Object:
    """The object with its kind, which a patch can remove, but not change."""
    for key in ("apiVersion", "kind"):
        value = after.get(key)
        if value is not None and not isinstance(value, str):
            problem = f"cannot unmarshal {json_type_name(value)} into Go struct field .{key}"
            raise StrictDecodingError(
                f"couldn't get version/kind; json parse error: json: {problem} of type string"
            )
        if value and value != before.get(key):
            kind, version = after.get("kind"), after.get("apiVersion")
            raise StrictDecodingError(f'no kind "{kind}" is registered for version "{version}"')
        after = {**after, key: before.get(key)}
    return after
