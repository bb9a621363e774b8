"""The state of an evaluation, and the closures that read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .cost import Meter
from .values import Value


class Frame:
    """The state of one evaluation: the variables, a slot for each loop variable, and the meter."""

    __slots__ = ("meter", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, meter: Meter) -> None:
        self.variables = variables
        self.slots: list[Value] = [None] * slots
        self.meter = meter


Evaluate: TypeAlias = Callable[[Frame], Value]
