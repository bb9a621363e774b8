"""The errors of strategic merge patch, with messages for operators and with Go's error texts."""

from podgraft.base.jsonvalue import JSON, Object, describe_type
from podgraft.golang.fmt.sprintf import format_default, sprintf
from podgraft.golang.reflect import INT64, Value, type_of
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
    got = _name_type(value)
    description = "an object" if expected == GO_MAP else "a list"
    return MergeError(
        f"expected {description}, got {describe_type(value)}",
        f"expected a {expected}, but received a {got or '%!s(<nil>)'}",
    )


def missing_merge_key_error(element: Object, key: str) -> MergeError:
    """An element without the merge key of its list."""
    return MergeError(
        f"an element has no merge key {key!r}; add {key!r} to each element of the list",
        f"map: {format_default(element)} does not contain declared merge key: {key}",
    )


def unknown_directive_error(directive: JSON, patch: Object) -> MergeError:
    """An unknown value of ``$patch``."""
    formatted = sprintf("%s", (_to_go(directive),))
    return MergeError(
        'unknown value of $patch; use "replace" or "delete"',
        f"unknown patch type: {formatted} in map: {format_default(patch)}",
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
        f"list element types are not identical: {format_default(list(lists))}",
    )


def incomparable_error(value: JSON) -> MergeError:
    """An object or list that Go would compare with a panic."""
    return MergeError(
        f"expected a string or a number, got {describe_type(value)}",
        f"panic: comparing uncomparable type {_name_type(value)}",
    )


def _name_type(value: JSON) -> str:
    """The Go type of a decoded JSON value; nothing for null."""
    return "" if value is None else str(type_of(_to_go(value)))


def _to_go(value: JSON) -> Value:
    """The value as apimachinery decodes it: integers are int64."""
    match value:
        case bool():
            return value
        case int():
            return INT64.convert(value)
        case list():
            return [_to_go(element) for element in value]
        case dict():
            return {key: _to_go(member) for key, member in value.items()}
        case _:
            return value
