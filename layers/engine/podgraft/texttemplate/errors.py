"""What can go wrong with a template, in Go's words and with the place it happened.

``TemplateError`` and ``ExecError`` are the operator's fault (the template or its data),
``LimitError`` is a template that asks for more than it may. All carry their parts as attributes.
"""

from podgraft.go.errors import FunctionError, LimitExceededError
from podgraft.go.strconv.quote import quote

from .parse.source import Span

__all__ = [
    "ExecError",
    "ExecutionError",
    "FunctionError",
    "LimitError",
    "LimitExceededError",
    "MethodError",
    "TemplateError",
]

# Reasons that print values of the data as they are. What ``fail`` says its template's author wrote.
_REASONS_WITH_DATA = ("error calling ", "range can't iterate over ", "can't use ")
_FAIL_PREFIX = "error calling fail: "


class TemplateError(Exception):
    """The text is not a template: Go's parse error, ``template: NAME:LINE: REASON``."""

    def __init__(self, reason: str, line: int, span: Span) -> None:
        super().__init__(reason, line, span)
        self.reason = reason
        self.name = span.source.name
        self.line = line
        self.span = span

    def __str__(self) -> str:
        return f"template: {self.name}:{self.line}: {self.reason}"

    @property
    def full_message(self) -> str:
        """The message, the line of the template, and carets under the culprit."""
        return f"{self}\n{self.span.excerpt}"


class ExecError(Exception):
    """Rendering failed: Go's ``template: NAME:LINE:COLUMN: executing …``.

    ``line`` counts from 1 and ``column`` from 0, in bytes, as Go counts them; ``executing`` is the
    template that ran, ``expression`` the source of what it was evaluating. ``sources`` are the
    strings of the pod among the arguments of the function that failed, of a traced rendering.
    """

    sources: tuple[int, ...] = ()

    def __init__(
        self, reason: str, executing: str, expression: str, position: int, span: Span
    ) -> None:
        super().__init__(reason, executing, expression, position, span)
        self.reason = reason
        self.name = span.source.name
        self.executing = executing
        self.expression = expression
        self.line, self.column = span.source.position_at(position)
        self.span = span

    def __str__(self) -> str:
        place = f"{self.name}:{self.line}:{self.column}"
        return (
            f"template: {place}: executing {quote(self.executing)} at <{self.expression}>: "
            f"{self.reason}"
        )

    @property
    def is_by_author(self) -> bool:
        """Whether the template's author wrote it: a call of ``fail``."""
        return self.reason.startswith(_FAIL_PREFIX)

    @property
    def may_quote_data(self) -> bool:
        """Whether the reason may hold a value of the data."""
        return self.reason.startswith(_REASONS_WITH_DATA) and not self.is_by_author

    @property
    def full_message(self) -> str:
        """The message, the line of the template, and carets under the expression."""
        return f"{self}\n{self.span.excerpt}"


class LimitError(Exception):
    """The template asks for more output, nesting or steps than it may (``Limits``)."""

    sources: tuple[int, ...] = ()

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason, span)
        self.reason = reason
        self.name = span.source.name
        self.line, self.column = span.source.position_at(span.start)
        self.span = span

    def __str__(self) -> str:
        return f"template: {self.name}:{self.line}:{self.column}: {self.reason}"

    @property
    def full_message(self) -> str:
        """The message, the line of the template, and carets under the culprit."""
        return f"{self}\n{self.span.excerpt}"


class MethodError(Exception):
    """A method failed that a field turned out to be, for a reason that is not its name's."""

    def __init__(self, name: str, reason: Exception) -> None:
        super().__init__(name, reason)
        self.name = name

    def __str__(self) -> str:
        return str(self.args[1])


class ExecutionError(Exception):
    """Execution cannot go on, for Go's reason; where, is known only to who runs the template."""
