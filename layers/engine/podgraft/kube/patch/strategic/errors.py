"""The errors of strategic merge patch, with messages for operators and with Go's error texts."""

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.strconv.ftoa import format_float
from podgraft.kube.patch.pointer import escape

GO_MAP = "map[string]interface {}"
GO_LIST = "[]interface {}"


class MergeError(ValueError):
    """The patch cannot be merged into the target.

    ``path`` is a JSON Pointer into the patch. ``problem`` contains no value. ``go`` is the error
    text of apimachinery, which can quote complete maps, so it must not be logged.
    """

    def __init__(self, problem: str, go: str, path: str = "") -> None:
        super().__init__(problem, go, path)
        self.problem = problem
        self.go = go
        self.path = path

    def with_prefix(self, step: str | int) -> "MergeError":
        """Return the error with a path that starts one level further out."""
        return MergeError(self.problem, self.go, f"/{escape(str(step))}{self.path}")

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.problem}"


def unexpected_type_error(expected: str, value: JSON) -> MergeError:
    """A value that is not of the expected type, a map or a list."""
    got = _GO_TYPES[type(value)]
    description = "an object" if expected == GO_MAP else "a list"
    return MergeError(
        f"expected {description}, got {_TYPE_DESCRIPTIONS[type(value)]}",
        f"expected a {expected}, but received a {got or '%!s(<nil>)'}",
    )


def missing_merge_key_error(element: Object, key: str) -> MergeError:
    """An element without the merge key of its list."""
    return MergeError(
        f"an element has no merge key {key!r}; add {key!r} to each element of the list",
        f"map: {format_v(element)} does not contain declared merge key: {key}",
    )


def unknown_directive_error(directive: JSON, patch: Object) -> MergeError:
    """An unknown value of ``$patch``."""
    return MergeError(
        'unknown value of $patch; use "replace" or "delete"',
        f"unknown patch type: {format_s(directive)} in map: {format_v(patch)}",
    )


def invalid_directive_error(directive: str, go_name: str) -> MergeError:
    """A malformed ``$`` directive other than ``$patch``."""
    return MergeError(
        f"{directive} is malformed, or does not match the rest of the patch",
        f"invalid patch format of {go_name}",
    )


def mixed_elements_error(*lists: list[JSON]) -> MergeError:
    """Lists with elements of different types."""
    return MergeError(
        "the elements of the two lists have different types",
        f"list element types are not identical: {format_v(list(lists))}",
    )


def incomparable_error(value: JSON) -> MergeError:
    """An object or list that Go would compare with a panic."""
    return MergeError(
        f"expected a string or a number, got {_TYPE_DESCRIPTIONS[type(value)]}",
        f"panic: comparing uncomparable type {_GO_TYPES[type(value)]}",
    )


def format_v(value: JSON) -> str:
    """Format a decoded JSON value as Go's ``%v``."""
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
            return format_float(value, "g")


def format_s(value: JSON) -> str:
    """Format a decoded JSON value as Go's ``%s``, which supports only strings."""
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
_TYPE_DESCRIPTIONS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
