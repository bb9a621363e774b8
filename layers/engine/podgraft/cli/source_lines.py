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
    found = [[(each, each), *_walk(each, path)] for each in _compose(text)]
    place, _ = max(found, key=len)[-1] if found else (None, None)
    return place.start_mark.line + 1 if place else 1


def find_object_line(text: str, value: Object) -> int:
    """Return the line of the object with the kind and the name of *value*, also in a List."""
    name = object_at(value, "metadata").get("name")
    for document in _compose(text):
        for node in (document, *_list_items(document)):
            if _value_at(node, "/kind") == value.get("kind") and (
                name is None or _value_at(node, "/metadata/name") == name
            ):
                return node.start_mark.line + 1
    return 1


def _compose(text: str) -> Iterator[_Node]:
    compose = cast("Any", yaml.compose_all)  # pyright: ignore[reportUnknownMemberType]
    try:
        yield from filter(None, compose(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError):
        return  # podgraft's own parser reports it


def _walk(node: _Node, path: str) -> list[tuple[_Node, _Node]]:
    """Return the place and the value of each key of a JSON Pointer that exists."""
    found: list[tuple[_Node, _Node]] = []
    for key in pointer.parse(path):
        match node:
            case yaml.MappingNode(value=pairs):
                pair = next((pair for pair in pairs if pair[0].value == key), None)
            case yaml.SequenceNode(value=items) if key.isdecimal() and int(key) < len(items):
                pair = items[int(key)], items[int(key)]
            case _:
                pair = None
        if pair is None:
            break
        found.append(pair)
        node = pair[1]
    return found


def _value_at(node: _Node, path: str) -> Any:
    """Return the text or the nodes at a JSON Pointer; None without a value."""
    found = _walk(node, path)
    return found[-1][1].value if len(found) == path.count("/") else None


def _list_items(node: _Node) -> list[_Node]:
    items: Any = _value_at(node, "/items") if _value_at(node, "/kind") == "List" else None
    return cast("list[_Node]", items) if isinstance(items, list) else []
