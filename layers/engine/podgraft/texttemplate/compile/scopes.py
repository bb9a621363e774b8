"""Which variable a name means, as Go's stack of variables would say at run time.

The stack grows and shrinks as the template is walked, so all but one thing is known beforehand:
an argument that ``and`` or ``or`` may leave out may declare a variable that then is not there.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import field

from podgraft.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """A Python local that holds a variable; an ``unsure`` one may be undeclared.

    ``holder`` is a local too, for variables of ranges: what the value is an element of.
    """

    local: str
    name: str
    may_be_undeclared: bool
    container_local: str | None


@dataclass(slots=True)
class Scope:
    """The variables in reach, innermost last; ranges assign to those called ``elements``."""

    range_variables: frozenset[str] = frozenset()
    slots: list[Slot] = field(default_factory=list[Slot])
    is_conditional: bool = False
    all_slots: list[Slot] = field(default_factory=list[Slot])

    def declare(self, name: str, *, element: bool = False) -> Slot:
        """Add a variable; that of a range is an ``element``."""
        local = f"v{len(self.all_slots)}"
        holder = f"{local}_of" if element or name in self.range_variables else None
        slot = Slot(local, name, self.is_conditional, holder)
        self.all_slots.append(slot)
        self.slots.append(slot)
        return slot

    def find(self, name: str) -> list[Slot]:
        """The variables that ``name`` may mean, likeliest first; the last one is surely there.

        None, if none is.
        """
        found: list[Slot] = []
        for slot in reversed(self.slots):
            if slot.name == name:
                found.append(slot)
                if not slot.may_be_undeclared:
                    break
        return found

    @contextmanager
    def nested_scope(self) -> Generator[None, None, None]:
        """What is declared within is gone afterwards."""
        known = len(self.slots)
        yield
        del self.slots[known:]

    @contextmanager
    def conditional_scope(self) -> Generator[None, None, None]:
        """What is declared within may not be."""
        before, self.is_conditional = self.is_conditional, True
        yield
        self.is_conditional = before
