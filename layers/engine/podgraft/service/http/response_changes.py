"""What differs between two responses to one review, without any value.

Only the check of a deployment needs this module (``deployment_check.py``).
"""

from base64 import b64decode
from collections.abc import Sequence
from typing import Any, cast

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.patch import apply
from podgraft.kube.patch.kinds import find_changes

# The line for responses that differ in their bytes only, such as the order of operations.
BYTES = "replace bytes"


def find_response_changes(original: JSON, before: Object, after: Object) -> tuple[str, ...]:
    """Return the sorted lines for two responses; each has a status code and a body.

    Never empty: the bodies differ at least in their bytes.
    """
    old, new = _parse_response(original, before), _parse_response(original, after)
    return find_changes({"object": original}, old, new) or (BYTES,)


def _parse_response(original: JSON, response: Object) -> Object:
    """Return the fields of a response, with the patched object instead of the patch."""
    fields: Object = {"code": response["code"]}
    try:
        document = cast("dict[str, Any]", jsonvalue.load(str(response["body"]).encode()))
        review: dict[str, Any] = document.get("response") or {}
        patch = review.get("patch")
        operations = jsonvalue.load(b64decode(patch)) if patch else []
        patched = apply(original, cast("Sequence[dict[str, Any]]", operations))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return {**fields, "unreadable": response["body"]}  # its value is never part of a line
    rest = {key: value for key, value in review.items() if key != "patch"}
    envelope = {key: value for key, value in document.items() if key != "response"}
    return {**fields, "review": envelope, "response": rest, "object": patched}
