"""The line of a file in which a value or an object begins; line 1 if it is not found."""

from collections.abc import Iterator
from typing import Any, cast

import yaml

from podgraft.base.jsonvalue import Object, object_at
from podgraft.kube.patch import pointer

_Node = yaml.MappingNode | yaml.SequenceNode | yaml.ScalarNode


def find_pointer_line(text: str, path: str) -> int:
    """Return the line of the value at a JSON Pointer, or of its last parent that exists.

    Of several documents, it is the one that has the most parents.
    """
    best, line = -1, 1
    for document in _compose(text):
        depth, found = _walk(document, list(pointer.parse(path)))
        if depth > best:
            best, line = depth, found.start_mark.line + 1
    return line


def find_object_line(text: str, value: Object) -> int:
    """Return the line of the object with the kind and the name of *value*, also in a List."""
    name = object_at(value, "metadata").get("name")
    for document in _compose(text):
        for node in (document, *_list_items(document)):
            if _text_at(node, "/kind") == value.get("kind") and (
                name is None or _text_at(node, "/metadata/name") == name
            ):
                return node.start_mark.line + 1
    return 1


def _compose(text: str) -> Iterator[_Node]:
    compose = cast("Any", yaml.compose_all)  # pyright: ignore[reportUnknownMemberType]
    try:
        yield from filter(None, compose(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError):
        return  # podgraft's own parser reports it


def _walk(node: _Node, keys: list[str]) -> tuple[int, _Node]:
    """Return the number of keys that exist, and the last node; for a key, the line of the key."""
    place = node
    for depth, key in enumerate(keys):
        match node:
            case yaml.MappingNode(value=pairs):
                found = next((pair for pair in pairs if pair[0].value == key), None)
                if found is None:
                    return depth, place
                place, node = found
            case yaml.SequenceNode(value=items) if key.isdecimal() and int(key) < len(items):
                place = node = items[int(key)]
            case _:
                return depth, place
    return len(keys), place


def _text_at(node: _Node, path: str) -> str | None:
    keys = list(pointer.parse(path))
    for key in keys:
        if not isinstance(node, yaml.MappingNode):
            return None
        found = next((value for name, value in node.value if name.value == key), None)
        if found is None:
            return None
        node = found
    return node.value if isinstance(node, yaml.ScalarNode) else None


def _list_items(node: _Node) -> list[_Node]:
    if _text_at(node, "/kind") != "List" or not isinstance(node, yaml.MappingNode):
        return []
    items = next((value for name, value in node.value if name.value == "items"), None)
    return list(items.value) if isinstance(items, yaml.SequenceNode) else []
