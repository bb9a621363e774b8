"""A compiled template: parsed at once, and compiled to Python code when it is first rendered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from functools import cached_property
from types import CodeType
from typing import Any, TypeAlias

from msgspec import Struct

from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import JSON
from podgraft.golang.errors import FunctionError, LimitExceededError
from podgraft.golang.reflect import GoType, PanicError, Value
from podgraft.golang.reflect.taint import PlaceholderRegistry, TooManyPlaceholdersError

from .compile.compiler import CompiledModule, compile_templates
from .compile.source_map import ErrorSite
from .dependencies import Projection, build_projection, find_dependencies
from .errors import (
    DEFAULT_LIMITS,
    ExecError,
    ExecutionError,
    LimitError,
    Limits,
    MethodError,
    TemplateError,
)
from .field_check import FieldProblem, check_fields
from .functions import Function, LazyFunction
from .parse import nodes
from .parse.parser import parse
from .parse.source import Source, Span
from .reads import find_reads
from .remedies import find_remedy
from .run.builtins import BUILTINS
from .run.runtime import RenderState, byte_length, excess
from .run.tracing import Trace, make_tracing_namespace, parse_trace
from .sections import DataPath, SectionReuse, Sections, find_sections
from .syntax_risk import can_create_syntax


def compile_(
    text: str,
    *,
    name: str,
    functions: Mapping[str, Function],
    delimiters: tuple[str, str] = ("{{", "}}"),
) -> Program:
    """Compile ``text``; ``functions`` extend the builtins and can override them.

    Raises ``TemplateError``, or ``LimitError`` for actions nested too deeply.
    """
    available = {**BUILTINS, **functions}
    source = Source(name, text)
    left, right = delimiters
    delimiters = (left or "{{", right or "}}")
    try:
        return Program(source, parse(source, delimiters, available), available)
    except TemplateError as error:
        error.remedy = find_remedy(error, functions, delimiters)
        raise


# Receives the name of a template that is rendered for an object, its program, and a function that
# renders another program with the same data.
Observer: TypeAlias = "Callable[[str, Program, Callable[[Program], str]], None]"

# No observer is set on a review's path. The playground sets one, to find the line of a template
# that a value of the patched object comes from.
OBSERVER: ContextVar[Observer | None] = ContextVar("OBSERVER", default=None)


def notify_observer(name: str, program: Program, render: Callable[[Program], str]) -> None:
    """Report a rendering to the observer of the context, if there is one."""
    observer = OBSERVER.get()
    if observer is not None:
        observer(name, program, render)


class Program:
    """A compiled template, which renders any number of times with any data."""

    def __init__(
        self,
        source: Source,
        templates: Mapping[str, nodes.Template],
        functions: Mapping[str, Function],
    ) -> None:
        self.source = source
        self.templates = templates
        self.functions = functions
        self.sections: Sections | None = None

    def split(
        self, data: GoType, opaque: Collection[GoType], changing: Collection[DataPath] | None
    ) -> tuple[Projection, Projection | None]:
        """Split the template into sections (``sections.py``), before it is first rendered.

        Return what the template can read, and what its sections can read; ``None`` if it has no
        sections. A template that changes its data has none: ``changing`` must be ``None``.
        """
        reads = find_dependencies(self.templates, self.source.name, self.functions, data, opaque)
        if changing is not None and "_compiled_module" not in self.__dict__:
            self.sections = find_sections(self.templates[self.source.name].body, reads, changing)
        return build_projection(reads), self.sections.projection if self.sections else None

    def render(
        self, data: Value, *, limits: Limits = DEFAULT_LIMITS, sections: SectionReuse | None = None
    ) -> str:
        """Render the template with ``data``; raises ``ExecError`` or ``LimitError``.

        ``sections`` must be those of data with an equal projection of ``split``.
        """
        known = sections.known if sections else None
        state = RenderState(limits, data, None, None if known is None else iter(known))
        text = self._execute(self._namespace, state)
        if sections is not None and known is None:
            sections.record(state.recorded)
        return text

    def trace(
        self, data: Value, slots: PlaceholderRegistry, *, limits: Limits = DEFAULT_LIMITS
    ) -> Trace:
        """Render the template with data with taint of ``slots``, and return the text by origin."""
        text = self._execute(self._tracing_namespace, RenderState(limits, data, slots))
        trace_ = parse_trace(slots, text)
        if byte_length(trace_.text) > limits.output_bytes:
            raise self._locate_error(excess(limits), self._tracing_namespace)
        return trace_

    def _execute(self, namespace: Mapping[str, Any], state: RenderState) -> str:
        try:
            namespace[self._compiled_module[0].main](state.data, state.output.append, state, 0)
            state.count_output()
        except _FAILURES as error:
            raise self._locate_error(error, namespace) from error
        return "".join(state.output)

    @property
    def static_failures(self) -> tuple[ExecError, ...]:
        """The errors of actions that fail with any data, in the order of the text.

        For example a wrong number of arguments, an undefined template, or a constant of another
        type than its parameter. Go reports them only during execution.
        """
        compiled, _ = self._compiled_module
        failures = sorted(compiled.static_failures, key=lambda failure: failure.node.position)
        return tuple(
            self._exec_error(failure.template_name, failure.node, failure.reason)
            for failure in failures
        )

    def find_reads(self, data: GoType, opaque: Collection[GoType] = ()) -> tuple[FieldRead, ...]:
        """Return what the template reads of raw data of struct type ``data``, and how."""
        return find_reads(self.templates, self.source, self.functions, data, opaque)

    def check_fields(
        self, data: GoType, constants: Mapping[str, JSON] | None = None
    ) -> tuple[FieldProblem, ...]:
        """Return the fields that the template reads and ``data`` cannot have.

        ``constants`` are fields of the data with the same value in each rendering.
        """
        return check_fields(self.templates, self.source, self.functions, data, constants or {})

    @cached_property
    def mutates_data(self) -> bool:
        """Whether the template can change maps of its data, so that it must be given a copy."""
        called = (self.functions[name] for each in self.templates.values() for name in each.calls)
        return any(function.mutates or function.uses_dot for function in called)

    @cached_property
    def can_create_syntax(self) -> bool:
        """Whether the template can make YAML syntax of harmless text (``syntax_risk.py``)."""
        return can_create_syntax(self.source, self.templates, self.functions)

    @cached_property
    def _compiled_module(self) -> tuple[CompiledModule, CodeType]:
        compiled = compile_templates(self.source, self.templates, self.functions, self.sections)
        filename = f"template {self.source.name}".replace("\0", "")
        code = compile(compiled.module, filename, "exec", dont_inherit=True, optimize=1)
        compiled.module.body.clear()  # half of the memory of a template, which only runs the code
        return compiled, code

    @cached_property
    def _namespace(self) -> Mapping[str, Any]:
        names = self._compiled_module[0].namespace.items()
        return self._load_code(
            {name: each.body if isinstance(each, LazyFunction) else each for name, each in names}
        )

    @cached_property
    def _tracing_namespace(self) -> Mapping[str, Any]:
        return self._load_code(
            make_tracing_namespace(self._compiled_module[0].namespace, self.functions)
        )

    def _load_code(self, globals_: Mapping[str, Any]) -> Mapping[str, Any]:
        """The templates' functions, which call what is in ``globals_``."""
        namespace: dict[str, Any] = {
            **globals_,
            "__builtins__": {},
            "__loader__": _SourceLoader(self.source.text),
            "__name__": f"template {self.source.name}",
        }
        exec(self._compiled_module[1], namespace)  # noqa: S102 - nodes from the compiler, never text
        return namespace

    def _locate_error(
        self, error: Exception, namespace: Mapping[str, Any]
    ) -> ExecError | LimitError:
        """``error`` with its location in the template, and the text of the pod that caused it."""
        located = self._locate(error, namespace)
        if not (isinstance(located, ExecError) and located.is_by_author):
            located.sources = getattr(error, "sources", ())
        return located

    def _locate(self, error: Exception, namespace: Mapping[str, Any]) -> ExecError | LimitError:
        source_map = self._compiled_module[0].source_map
        located = source_map.locate(error.__traceback__, namespace)
        site, node, executing = located or (ErrorSite(nodes.Dot()), nodes.Dot(), self.source.name)
        match error:
            # A limit of this program, or of one that a function renders.
            case LimitExceededError() | LimitError() | TooManyPlaceholdersError():
                return LimitError(str(error), self._span_of(node))
            case RecursionError():
                return LimitError("nests values too deeply", self._span_of(node))
            case ExecutionError():
                return self._exec_error(executing, node, str(error))
            case _:
                name = error.name if isinstance(error, MethodError) else site.name
                reason = f"error calling {name}: {error}"
                return self._exec_error(executing, site.call or node, reason)

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


class _SourceLoader(Struct, frozen=True):
    """Provides the template's lines to Python's tracebacks (``linecache.lazycache``)."""

    text: str

    def get_source(self, _: str) -> str:
        """The template's text."""
        return self.text
