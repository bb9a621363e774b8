"""The source map from compiled code to template nodes.

Go records the node that it evaluates, and reports it with an error. Compiled code records nothing:
each operation that can fail has a separate location, and CPython stores the location of each
instruction. After an error, ``SourceMap.locate`` finds the node by this location.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, TypeAlias

from msgspec import Struct, field

from podgraft.golang.texttemplate.parse import nodes

from .ast_builder import AstBuilder

CodePosition: TypeAlias = tuple[int | None, ...]


class ShortCircuit(Struct):
    """The last evaluated node of ``and`` or ``or``, which depends on the evaluated arguments.

    After ``record_branch``, the code stores the index of the last argument in ``branch_local``.
    """

    code: ast.BoolOp
    last_nodes: Sequence[ErrorNode]
    branch_local: str
    builder: AstBuilder
    is_recorded: bool = False

    @property
    def any_node(self) -> nodes.Node:
        """One of the possible nodes."""
        node = self.last_nodes[-1]
        return node.any_node if isinstance(node, ShortCircuit) else node

    def record_branch(self) -> None:
        """Change the code to store the index of the last evaluated argument."""
        if self.is_recorded:
            return
        self.is_recorded = True
        for number, (value, node) in enumerate(zip(self.code.values, self.last_nodes, strict=True)):
            assignment = self.builder.assign_expression(
                self.branch_local, self.builder.constant(number)
            )
            self.code.values[number] = self.builder.sequence_expression(assignment, value)
            if isinstance(node, ShortCircuit):
                node.record_branch()


ErrorNode: TypeAlias = nodes.Node | ShortCircuit


class ErrorSite(Struct, frozen=True):
    """The node that causes an error, and the call of the function ``name`` at this location."""

    error_node: ErrorNode
    call: nodes.Node | None = None
    name: str = ""


class SourceMap(Struct, frozen=True):
    """The operations that can fail, by location, and the templates, by the names of their code."""

    sites: dict[CodePosition, ErrorSite] = field(default_factory=dict[CodePosition, ErrorSite])
    templates: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, builder: AstBuilder, site: ErrorSite) -> None:
        """Map errors at the location of ``builder`` to ``site``."""
        if isinstance(site.error_node, ShortCircuit):
            site.error_node.record_branch()
        self.sites.setdefault(builder.position_key, site)

    def locate(
        self, traceback: TracebackType | None, namespace: Mapping[str, Any]
    ) -> tuple[ErrorSite, nodes.Node, str] | None:
        """Return the site, its node, and its template, of the innermost code in ``namespace``."""
        evaluated: tuple[ErrorSite, nodes.Node, str] | None = None
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_globals is namespace:
                site = self._find_site(traceback)
                if site is not None:
                    node = _resolve_node(site.error_node, frame.f_locals)
                    evaluated = site, node, self.templates[frame.f_code.co_name]
            traceback = traceback.tb_next
        return evaluated

    def _find_site(self, traceback: TracebackType) -> ErrorSite | None:
        positions = list(traceback.tb_frame.f_code.co_positions())
        position = positions[traceback.tb_lasti // 2]
        if position[2] is not None:
            return self.sites.get(position)
        # With -X no_debug_ranges, CPython stores no columns, so only the line can match.
        return next((site for key, site in self.sites.items() if key[0] == position[0]), None)


def _resolve_node(error_node: ErrorNode, variables: Mapping[str, Any]) -> nodes.Node:
    while isinstance(error_node, ShortCircuit):
        branch: int = variables[error_node.branch_local]
        error_node = error_node.last_nodes[branch]
    return error_node
