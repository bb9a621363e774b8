"""The text of a template, and positions in it."""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Source:
    """The complete text and its name. Offsets count characters; columns count bytes, as in Go."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of each line; only a line feed ends a line."""
        starts = [0]
        while start := self.text.find("\n", starts[-1]) + 1:
            starts.append(start)
        return starts

    @cached_property
    def _ascii(self) -> bool:
        return self.text.isascii()

    def line_at(self, offset: int) -> int:
        """The line of ``offset``, from 1."""
        return bisect_right(self._starts, offset)

    def position_at(self, offset: int) -> tuple[int, int]:
        """The line from 1, and the column from 0 in bytes of UTF-8."""
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if self._ascii:
            return line, offset - start
        return line, len(self.text[start:offset].encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, slots=True)
class Span:
    """A range of offsets in a template."""

    source: Source
    start: int
    end: int

    @property
    def excerpt(self) -> str:
        """The first line of the span, and carets under the part of the span on this line."""
        text = self.source.text
        begin = text.rfind("\n", 0, self.start) + 1
        end = text.find("\n", self.start)
        line = text[begin:] if end < 0 else text[begin:end]
        width = max(1, min(self.end, begin + len(line)) - self.start)
        margin = "".join("\t" if c == "\t" else " " for c in line[: self.start - begin])
        return f"  {line}\n  {margin}{'^' * width}"
