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

from podgraft.records import dataclass

from . import nodes
from .pen import Pen

Place: TypeAlias = tuple[int | None, ...]


@dataclass(slots=True)
class Arms:
    """The node that was evaluated last, where it depends on how far ``and`` or ``or`` went.

    Once somebody asks (``mark``), the code keeps the number of the arm in ``local``.
    """

    code: ast.BoolOp
    last: Sequence[Blamed]
    local: str
    pen: Pen
    marked: bool = False

    @property
    def either(self) -> nodes.Node:
        """One of the nodes it may be."""
        blamed = self.last[-1]
        return blamed.either if isinstance(blamed, Arms) else blamed

    def mark(self) -> None:
        """Let the code say which arm it took."""
        if self.marked:
            return
        self.marked = True
        for number, (value, blamed) in enumerate(zip(self.code.values, self.last, strict=True)):
            kept = self.pen.keep(self.local, self.pen.constant(number))
            self.code.values[number] = self.pen.last(kept, value)
            if isinstance(blamed, Arms):
                blamed.mark()


Blamed: TypeAlias = nodes.Node | Arms


@dataclass(frozen=True, slots=True)
class Site:
    """Whom to blame for a fault, and for the failure of the function ``name`` called here."""

    fault: Blamed
    call: nodes.Node | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Blame:
    """What was being evaluated, in which template, and the function that was called, if any."""

    node: nodes.Node
    executing: str
    call: nodes.Node | None
    name: str


@dataclass(frozen=True, slots=True)
class Sites:
    """Every operation of a program that can fail, by its place; templates by their code's name."""

    known: dict[Place, Site] = field(default_factory=dict[Place, Site])
    templates: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, pen: Pen, site: Site) -> None:
        """Whatever fails where ``pen`` writes is to be blamed so."""
        if isinstance(site.fault, Arms):
            site.fault.mark()
        self.known.setdefault(pen.key, site)

    def blame(self, traceback: TracebackType | None, namespace: Mapping[str, Any]) -> Blame | None:
        """What the innermost code in ``namespace`` was doing."""
        found: Blame | None = None
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_globals is namespace:
                site = self._site(traceback)
                if site is not None:
                    node = _resolved(site.fault, frame.f_locals)
                    executing = self.templates[frame.f_code.co_name]
                    found = Blame(node, executing, site.call, site.name)
            traceback = traceback.tb_next
        return found

    def _site(self, traceback: TracebackType) -> Site | None:
        positions = list(traceback.tb_frame.f_code.co_positions())
        place = positions[traceback.tb_lasti // 2]
        if place[2] is not None:
            return self.known.get(place)
        # CPython was told to keep no columns (-X no_debug_ranges): the line must do.
        return next((site for key, site in self.known.items() if key[0] == place[0]), None)


def _resolved(blamed: Blamed, variables: Mapping[str, Any]) -> nodes.Node:
    while isinstance(blamed, Arms):
        arm: int = variables[blamed.local]
        blamed = blamed.last[arm]
    return blamed
