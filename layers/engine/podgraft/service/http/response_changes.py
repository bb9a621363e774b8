"""What differs between two responses to one review, without any value.

Only the check of a deployment needs this module (``deployment_check.py``).
"""

from base64 import b64decode
from collections.abc import Sequence
from typing import Any, cast

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.patch import pointer
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
        patched = _apply(original, cast("Sequence[dict[str, Any]]", operations))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return {**fields, "unreadable": response["body"]}  # its value is never part of a line
    rest = {key: value for key, value in review.items() if key != "patch"}
    envelope = {key: value for key, value in document.items() if key != "response"}
    return {**fields, "review": envelope, "response": rest, "object": patched}


def _apply(document: JSON, operations: Sequence[dict[str, Any]]) -> JSON:
    """Apply the operations that podgraft writes: the layers contain no library for JSON Patch."""
    root: dict[str, Any] = {"": jsonvalue.copy(document)}
    for operation in operations:
        *path, last = ("", *pointer.parse(operation["path"]))
        parent: Any = root
        for token in path:
            parent = parent[_key(parent, token)]
        key = _key(parent, last)
        if operation["op"] == "remove":
            del parent[key]
        elif operation["op"] == "add" and isinstance(parent, list):
            cast("list[Any]", parent).insert(cast("int", key), operation["value"])
        elif operation["op"] in {"add", "replace"}:
            parent[key] = operation["value"]
        else:
            raise ValueError("unsupported operation")
    return root[""]


def _key(parent: Any, name: str) -> int | str:
    """Return the index of a list, or the key of a map; ``-`` is the end of a list."""
    if not isinstance(parent, list):
        return name
    return len(cast("list[Any]", parent)) if name == "-" else int(name)
