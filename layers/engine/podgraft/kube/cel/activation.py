"""The state of an evaluation, and the closures that read it."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .cost import Meter
from .equality import NO_GO_TYPES, GoTypes
from .values import Value


class Frame:
    """The state of one evaluation: the variables, a slot for each loop variable, and the meter.

    ``go`` knows which values of the variables are values of Go.
    """

    __slots__ = ("go", "meter", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, meter: Meter) -> None:
        self.variables = variables
        self.slots: list[Value] = [None] * slots
        self.meter = meter
        self.go: GoTypes = getattr(variables, "go", NO_GO_TYPES)


Evaluate: TypeAlias = Callable[[Frame], Value]
