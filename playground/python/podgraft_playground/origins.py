"""The template line that each value of a patched object comes from.

While a review runs, the engine reports each template that it renders. The template is rendered a
second time with marks (``line_marks.py``), which name the line of each piece of text. The rendered
YAML then leads from a value to a piece, and the merge keys of Kubernetes lead from there to the
value in the patched object. A template that renders another text with marks is skipped.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from podgraft.base.jsonvalue import JSON
from podgraft.golang.texttemplate import OBSERVER, ExecError, LimitError, Program
from podgraft.kube.patch import pointer
from podgraft.kube.patch.differ import IDENTITIES
from podgraft.kube.yaml import NotYAMLError, load

from .line_marks import MarkedText, mark_lines, split_marks

# A pod has these fields; in the specification of legacy injection, all others belong to its spec.
_POD_FIELDS = frozenset({"apiVersion", "kind", "metadata", "spec", "status"})
_MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Rendering:
    """A template as one review rendered it; ``name`` is "overlay logging", for example."""

    name: str
    source: str
    marked: MarkedText


@dataclass(frozen=True, slots=True)
class Origin:
    """The rendering and the template line, counted from 1, that set a value."""

    rendering: int
    line: int


@dataclass(slots=True)
class Recorder:
    """Collects the renderings of a review."""

    renderings: list[Rendering] = field(default_factory=list[Rendering])
    _marked: dict[int, tuple[Program, Program]] = field(
        default_factory=dict[int, "tuple[Program, Program]"]
    )

    @contextmanager
    def recording(self) -> Generator[None]:
        """Record the renderings of this context."""
        token = OBSERVER.set(self.observe)
        try:
            yield
        finally:
            OBSERVER.reset(token)

    def observe(self, name: str, program: Program, render: Callable[[Program], str]) -> None:
        """Render the template plainly and with marks."""
        try:
            text = render(program)
            marked = split_marks(render(self._mark(program)))
        except (ExecError, LimitError):
            return  # the review reports the error
        if marked.text == text:
            self.renderings.append(Rendering(name, program.source.text, marked))

    def _mark(self, program: Program) -> Program:
        cached = self._marked.get(id(program))
        if cached is None or cached[0] is not program:
            cached = self._marked[id(program)] = (program, mark_lines(program))
        return cached[1]


def find_origins(renderings: Sequence[Rendering], value: JSON) -> dict[str, Origin]:
    """The origins of values in a patched object, by JSON Pointer; the last rendering wins."""
    origins: dict[str, Origin] = {}
    for index, rendering in enumerate(renderings):
        try:
            node = _compose(rendering.marked.text)
            partial = load(rendering.marked.text, strict=False)
        except (yaml.YAMLError, NotYAMLError, RecursionError):
            continue
        if isinstance(node, MappingNode) and isinstance(partial, dict) and isinstance(value, dict):
            walk = _Walk(index, rendering.marked, origins)
            fields = set(partial)
            path = "" if fields <= _POD_FIELDS else "/spec"
            target = value if fields <= _POD_FIELDS else value.get("spec")
            walk.visit(node, partial, target, path, 0)
    return origins


@dataclass(frozen=True, slots=True)
class _Walk:
    """One rendering on its way through an object."""

    rendering: int
    marked: MarkedText
    origins: dict[str, Origin]

    def visit(self, node: Node, partial: JSON, value: JSON, path: str, depth: int) -> None:
        """Note the origins of what *partial* and *value* share."""
        if depth > _MAX_DEPTH:
            return
        match node, partial, value:
            case MappingNode(), dict(), dict():
                for key_node, member_node in node.value:
                    key = _key_of(key_node, partial)
                    if key is not None and key in value:
                        member = f"{path}/{pointer.escape(key)}"
                        if _agree(partial[key], value[key]):
                            self._note(member, key_node)
                        self.visit(member_node, partial[key], value[key], member, depth + 1)
            case SequenceNode(), list(), list():
                taken: set[int] = set()
                for element_node, element in zip(node.value, partial, strict=False):
                    index = _find_element(element, value, taken)
                    if index is not None:
                        taken.add(index)
                        member = f"{path}/{index}"
                        self._note(member, element_node)
                        self.visit(element_node, element, value[index], member, depth + 1)
            case _:
                pass

    def _note(self, path: str, node: Node) -> None:
        line = self.marked.find_line(node.start_mark.index)
        if line:
            self.origins[path] = Origin(self.rendering, line)


def _key_of(node: Node, partial: Mapping[str, JSON]) -> str | None:
    """The key of a mapping in JSON; ``None`` for a key that YAML turns into another text."""
    return node.value if isinstance(node, ScalarNode) and node.value in partial else None


def _compose(text: str) -> Node | None:
    compose: Any = vars(yaml)["compose"]  # the stubs have no type for it
    return compose(text, Loader=yaml.SafeLoader)


def _agree(partial: JSON, value: JSON) -> bool:
    """Whether a value is still what the template set; kube-apiserver's types print some anew."""
    if isinstance(partial, dict | list):
        return type(partial) is type(value)
    return partial == value or str(partial) == str(value)


def _find_element(element: JSON, elements: list[JSON], taken: set[int]) -> int | None:
    """The index of the element of a merged list that an element of a patch became."""
    for index, candidate in enumerate(elements):
        if index not in taken and candidate == element:
            return index
    if isinstance(element, dict):
        for key in IDENTITIES:
            if key in element:
                for index, candidate in enumerate(elements):
                    if isinstance(candidate, dict) and candidate.get(key) == element[key]:
                        return index
    return None


def find_in_files(source: str, files: Mapping[str, str]) -> tuple[str, int] | None:
    """The file of a bundle that contains a template, and the line before its first line.

    Templates are block scalars of YAML, so each line has a longer indent in the file. The result is
    ``None`` if no file, or more than one place, has these lines.
    """
    wanted = [line.strip() for line in source.rstrip("\n").split("\n")]
    matches: list[tuple[str, int]] = []
    for name, text in files.items():
        lines = [line.strip() for line in text.split("\n")]
        start = 0
        while wanted[0] in lines[start:]:
            start = lines.index(wanted[0], start)
            if lines[start : start + len(wanted)] == wanted:
                matches.append((name, start))
            start += 1
    return matches[0] if len(matches) == 1 else None
