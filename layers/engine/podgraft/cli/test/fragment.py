"""The comparison of an object with a fragment of it."""

from collections.abc import Iterator

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, without_keys
from podgraft.kube.document_reader import format_value
from podgraft.kube.patch import pointer

# As in a strategic merge patch: the list must have no such element.
_DIRECTIVE = "$patch"
_DELETE = "delete"
# The keys that identify an element of a list, to report the element that differs.
_IDENTIFIERS = ("name", "key", "mountPath", "containerPort", "ip", "topologyKey")


def find_differences(fragment: JSON, value: JSON, path: str = "") -> Iterator[str]:
    """Yield what a value lacks of a fragment, each with its path.

    A mapping must have the keys of the fragment; null means that the key is absent. A list must
    have, for each element of the fragment, an element that contains it, in any order.
    """
    match fragment, value:
        case dict(), dict():
            for key, expected in fragment.items():
                yield from _compare_key(key, expected, value, f"{path}/{pointer.escape(key)}")
        case list(), list():
            for element in fragment:
                yield from _compare_element(element, value, path)
        case _:
            if not jsonvalue.equal(fragment, value):
                yield f"{path or '/'}: expected {format_value(fragment)}, got {_describe(value)}"


def _compare_key(key: str, expected: JSON, value: Object, path: str) -> Iterator[str]:
    if expected is None:
        if value.get(key) is not None:
            yield f"{path}: must be absent, got {_describe(value[key])}"
    elif key not in value:
        yield f"{path}: is missing, expected {_describe(expected)}"
    else:
        yield from find_differences(expected, value[key], path)


def _compare_element(element: JSON, values: list[JSON], path: str) -> Iterator[str]:
    if isinstance(element, dict) and element.get(_DIRECTIVE) == _DELETE:
        unwanted = without_keys(element, _DIRECTIVE)
        if any(_contains(value, unwanted) for value in values):
            yield f"{path}: must not have an element with {format_value(unwanted)}"
        return
    if any(_contains(value, element) for value in values):
        return
    identifier = _find_identifier(element)
    similar = [value for value in values if identifier and _contains(value, identifier)]
    if len(similar) == 1:
        name = ",".join(f"{key}={each}" for key, each in identifier.items())
        yield from find_differences(element, similar[0], f"{path}/[{name}]")
    else:
        yield f"{path}: has no element that contains {format_value(element)}"


def _contains(value: JSON, fragment: JSON) -> bool:
    return next(find_differences(fragment, value), None) is None


def _find_identifier(element: JSON) -> Object:
    if not isinstance(element, dict):
        return {}
    key = next((key for key in _IDENTIFIERS if element.get(key) is not None), None)
    return {} if key is None else {key: element[key]}


def _describe(value: JSON) -> str:
    match value:
        case dict() if value:
            return f"a mapping with {', '.join(value)}"
        case list() if value:
            return f"a list of {len(value)}"
        case _:
            return format_value(value)
