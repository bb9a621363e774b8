"""JSON Patch operations (RFC 6902) of the three kinds that ``diff`` writes, and applying any."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from podgraft.jsonvalue import JSON


class Add(TypedDict):
    """Set a member of an object, or insert before an index of a list."""

    op: Literal["add"]
    path: str
    value: JSON


class Remove(TypedDict):
    """Take out what stands at the path."""

    op: Literal["remove"]
    path: str


class Replace(TypedDict):
    """Put another value where one stands."""

    op: Literal["replace"]
    path: str
    value: JSON


Operation: TypeAlias = Add | Remove | Replace


class PatchError(ValueError):
    """The patch is malformed, or does not fit the document."""


def apply(document: JSON, operations: Sequence[Operation]) -> JSON:
    """The document after the operations, in order; the document itself stays as it is."""
    import jsonpatch  # 20 ms of import that no webhook request needs
    import jsonpointer

    try:
        return jsonpatch.apply_patch(document, list(operations))
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as error:
        raise PatchError(f"the patch does not apply: {error}") from error
