"""Marks in a rendered text that name the line of the template that each piece comes from.

A marked program writes the text of the original program, and before each piece of template text a
mark with its line. ``split_marks`` removes the marks. A template that passes its own output to a
function can behave differently with marks, so callers compare the result with the plain text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from podgraft.golang.texttemplate import Program
from podgraft.golang.texttemplate.parse import nodes
from podgraft.golang.texttemplate.parse.source import Source

# Private code points of Unicode's last plane; texttemplate/run/tracing.py uses others.
_OPEN, _CLOSE = "\U0010f8f4", "\U0010f8f5"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A rendered text, and the template line of each piece by the offset of the piece."""

    text: str
    offsets: tuple[int, ...]
    lines: tuple[int, ...]

    def find_line(self, offset: int) -> int:
        """The template line, counted from 1, of the character at an offset; 0 if unknown."""
        index = bisect_right(self.offsets, offset) - 1
        return self.lines[index] if index >= 0 else 0


def mark_lines(program: Program) -> Program:
    """Return a program that writes the same text with marks."""
    marker = _Marker(program.source)
    templates = {
        name: replace(template, body=marker.mark_body(template.body))
        for name, template in program.templates.items()
    }
    return Program(program.source, templates, program.functions)


def split_marks(output: str) -> MarkedText:
    """Return the text without its marks, and the lines that the marks name."""
    pieces: list[str] = []
    offsets: list[int] = []
    lines: list[int] = []
    end = size = 0
    for match in _MARK.finditer(output):
        pieces.append(output[end : match.start()])
        size += match.start() - end
        offsets.append(size)
        lines.append(int(match[1]))
        end = match.end()
    return MarkedText("".join([*pieces, output[end:]]), tuple(offsets), tuple(lines))


class _Marker(Struct, frozen=True):
    """Marks the nodes of one source."""

    source: Source

    def mark_body(self, body: nodes.Nodes) -> nodes.Nodes:
        """The statements with marks before each line of text, and before each action."""
        return tuple(marked for node in body for marked in self._mark(node))

    def _mark(self, node: nodes.Statement) -> Iterator[nodes.Statement]:
        match node:
            case nodes.Text():
                yield self._mark_text(node)
            case nodes.Branch():
                other = None if node.else_body is None else self.mark_body(node.else_body)
                yield replace(node, body=self.mark_body(node.body), else_body=other)
            case nodes.Action() if not node.pipe.variables:
                yield nodes.Text(self._make_mark(node.start), start=node.start, end=node.start)
                yield node
            case _:
                yield node

    def _mark_text(self, node: nodes.Text) -> nodes.Text:
        pieces: list[str] = []
        offset = node.start
        for line in re.findall(r"[^\n]*\n|[^\n]+", node.text):
            pieces += self._make_mark(offset), line
            offset += len(line)
        return replace(node, text="".join(pieces))

    def _make_mark(self, offset: int) -> str:
        return f"{_OPEN}{self.source.line_at(offset)}{_CLOSE}"
