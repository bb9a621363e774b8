"""The error for text that is not YAML, or that JSON cannot represent."""

from __future__ import annotations

from yaml.events import Event


class NotYAMLError(ValueError):
    """The text is not valid; ``line`` and ``column`` start at 1."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(problem, line, column)
        self.problem = problem
        self.line = line
        self.column = column

    @classmethod
    def from_event(cls, event: Event, problem: str) -> NotYAMLError:
        """Return the error for a problem where an event starts."""
        return cls(problem, event.start_mark.line + 1, event.start_mark.column + 1)

    def __str__(self) -> str:
        return f"{self.position}: {self.problem}"

    @property
    def position(self) -> str:
        """The line and the column, for a text whose errors must not quote it."""
        return f"line {self.line} column {self.column}"

    def shift_lines(self, lines: int) -> NotYAMLError:
        """Return the error for a text with additional lines before this one."""
        return NotYAMLError(self.problem, self.line + lines, self.column)
