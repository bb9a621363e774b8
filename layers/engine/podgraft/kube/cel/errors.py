"""The errors of expressions: compile errors, evaluation errors, and an exceeded cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem in the text of an expression; line and column start at 1."""

    line: int
    column: int
    message: str

    def excerpt(self, text: str) -> str:
        """The problem with its location, the line of ``text``, and a caret."""
        head = f"{self.line}:{self.column}: {self.message}"
        lines = text.split("\n")
        if not 1 <= self.line <= len(lines):
            return head
        return f"{head}\n  {lines[self.line - 1]}\n  {' ' * (self.column - 1)}^"


def locate_problem(text: str, offset: int, message: str) -> Problem:
    """The problem at a code point offset as line and column."""
    before = text[:offset]
    return Problem(before.count("\n") + 1, offset - before.rfind("\n"), message)


class CompileError(Exception):
    """Kubernetes would reject the expression; ``problems`` has the locations and reasons."""

    def __init__(self, text: str, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(problem.excerpt(text) for problem in problems))
        self.problems = problems


class EvaluationError(Exception):
    """The expression failed for these values, e.g. ``no such key: replicas``.

    ``||``, ``&&``, and the macros absorb it, as CEL defines: ``error || true`` is true.
    """


class CostExceededError(Exception):
    """The cost exceeds a budget of Kubernetes; no operator absorbs this error."""


class ReviewLimitError(Exception):
    """A limit is exceeded that Kubernetes does not have; no failurePolicy ignores this error."""


def no_such_overload_error(call: str = "") -> EvaluationError:
    """cel-go's error for a function or operator that does not accept values of these types."""
    return EvaluationError(f"no such overload: {call}" if call else "no such overload")
