"""Machines for code that asks ``podgraft.base.system`` for the time and for random bytes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from podgraft.base import system


class LaterMachine(system.Machine):
    """A machine whose wall clock is some days ahead."""

    def __init__(self, days: float) -> None:
        self._ahead_seconds = days * 86_400
        super().__init__()

    def wall_seconds(self) -> float:
        return super().wall_seconds() + self._ahead_seconds


@contextmanager
def use_machine(machine: system.Machine) -> Generator[None]:
    """Let the code ask *machine*."""
    before = system.replace_machine(machine)
    try:
        yield
    finally:
        system.replace_machine(before)
