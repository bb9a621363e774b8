"""The scopes of variables: static lookup with the results of Go's stack of variables.

The position in a template determines the stack, with one exception: an argument that ``and`` or
``or`` skips can declare a variable, which then stays undeclared.
"""

from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct, field


class Slot(Struct, frozen=True):
    """A Python local that contains a variable.

    ``container_local`` is the local of the container of a range variable's value.
    """

    local: str
    name: str
    may_be_undeclared: bool
    container_local: str | None


class Scope(Struct):
    """The variables in scope, innermost last; ranges assign to ``range_variables``."""

    range_variables: frozenset[str] = frozenset()
    slots: list[Slot] = field(default_factory=list[Slot])
    is_conditional: bool = False
    all_slots: list[Slot] = field(default_factory=list[Slot])

    def declare(self, name: str, *, element: bool = False) -> Slot:
        """Add a variable; ``element`` means a variable of a range."""
        local = f"v{len(self.all_slots)}"
        container_local = f"{local}_of" if element or name in self.range_variables else None
        slot = Slot(local, name, self.is_conditional, container_local)
        self.all_slots.append(slot)
        self.slots.append(slot)
        return slot

    def find(self, name: str) -> list[Slot]:
        """The variables that ``name`` can resolve to, innermost first; the last is always declared.

        Empty if there is no such variable.
        """
        slots: list[Slot] = []
        for slot in reversed(self.slots):
            if slot.name == name:
                slots.append(slot)
                if not slot.may_be_undeclared:
                    break
        return slots

    @contextmanager
    def nested_scope(self) -> Generator[None, None, None]:
        """Remove the variables that are declared inside, at the end."""
        slot_count = len(self.slots)
        yield
        del self.slots[slot_count:]

    @contextmanager
    def conditional_scope(self) -> Generator[None, None, None]:
        """Treat the variables that are declared inside as possibly undeclared."""
        before, self.is_conditional = self.is_conditional, True
        yield
        self.is_conditional = before
