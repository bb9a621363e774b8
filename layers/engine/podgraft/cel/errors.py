"""What can go wrong with an expression: it does not compile, it fails, it costs too much."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in the text of an expression; line and column count from 1."""

    line: int
    column: int
    message: str

    def excerpt(self, text: str) -> str:
        """The problem with its place, the line of ``text`` it stands in, and a caret under it."""
        head = f"{self.line}:{self.column}: {self.message}"
        lines = text.split("\n")
        if not 1 <= self.line <= len(lines):
            return head
        return f"{head}\n  {lines[self.line - 1]}\n  {' ' * (self.column - 1)}^"


class CompileError(Exception):
    """The expression is not one that Kubernetes would take; ``problems`` says where and why."""

    def __init__(self, text: str, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(problem.excerpt(text) for problem in problems))
        self.problems = problems


class EvaluationError(Exception):
    """The expression failed for these values, e.g. ``no such key: replicas``.

    ``||``, ``&&`` and the macros absorb it as CEL says: ``error || true`` is true.
    """


class CostExceededError(Exception):
    """The budget of a review is used up; nothing absorbs this one."""


def no_such_overload_error(call: str = "") -> EvaluationError:
    """cel-go's word for a function or operator that does not take values of these types."""
    return EvaluationError(f"no such overload: {call}" if call else "no such overload")
