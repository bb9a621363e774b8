"""What a template reads of its data, and whether it can do more with a value than print it.

``podgraft policy preview`` needs this to know which recorded workloads a template distinguishes.
No review needs it. The pass is that of ``dependencies.py``, with nodes that log each read.
"""

from collections.abc import Collection, Mapping

from podgraft.base.field_reads import EACH, FieldRead, ReadKind
from podgraft.golang.reflect import GoType, Kind

from .dependencies import DOT, Bindings, DependencyNode, DependencyVisitor, TypedNode
from .functions import Dependency, Function, KeyArgument
from .parse import nodes
from .parse.source import Source

# Functions that return their arguments unchanged or between other text, or test only whether a
# value is empty.
_PRINTING = frozenset(
    """
    and annotation append coalesce concat default first indent initial last list mergeMaps nindent
    not omitNil or prepend print printf println protoToJSON quote required rest squote structToJSON
    toJSON toJson toJsonMap toPrettyJson toRawJson toYaml tuple valueOrDefault
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)


_KEY_READERS: Mapping[str, tuple[Dependency, ...]] = dict.fromkeys(
    ("get", "hasKey"), (Dependency(0, (KeyArgument(1),)),)
)


def find_reads(
    templates: Mapping[str, nodes.Template],
    source: Source,
    functions: Mapping[str, Function],
    data: GoType,
    opaque: Collection[GoType],
) -> tuple[FieldRead, ...]:
    """Return the reads of the template ``source.name``, with paths in the raw data.

    A value that is only printed has the kind ``PRINTED``, with the line that prints it. A value
    that a branch tests for emptiness counts as printed, too.
    """
    log = _ReadLog(source)
    root = _LoggedNode(log=log)
    walk = _ReadVisitor(templates, functions, frozenset(opaque), [source.name], log)
    part = TypedNode(root, data)
    walk.visit_statements(templates[source.name].body, {"$": part, DOT: part})
    called = {name for template in templates.values() for name in template.calls}
    if any(functions[name].uses_dot for name in called):
        root.complete()
    return tuple(log.reads)


class _ReadLog:
    """The reads so far, and the statement that is visited."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.reads: dict[FieldRead, None] = {}
        self.is_printing = False
        self.position = 0

    def record(self, path: tuple[str, ...]) -> None:
        """Record a read of the statement."""
        if not self.is_printing:
            self.reads[FieldRead(self._source.name, path)] = None
            return
        line = self._line()
        self.reads[FieldRead(self._source.name, path, ReadKind.PRINTED, line)] = None

    def _line(self) -> str:
        text = self._source.text
        start = text.rfind("\n", 0, self.position) + 1
        end = text.find("\n", self.position)
        return text[start : len(text) if end < 0 else end].strip()


class _LoggedNode(DependencyNode, eq=False, kw_only=True):
    """A part that logs when it is read."""

    log: _ReadLog
    path: tuple[str, ...] = ()

    def complete(self) -> None:
        """Log the read."""
        self.is_complete = True
        self.log.record(self.path)

    def member(self, key: str) -> DependencyNode:
        if key not in self.members:
            self.members[key] = _LoggedNode(log=self.log, path=(*self.path, key))
        return self.members[key]


class _ReadVisitor(DependencyVisitor, frozen=True):
    """One pass over a parse tree, which distinguishes values that are only printed.

    A value that a variable or a dot represents without its part can be tested later, so it counts
    as tested.
    """

    log: _ReadLog

    def _visit_action(self, pipe: nodes.Pipe, bindings: Bindings) -> None:
        self._enter_pipe(pipe, is_printing=not pipe.variables)
        super()._visit_action(pipe, bindings)
        self.log.is_printing = False

    def _visit_branch(self, node: nodes.Branch, bindings: Bindings) -> None:
        is_with = node.control is nodes.Control.WITH
        part = self._resolve_alias(node.pipe, bindings) if is_with else None
        self._enter_pipe(node.pipe, is_printing=not is_with and not node.pipe.variables)
        if part is None or node.pipe.variables:
            self._visit_pipe(node.pipe, bindings)
        self.log.is_printing = False
        inner = {DOT: None if node.pipe.variables else part} if is_with else {}
        self.visit_statements(node.body, {**bindings, **inner})
        self.visit_statements(node.else_body or (), bindings)

    def _resolve_alias(self, pipe: nodes.Pipe, bindings: Bindings) -> TypedNode | None:
        """The part that the dot of ``with`` represents; that of ``first`` is an element."""
        match pipe.commands:
            case (nodes.Command(operands=(nodes.Identifier(name="first" | "last"), operand)),):
                part = self._resolve_operand(operand, bindings)
                is_list = part is not None and part.type.kind is Kind.SLICE
                return self._resolve_step(part, EACH) if is_list else None
            case _:
                return self._single_operand(pipe, bindings)

    def _find_dependencies(self, name: str) -> tuple[Dependency, ...]:
        return _KEY_READERS.get(name) or super()._find_dependencies(name)

    def _enter_pipe(self, pipe: nodes.Pipe, *, is_printing: bool) -> None:
        self.log.is_printing = is_printing
        self.log.position = pipe.start

    def _visit_pipe(self, pipe: nodes.Pipe, bindings: Bindings) -> None:
        """Visit a pipeline; a function that can test its arguments tests those of the pipeline."""
        before = self.log.is_printing
        names = (command.operands[0] for command in pipe.commands)
        self.log.is_printing = before and all(
            name.name in _PRINTING for name in names if isinstance(name, nodes.Identifier)
        )
        super()._visit_pipe(pipe, bindings)
        self.log.is_printing = before
