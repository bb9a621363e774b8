"""JSON Patch as kube-apiserver applies it: evanphx/json-patch v4, which deviates from RFC 6902.

``replace`` of a missing member adds it, and negative indexes count from the end.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, MAX_DEPTH, Object
from podgraft.golang.strconv.quote import quote

# apiserver/pkg/server/config.go, JSONPatchMaxCopyBytes.
_MAX_COPY_BYTES = 3 * 1024 * 1024
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_MISSING, _INVALID_INDEX = "missing value", "invalid index referenced"


class PatchError(ValueError):
    """The patch is malformed, or does not apply to the document."""


class FailedTestError(PatchError):
    """A ``test`` of the patch does not hold."""


class ExplicitNull(Object):
    """The value null of an operation that is no JSON text, as in MutatingAdmissionPolicy.

    The original keeps it apart from other nulls, and reads it as an empty map.
    """


_Container: TypeAlias = "Object | list[JSON]"
T = TypeVar("T")


def apply(document: JSON, operations: Sequence[Mapping[str, object]]) -> JSON:
    """Apply the operations in order to a copy of the document; raises ``PatchError``.

    The aliases of a YAML document share values. In the copy, each value has only one path.
    """
    patcher = _Patcher(_copy(document))
    for operation in operations:
        patcher.apply(cast("Mapping[str, JSON]", operation))
    return _without_marks(patcher.root)


def _copy(value: JSON) -> JSON:
    return (
        ExplicitNull() if isinstance(value, ExplicitNull) else jsonvalue.copy(_without_marks(value))
    )


def _without_marks(value: JSON) -> JSON:
    match value:
        case ExplicitNull():
            return None
        case dict():
            return {key: _without_marks(member) for key, member in value.items()}
        case list():
            return [_without_marks(element) for element in value]
        case _:
            return value


@dataclass(slots=True)
class _Patcher:
    """A document while it is patched, and the bytes that ``copy`` has added."""

    root: JSON
    copied_bytes: int = 0

    def apply(self, operation: Mapping[str, JSON]) -> None:
        """Apply one operation."""
        kind = operation.get("op")
        match kind:
            case "add":
                path = _read_path(operation, kind, "path", _MISSING)
                value = _value(operation)
                _check_depth(path, value)
                container, key = self._find(path, kind, "doc is missing path", quote(path))
                _in_context(f"error in add for path: '{path}'", _add, container, key, value)
            case "remove":
                path = _read_path(operation, kind, "path", _MISSING)
                container, key = self._find(path, kind, "doc is missing path", quote(path))
                _in_context(f"error in remove for path: '{path}'", _remove, container, key)
            case "replace":
                self._replace(operation)
            case "move":
                self._move(operation)
            case "copy":
                self._copy(operation)
            case "test":
                self._test(operation)
            case _:
                raise PatchError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")

    def _find(self, path: str, kind: str, problem: str, shown: str = "") -> tuple[_Container, str]:
        """The container of a path, and the key in it. The first part of a path is not read.

        The problem is that of a missing container; ``shown`` is the path in its error.
        """
        missing = f"{kind} operation does not apply: {problem}: {shown or path}: {_MISSING}"
        parts = path.split("/")
        node: JSON = self.root
        if len(parts) < 2 or not isinstance(node, dict | list):  # noqa: PLR2004
            raise PatchError(missing)
        for part in parts[1:-1]:
            try:
                node = _get(node, _decode(part))
            except PatchError:
                node = None
            if not isinstance(node, dict | list):
                raise PatchError(missing)
        return node, _decode(parts[-1])

    def _replace(self, operation: Mapping[str, JSON]) -> None:
        path = _read_path(operation, "replace", "path")
        value = _value(operation)
        _check_depth(path, value)
        if path == "":
            if not isinstance(value, dict | list):
                # The text of the original ends with the verb of an error that is nil.
                raise PatchError("replace operation value must be object or array: %!w(<nil>)")
            self.root = value
            return
        container, key = self._find(path, "replace", "doc is missing path")
        try:
            _get(container, key)
        except PatchError as error:
            problem = f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
            raise PatchError(problem) from error
        if isinstance(container, list):
            container[_index(key, len(container))] = value
        else:
            container[key] = value

    def _move(self, operation: Mapping[str, JSON]) -> None:
        source = _read_path(operation, "move", "from")
        container, key = self._find(source, "move", "doc is missing from path")
        value = _in_context(f"error in move for path: '{key}'", _get, container, key)
        _in_context(f"error in move for path: '{key}'", _remove, container, key)
        path = _read_path(operation, "move", "path")
        _check_depth(path, value)
        container, key = self._find(path, "move", "doc is missing destination path")
        _in_context(f"error in move for path: '{path}'", _add, container, key, value)

    def _copy(self, operation: Mapping[str, JSON]) -> None:
        source = _read_path(operation, "copy", "from")
        container, key = self._find(source, "copy", "doc is missing from path")
        value = _copy(_in_context(f"error in copy for from: '{source}'", _get, container, key))
        path = _read_path(operation, "copy", "path", _MISSING)
        _check_depth(path, value)
        container, key = self._find(path, "copy", "doc is missing destination path")
        if value is not None:
            self.copied_bytes += len(jsonvalue.dump(_without_marks(value)).encode())
        if self.copied_bytes > _MAX_COPY_BYTES:
            raise PatchError(
                "Unable to complete the copy, the accumulated size increase of copy is "
                f"{self.copied_bytes}, exceeding the limit {_MAX_COPY_BYTES}"
            )
        _in_context("error while adding value during copy", _add, container, key, value)

    def _test(self, operation: Mapping[str, JSON]) -> None:
        path = _read_path(operation, "test", "path")
        expected = _value(operation)
        if path == "":
            value = self.root
        else:
            container, key = self._find(path, "test", "is missing path")
            value = _in_context(f"error in test for path: '{path}'", _get, container, key)
        if not _holds(value, expected):
            raise FailedTestError(f"testing value {path} failed: test failed")


def _read_path(operation: Mapping[str, JSON], kind: str, key: str, cause: str | None = None) -> str:
    """The text of ``path`` or ``from``; ``cause`` replaces the cause in the error."""
    text = operation.get(key)
    if isinstance(text, str):
        return text
    missing = f"operation{',' if key == 'from' else ''} missing {key} field: {_MISSING}"
    raise PatchError(f"{kind} operation failed to decode {key}: {cause or missing}")


def _value(operation: Mapping[str, JSON]) -> JSON:
    """A copy of the value, which later operations can change; ``None`` if there is none."""
    return _copy(operation.get("value"))


def _check_depth(path: str, value: JSON) -> None:
    """Refuse a value that nests too deep at a path; each ``copy`` can double the depth."""
    if jsonvalue.is_deeper_than(max(MAX_DEPTH - path.count("/"), 0), value):
        raise PatchError(
            f"the value of path {quote(path)} is nested deeper than {MAX_DEPTH} levels"
        )


def _decode(part: str) -> str:
    """A part of a path without escapes: as strings.Replacer, from the left."""
    return re.sub("~[01]", lambda match: "/" if match[0] == "~1" else "~", part)


def _in_context(context: str, action: Callable[..., T], *arguments: object) -> T:
    """The result of an action, whose error gets a context."""
    try:
        return action(*arguments)
    except PatchError as error:
        raise PatchError(f"{context}: {error}") from error


def _parse_index(key: str) -> int:
    if not _INTEGER.fullmatch(key):
        raise PatchError(f"strconv.Atoi: parsing {quote(key)}: invalid syntax")
    return int(key)


def _index(key: str, size: int) -> int:
    """An index below ``size``; a negative one counts from the end."""
    index = _parse_index(key)
    if not -size <= index < size:
        raise PatchError(f"Unable to access invalid index: {index}: {_INVALID_INDEX}")
    return index + size if index < 0 else index


def _get(container: _Container, key: str) -> JSON:
    """The member or element; a missing member is null."""
    if isinstance(container, dict):
        return container.get(key)
    return container[_index(key, len(container))]


def _add(container: _Container, key: str, value: JSON) -> None:
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    elif not _INTEGER.fullmatch(key):
        problem = f"strconv.Atoi: parsing {quote(key)}: invalid syntax"
        raise PatchError(f"value was not a proper array index: '{key}': {problem}")
    else:
        container.insert(_index(key, len(container) + 1), value)


def _remove(container: _Container, key: str) -> None:
    if isinstance(container, list):
        del container[_index(key, len(container))]
    elif key in container:
        del container[key]
    else:
        raise PatchError(f"Unable to remove nonexistent key: {key}: {_MISSING}")


def _holds(value: JSON, expected: JSON) -> bool:
    """Whether a ``test`` holds; null equals only null."""
    if value is None or expected is None:
        return value is expected
    return _equal(value, expected)


def _equal(value: JSON, expected: JSON) -> bool:
    """Whether values are equal; an explicit null equals an empty map or list."""
    match value, expected:
        case dict(), dict():
            return value.keys() == expected.keys() and all(
                _holds(member, expected[key]) for key, member in value.items()
            )
        case list(), list():
            return len(value) == len(expected) and all(map(_holds, value, expected))
        case (list(), ExplicitNull()):
            return not value
        case _:
            numbers = _is_number(value) and _is_number(expected)
            return (numbers or type(value) is type(expected)) and bool(value == expected)


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
