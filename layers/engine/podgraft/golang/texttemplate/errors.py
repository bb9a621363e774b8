"""The errors of templates, with Go's error texts and their locations; the limits of a rendering.

``TemplateError`` and ``ExecError`` are errors in the template or its data. ``LimitError`` means
that a template exceeds one of the ``Limits``. The parts of the messages are attributes.
"""

from __future__ import annotations

from msgspec import Struct

from podgraft.golang.strconv.quote import quote

from .parse.source import Span

# Reasons that quote values of the data. The author of the template wrote the reason of ``fail``.
_REASONS_WITH_DATA = ("error calling ", "range can't iterate over ", "can't use ")
_FAIL_PREFIX = "error calling fail: "


class TemplateError(Exception):
    """Go's parse error, ``template: NAME:LINE: REASON``."""

    def __init__(self, reason: str, line: int, span: Span) -> None:
        super().__init__(reason, line, span)
        self.reason = reason
        self.name = span.source.name
        self.line = line
        self.span = span
        self.remedy = f"correct line {line} of the template"

    def __str__(self) -> str:
        return f"template: {self.name}:{self.line}: {self.reason}"


class ExecError(Exception):
    """Go's execution error, ``template: NAME:LINE:COLUMN: executing …``.

    As in Go, ``line`` starts at 1, and ``column`` is in bytes and starts at 0. ``executing`` is the
    name of the template, and ``expression`` is the source of the evaluated node. In a traced
    rendering, ``sources`` are the strings of the pod in the arguments of the failed function.
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
        location = f"{self.name}:{self.line}:{self.column}"
        return (
            f"template: {location}: executing {quote(self.executing)} at <{self.expression}>: "
            f"{self.reason}"
        )

    @property
    def is_by_author(self) -> bool:
        """Whether the template's author wrote the reason: a call of ``fail``."""
        return self.reason.startswith(_FAIL_PREFIX)

    @property
    def may_quote_data(self) -> bool:
        """Whether the reason can contain a value of the data."""
        return self.reason.startswith(_REASONS_WITH_DATA) and not self.is_by_author


class LimitError(Exception):
    """The template exceeds a limit of output, nesting, or steps (``Limits``)."""

    sources: tuple[int, ...] = ()

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason, span)
        self.reason = reason
        self.name = span.source.name
        self.line, self.column = span.source.position_at(span.start)
        self.span = span
        self.remedy = f"correct line {self.line} of the template"

    def __str__(self) -> str:
        return f"template: {self.name}:{self.line}:{self.column}: {self.reason}"


class Limits(Struct, frozen=True):
    """Limits of one rendering. Istio's largest template needs less than a hundredth of each.

    ``finds_causes`` is whether a template that fails is rendered again, about ten times with a
    tenth of the limits, to find the value that causes the failure.
    """

    output_bytes: int = 8 * 1024 * 1024  # more than any object that kube-apiserver accepts (3 MiB)
    depth: int = 100  # of nested templates; Python's stack ends near 1,000 frames
    steps: int = 1_000_000  # iterations of ranges, and template calls
    finds_causes: bool = True

    def reduce(self) -> Limits:
        """A tenth of the limits, without a search, for what is rendered besides the response.

        An endless loop stops after 0.6 s instead of 4.6 s.
        """
        return Limits(
            output_bytes=self.output_bytes // 10,
            depth=self.depth,
            steps=self.steps // 10,
            finds_causes=False,
        )


DEFAULT_LIMITS = Limits()


class MethodError(Exception):
    """A method that a field name resolved to failed."""

    def __init__(self, name: str, reason: Exception) -> None:
        super().__init__(name, reason)
        self.name = name

    def __str__(self) -> str:
        return str(self.args[1])


class ExecutionError(Exception):
    """Execution fails with Go's reason. ``Program`` adds the location."""
