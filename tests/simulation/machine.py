"""The machine of a run: ``podgraft.base.system`` asks it for time, threads, locks, and bytes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from podgraft.base import system
from podgraft.base.system import AgeClock

from .baton import Baton, Node, VirtualLock
from .dice import Dice
from .plan import START_SECONDS


def _read_clock(_zone: object) -> datetime:
    return system.now()


# The class ``datetime`` of the functions beside the webhook.
CLOCK = SimpleNamespace(now=_read_clock, fromisoformat=datetime.fromisoformat)


class SimulatedMachine(system.Machine):
    """Each node has its own clocks, its own random bytes, and its own clock of ages."""

    def __init__(self, baton: Baton, dice: Dice) -> None:
        self._baton = baton
        self._dice = dice
        self._ages: dict[Node, AgeClock] = {}
        super().__init__()

    def monotonic(self) -> float:
        return self._baton.now + self._baton.current.node.monotonic_offset

    def wall_seconds(self) -> float:
        return START_SECONDS + self._baton.now + self._baton.current.node.wall_offset

    def sleep(self, seconds: float) -> None:
        self._baton.wait(seconds)

    def random_bytes(self, count: int) -> bytes:
        node = self._baton.current.node
        node.random_count += 1
        return self._dice.bytes(f"{node.stream}/random/{node.random_count}", count)

    def make_lock(self) -> Any:
        return VirtualLock(self._baton)

    def start_thread(self, target: Callable[[], object]) -> Any:
        return self._baton.spawn(self._baton.current.node, target)

    def age_clock(self) -> float:
        node = self._baton.current.node
        clock = self._ages.get(node)
        if clock is None:
            clock = self._ages[node] = AgeClock(self.monotonic, self.wall_seconds)
        return clock()
