"""JSON Patch operations (RFC 6902): the three kinds of ``diff``, and ``apply`` for all kinds."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON


class Add(TypedDict):
    """Set a member of an object, or insert before an index of a list."""

    op: Literal["add"]
    path: str
    value: JSON


class Remove(TypedDict):
    """Remove the value at the path."""

    op: Literal["remove"]
    path: str


class Replace(TypedDict):
    """Replace the value at the path."""

    op: Literal["replace"]
    path: str
    value: JSON


Operation: TypeAlias = Add | Remove | Replace


class PatchError(ValueError):
    """The patch is malformed, or does not apply to the document."""


def apply(document: JSON, operations: Sequence[Operation]) -> JSON:
    """Apply the operations in order to a copy of the document.

    The aliases of a YAML document share values. In the copy, each value has only one path.
    """
    import jsonpatch  # an import of 20 ms that no webhook request needs
    import jsonpointer

    try:
        return jsonpatch.apply_patch(jsonvalue.copy(document), list(operations), in_place=True)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as error:
        raise PatchError(f"the patch does not apply: {error}") from error
