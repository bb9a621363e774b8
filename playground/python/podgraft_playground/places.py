"""The lines of the input that a step reads: the fields of the object, and the configuration.

A place is a file of the input and a line, counted from 1. A document that the parser of positions
does not read has no places.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from podgraft.base.jsonvalue import Object, object_at, string_at

from .workspace import BUNDLE, POD, POLICY, WEBHOOKS, Input

Path: TypeAlias = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file; ``file`` is a path of the input, such as ``bundle/injector.yaml``."""

    file: str
    line: int

    def to_json(self) -> Object:
        """Encode the place with the name that a visitor reads, such as ``injector.yaml:18``."""
        name = "pod" if self.file == POD else self.file.removeprefix(f"{BUNDLE}/")
        return {"file": self.file, "line": self.line, "text": f"{name}:{self.line}"}


@dataclass(frozen=True, slots=True)
class Places:
    """Finds places in one input."""

    given: Input

    def in_object(self, value: Object, *paths: Path) -> Place | None:
        """The first of the paths that the document of an object has."""
        metadata = object_at(value, "metadata")
        wanted = {string_at(metadata, key) for key in ("name", "generateName")} - {""}
        for node in _documents(self.given.pod):
            is_named = _names(node) & wanted or not wanted
            if is_named and _scalar_at(node, ("kind",)) == value.get("kind"):
                return _first(POD, node, paths)
        return None

    def in_policy(self, cluster: str, *path: str) -> Place | None:
        """A key of the policy document; the overrides of the cluster come first."""
        for node in _documents(self.given.policy):
            return _first(POLICY, node, (("clusters", cluster, *path), path))
        return None

    def in_configuration(self, key: str) -> Place | None:
        """A key of Istio's configuration, which is a text in a ConfigMap of the bundle."""
        pattern = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*:", re.MULTILINE)
        for name, text in self.given.files.items():
            match = "ConfigMap" in text and pattern.search(text)
            if match:
                start = match.end() - len(match.group().lstrip())
                return Place(f"{BUNDLE}/{name}", text.count("\n", 0, start) + 1)
        return None

    def in_manifest(self, kind: str, name: str, *paths: Path) -> Place | None:
        """The first of the paths that a manifest of the bundle has."""
        for file, text in self.given.files.items():
            if kind not in text:
                continue
            for node in _documents(text):
                if _scalar_at(node, ("kind",)) == kind and name in _names(node):
                    return _first(f"{BUNDLE}/{file}", node, paths)
        return None

    def in_webhook(self, name: str, key: str) -> Place | None:
        """A key of a webhook in the registration."""
        for node in _documents(self.given.webhooks):
            for webhook in _elements(_find(node, ("webhooks",))):
                if _scalar_at(webhook, ("name",)) == name:
                    return _first(WEBHOOKS, webhook, ((key,), ("name",)))
        return None

    def of_pointer(self, file: str, pointer: str) -> Place | None:
        """The value of a JSON Pointer; of several documents, the first that has most of it."""
        texts = self.given.texts
        path = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        for length in range(len(path), 0, -1):
            for node in _documents(texts.get(file, "")):
                found = _first(file, node, (path[:length],))
                if found is not None:
                    return found
        return None


def _first(file: str, node: Node, paths: Sequence[Path]) -> Place | None:
    for path in paths:
        line = _find_line(node, path)
        if line is not None:
            return Place(file, line)
    return None


@lru_cache(maxsize=32)
def _documents(text: str) -> tuple[Node, ...]:
    """The documents of a text, and the members of a List, with their positions."""
    compose_all: Any = vars(yaml)["compose_all"]  # the stubs have no type for it
    nodes: list[Node] = []
    try:
        for node in compose_all(text, Loader=yaml.SafeLoader):
            if isinstance(node, MappingNode):
                nodes += [node, *_elements(_find(node, ("items",)))]
    except (yaml.YAMLError, RecursionError):
        return ()
    return tuple(nodes)


def _members(node: Node | None) -> Iterator[tuple[Node, Node]]:
    if isinstance(node, MappingNode):
        pairs: list[tuple[Node, Node]] = node.value
        yield from pairs


def _elements(node: Node | None) -> list[Node]:
    return list(node.value) if isinstance(node, SequenceNode) else []


def _step(node: Node | None, part: str | int) -> tuple[Node, Node] | None:
    """The position and the value of a member or an element."""
    elements = _elements(node)
    if elements:
        index = int(part) if str(part).isdigit() else len(elements)
        return (elements[index], elements[index]) if index < len(elements) else None
    for key, value in _members(node):
        if isinstance(key, ScalarNode) and key.value == part:
            return key, value
    return None


def _find(node: Node | None, path: Path) -> Node | None:
    for part in path:
        found = _step(node, part)
        if found is None:
            return None
        node = found[1]
    return node


def _find_line(node: Node, path: Path) -> int | None:
    current: Node | None = node
    position: Node = node
    for part in path:
        found = _step(current, part)
        if found is None:
            return None
        position, current = found
    return position.start_mark.line + 1


def _scalar_at(node: Node | None, path: Path) -> str | None:
    found = _find(node, path)
    return found.value if isinstance(found, ScalarNode) else None


def _names(node: Node) -> set[str]:
    names = (_scalar_at(node, ("metadata", key)) for key in ("name", "generateName"))
    return {name for name in names if name}
