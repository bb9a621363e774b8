"""From a place in compiled code back to what the template was doing there.

Go remembers the node that it evaluates and blames it for a fault. Compiled code remembers nothing:
every operation that can fail stands at a place of its own, and CPython tells the place of each
instruction. So the node to blame is looked up once something has failed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import field
from types import TracebackType
from typing import Any, TypeAlias

from podgraft.lazy_dataclass import dataclass
from podgraft.texttemplate.parse import nodes

from .ast_builder import AstBuilder

CodePosition: TypeAlias = tuple[int | None, ...]


@dataclass(slots=True)
class ShortCircuit:
    """The node that was evaluated last, where it depends on how far ``and`` or ``or`` went.

    Once somebody asks (``mark``), the code keeps the number of the arm in ``local``.
    """

    code: ast.BoolOp
    last_nodes: Sequence[ErrorNode]
    branch_local: str
    pen: AstBuilder
    is_recorded: bool = False

    @property
    def any_node(self) -> nodes.Node:
        """One of the nodes it may be."""
        blamed = self.last_nodes[-1]
        return blamed.any_node if isinstance(blamed, ShortCircuit) else blamed

    def record_branch(self) -> None:
        """Let the code say which arm it took."""
        if self.is_recorded:
            return
        self.is_recorded = True
        for number, (value, blamed) in enumerate(
            zip(self.code.values, self.last_nodes, strict=True)
        ):
            kept = self.pen.assign_expression(self.branch_local, self.pen.constant(number))
            self.code.values[number] = self.pen.sequence_expression(kept, value)
            if isinstance(blamed, ShortCircuit):
                blamed.record_branch()


ErrorNode: TypeAlias = nodes.Node | ShortCircuit


@dataclass(frozen=True, slots=True)
class ErrorSite:
    """Whom to blame for a fault, and for the failure of the function ``name`` called here."""

    fault: ErrorNode
    call: nodes.Node | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class EvaluatedNode:
    """What was being evaluated, in which template, and the function that was called, if any."""

    node: nodes.Node
    executing: str
    call: nodes.Node | None
    name: str


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Every operation of a program that can fail, by its place; templates by their code's name."""

    sites: dict[CodePosition, ErrorSite] = field(default_factory=dict[CodePosition, ErrorSite])
    templates: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, pen: AstBuilder, site: ErrorSite) -> None:
        """Whatever fails where ``pen`` writes is to be blamed so."""
        if isinstance(site.fault, ShortCircuit):
            site.fault.record_branch()
        self.sites.setdefault(pen.position_key, site)

    def locate(
        self, traceback: TracebackType | None, namespace: Mapping[str, Any]
    ) -> EvaluatedNode | None:
        """What the innermost code in ``namespace`` was doing."""
        found: EvaluatedNode | None = None
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_globals is namespace:
                site = self._find_site(traceback)
                if site is not None:
                    node = _resolve_node(site.fault, frame.f_locals)
                    executing = self.templates[frame.f_code.co_name]
                    found = EvaluatedNode(node, executing, site.call, site.name)
            traceback = traceback.tb_next
        return found

    def _find_site(self, traceback: TracebackType) -> ErrorSite | None:
        positions = list(traceback.tb_frame.f_code.co_positions())
        place = positions[traceback.tb_lasti // 2]
        if place[2] is not None:
            return self.sites.get(place)
        # CPython was told to keep no columns (-X no_debug_ranges): the line must do.
        return next((site for key, site in self.sites.items() if key[0] == place[0]), None)


def _resolve_node(error_node: ErrorNode, variables: Mapping[str, Any]) -> nodes.Node:
    while isinstance(error_node, ShortCircuit):
        arm: int = variables[error_node.branch_local]
        error_node = error_node.last_nodes[arm]
    return error_node
