"""What can be wrong with a strategic merge patch, in our words and in Go's."""

from podgraft.jsonvalue import JSON, Object, format_float_like_go
from podgraft.patch.pointer import escape

GO_MAP = "map[string]interface {}"
GO_LIST = "[]interface {}"


class MergeError(ValueError):
    """The patch cannot be laid over the target.

    ``path`` points into the patch (RFC 6901). ``problem`` names no value; ``go`` is the text of
    apimachinery's own error, which may quote whole maps, so it belongs in no log.
    """

    def __init__(self, problem: str, go: str, path: str = "") -> None:
        super().__init__(problem, go, path)
        self.problem = problem
        self.go = go
        self.path = path

    def with_prefix(self, step: str | int) -> "MergeError":
        """The same fault, seen from one level further out."""
        return MergeError(self.problem, self.go, f"/{escape(str(step))}{self.path}")

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.problem}"


def wrong_type_error(expected: str, value: JSON) -> MergeError:
    """A map or list was needed and something else stands there."""
    got = _GO_TYPES[type(value)]
    wanted = "an object" if expected == GO_MAP else "a list"
    return MergeError(
        f"expected {wanted}, got {_WORDS[type(value)]}",
        f"expected a {expected}, but received a {got or '%!s(<nil>)'}",
    )


def missing_merge_key_error(element: Object, key: str) -> MergeError:
    """An element of a list merged by key lacks the key."""
    return MergeError(
        f"this list is merged by {key!r}, and an element has none; give every element its {key!r}",
        f"map: {format_v(element)} does not contain declared merge key: {key}",
    )


def unknown_directive_error(directive: JSON, patch: Object) -> MergeError:
    """``$patch`` holds a word that means nothing here."""
    return MergeError(
        'the value of $patch is not known here; use "replace" or "delete"',
        f"unknown patch type: {format_s(directive)} in map: {format_v(patch)}",
    )


def bad_directive_error(directive: str, go_name: str) -> MergeError:
    """A ``$`` directive other than ``$patch`` is not built as it must be."""
    return MergeError(
        f"{directive} does not have the form it needs, or does not fit the patch beside it",
        f"invalid patch format of {go_name}",
    )


def mixed_elements_error(*lists: list[JSON]) -> MergeError:
    """The elements of the lists to merge differ in type."""
    return MergeError(
        "the elements of the two lists are not all of one type",
        f"list element types are not identical: {format_v(list(lists))}",
    )


def incomparable_error(value: JSON) -> MergeError:
    """An object or list stands where Go compares values, and Go would panic."""
    return MergeError(
        f"{_WORDS[type(value)]} stands where only a text or number can",
        f"panic: comparing uncomparable type {_GO_TYPES[type(value)]}",
    )


def format_v(value: JSON) -> str:
    """A decoded JSON value as Go's ``%v`` prints it."""
    match value:
        case str():
            return value
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case list():
            return f"[{' '.join(map(format_v, value))}]"
        case dict():
            return f"map[{' '.join(f'{key}:{format_v(value[key])}' for key in sorted(value))}]"
        case _:
            return format_float_like_go(value)


def format_s(value: JSON) -> str:
    """A decoded JSON value as Go's ``%s`` prints it, which only fits strings."""
    match value:
        case str():
            return value
        case list():
            return f"[{' '.join(map(_format_inner, value))}]"
        case dict():
            members = (f"{key}:{_format_inner(value[key])}" for key in sorted(value))
            return f"map[{' '.join(members)}]"
        case None:
            return "%!s(<nil>)"
        case _:
            return f"%!s({_GO_TYPES[type(value)]}={format_v(value)})"


def _format_inner(value: JSON) -> str:
    return "<nil>" if value is None else format_s(value)


_GO_TYPES: dict[type, str] = {
    dict: GO_MAP,
    list: GO_LIST,
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    type(None): "",
}
_WORDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
