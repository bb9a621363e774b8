"""JSON Patch operations (RFC 6902): the three kinds that ``diff`` returns."""

from typing import Literal, TypeAlias, TypedDict

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
