"""A compiled template: parsed and checked at once, made code when it is first rendered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Any

from podgraft.go.reflect import GoType, PanicError, Value
from podgraft.go.reflect.taint import PlaceholderRegistry, TooManyPlaceholdersError
from podgraft.lazy_dataclass import dataclass

from .compile.compilation_unit import StaticFailure
from .compile.compiler import CompiledModule, compile_templates
from .compile.source_map import EvaluatedNode, SourceMap
from .dependencies import Projection, compute_projection
from .errors import (
    ExecError,
    ExecutionError,
    FunctionError,
    LimitError,
    LimitExceededError,
    MethodError,
    TemplateError,
)
from .functions import Function
from .limits import LIMITS, Limits
from .parse import nodes
from .parse.parser import parse
from .parse.source import Source, Span
from .run.builtins import BUILTINS
from .run.runtime import RenderState, byte_length, excess

if TYPE_CHECKING:
    from podgraft.jsonvalue import JSON

    from .field_check import FieldProblem
    from .run.tracing import Trace


def compile_(
    text: str,
    *,
    name: str,
    functions: Mapping[str, Function],
    delimiters: tuple[str, str] = ("{{", "}}"),
) -> Program:
    """Compile ``text``; ``functions`` come on top of the builtins, whose names they may take.

    Raises ``TemplateError``, or ``LimitError`` for actions nested too deeply.
    """
    known = {**BUILTINS, **functions}
    source = Source(name, text)
    left, right = delimiters
    return Program(source, parse(source, (left or "{{", right or "}}"), known), known)


class Program:
    """A compiled template: render it as often as you like, with any data."""

    def __init__(
        self,
        source: Source,
        templates: Mapping[str, nodes.Template],
        functions: Mapping[str, Function],
    ) -> None:
        self.source = source
        self.templates = templates
        self._functions = functions

    def render(self, data: Value, *, limits: Limits | None = None) -> str:
        """What the template writes for ``data``; raises ``ExecError`` or ``LimitError``.

        Without ``limits``, those of the context apply (``limits.LIMITS``).
        """
        return self._output(self._code, data, RenderState(limits or LIMITS.get(), []))

    def trace(
        self, data: Value, slots: PlaceholderRegistry, *, limits: Limits | None = None
    ) -> Trace:
        """The same text for data with taint of ``slots``, and what it is made of (``tracing``)."""
        from .run.tracing import parse_trace  # most templates never need it

        limits = limits or LIMITS.get()
        traced = parse_trace(slots, self._output(self._tracing_code, data, RenderState(limits, [])))
        if byte_length(traced.text) > limits.output_bytes:
            raise self._locate_error(excess(limits), self._tracing_code)
        return traced

    def _output(self, code: _Code, data: Value, run: RenderState) -> str:
        try:
            code.main(data, run.output.append, run, 0)
            run.count_output()
        except _FAILURES as error:
            raise self._locate_error(error, code) from error
        return "".join(run.output)

    @property
    def static_failures(self) -> tuple[ExecError, ...]:
        """The errors with which rendering ends, whatever the data, if it gets to certain places.

        A wrong number of arguments, a template that is not defined, a constant that its parameter
        does not take: Go tells of them only while it executes, an operator wants to know before.
        """
        ends = sorted(self._code.static_failures, key=lambda end: end.node.position)
        return tuple(self._exec_error(end.template_name, end.node, end.reason) for end in ends)

    def projection(self, data: GoType, opaque: Collection[GoType] = ()) -> Projection:
        """What the template can read of raw data of the struct type ``data`` (``footprint.py``)."""
        return compute_projection(self.templates, self.source.name, self._functions, data, opaque)

    def check_fields(
        self, data: GoType, known: Mapping[str, JSON] | None = None
    ) -> tuple[FieldProblem, ...]:
        """Return the fields that the template reads and ``data`` cannot have (``fields.py``)."""
        from .field_check import check_fields

        return check_fields(self.templates, self.source, self._functions, data, known or {})

    @cached_property
    def can_create_syntax(self) -> bool:
        """Whether the template can make YAML syntax of harmless text (``harm.py``)."""
        from .syntax_risk import can_create_syntax  # a cold start parses no template

        return can_create_syntax(self.source, self.templates, self._functions)

    @cached_property
    def _compiled(self) -> tuple[CompiledModule, CodeType]:
        compiled = compile_templates(self.source, self.templates, self._functions)
        filename = f"template {self.source.name}".replace("\0", "")
        code = compile(compiled.module, filename, "exec", dont_inherit=True, optimize=1)
        return compiled, code

    @cached_property
    def _code(self) -> _Code:
        return self._run(self._compiled[0].namespace)

    @cached_property
    def _tracing_code(self) -> _Code:
        from .run.tracing import make_tracing_namespace

        return self._run(make_tracing_namespace(self._compiled[0].namespace, self._functions))

    def _run(self, globals_: Mapping[str, Any]) -> _Code:
        """The templates' functions, which find in ``globals_`` what they call."""
        compiled, code = self._compiled
        namespace: dict[str, Any] = {
            **globals_,
            "__builtins__": {},
            "__loader__": _SourceLoader(self.source.text),
            "__name__": f"template {self.source.name}",
        }
        exec(code, namespace)  # noqa: S102 - nodes that the compiler made, never text
        main = namespace[compiled.main]
        return _Code(main, namespace, compiled.source_map, compiled.static_failures)

    def _locate_error(self, error: Exception, code: _Code) -> ExecError | LimitError:
        """``error`` with its place in the template, and the text of the pod it arose from."""
        explained = self._locate(error, code)
        if not (isinstance(explained, ExecError) and explained.is_by_author):
            explained.sources = getattr(error, "sources", ())
        return explained

    def _locate(self, error: Exception, code: _Code) -> ExecError | LimitError:
        blame = code.source_map.locate(error.__traceback__, code.namespace)
        if blame is None:
            blame = EvaluatedNode(nodes.Dot(), self.source.name, None, "")
        match error:
            case (
                LimitExceededError() | LimitError() | TooManyPlaceholdersError()
            ):  # of this program, or of one that a function renders
                return LimitError(str(error), self._span_of(blame.node))
            case RecursionError():
                return LimitError("nests values too deeply", self._span_of(blame.node))
            case ExecutionError():
                return self._exec_error(blame.executing, blame.node, str(error))
            case _:
                name = error.name if isinstance(error, MethodError) else blame.name
                reason = f"error calling {name}: {error}"
                return self._exec_error(blame.executing, blame.call or blame.node, reason)

    def _exec_error(self, executing: str, node: nodes.Node, reason: str) -> ExecError:
        return ExecError(reason, executing, str(node), node.position, self._span_of(node))

    def _span_of(self, node: nodes.Node) -> Span:
        return Span(self.source, node.start, node.end)


_FAILURES = (
    LimitExceededError,
    ExecError,
    ExecutionError,
    FunctionError,
    LimitError,
    MethodError,
    PanicError,
    RecursionError,
    TemplateError,
    TooManyPlaceholdersError,
)


@dataclass(frozen=True, slots=True)
class _Code:
    """What ``compile`` made."""

    main: Callable[[Value, Callable[[str], None], RenderState, int], None]
    namespace: Mapping[str, Any]
    source_map: SourceMap
    static_failures: Sequence[StaticFailure]


@dataclass(frozen=True, slots=True)
class _SourceLoader:
    """Lets Python's tracebacks show the lines of the template (``linecache.lazycache``)."""

    text: str

    def get_source(self, _: str) -> str:
        """The template's text."""
        return self.text
