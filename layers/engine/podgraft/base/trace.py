"""The trace of a review: each step, recorded by the code that executes it.

``podgraft explain`` passes a ``Trace`` to ``podgraft.core.review``; the function passes none. A
trace never changes the result.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

TEMPLATES_STEP = "Istio templates"  # of every pod that the decision injects

Effect: TypeAlias = Literal["passes", "injects", "changes", "stops", "denies", "fails"]


class TraceStep(Struct, frozen=True, rename="camel"):
    """One step: what it observed, its effect on the object, and whether it decides the result.

    ``reached`` is false for a step after the deciding one, which has no effect.
    """

    name: str
    observed: str
    outcome: Effect = "passes"
    is_deciding: bool = False
    reason: str = ""
    reached: bool = True


class Additions(Struct, frozen=True, kw_only=True, rename="camel"):
    """What an injection adds to a pod."""

    templates: tuple[str, ...] = ()
    image: str = ""
    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()


class Trace(Struct):
    """The steps of one review in their order; ``error`` is the complete text of its failure."""

    steps: list[TraceStep] = []
    additions: Additions | None = None
    error: str = ""

    def add(
        self,
        name: str,
        observed: str,
        effect: Effect = "passes",
        reason: str = "",
        is_deciding: bool = False,
    ) -> None:
        """Record a step."""
        self.steps.append(TraceStep(name, observed, effect, is_deciding, reason))

    def amend(self, name: str, observed: str, effect: Effect = "passes") -> None:
        """Replace what the last step of this name observed, and its effect."""
        index = max(index for index, step in enumerate(self.steps) if step.name == name)
        self.steps[index] = TraceStep(name, observed, effect)
