"""What is wrong with a policy document: the operator's faults, all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podgraft.diagnostics import Severity
from podgraft.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from .document import Policy


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: where it is (a JSON Pointer into the document), what is wrong, what to do."""

    pointer: str
    problem: str
    remedy: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.problem}; {self.remedy}"


class PolicyError(Exception):
    """The document does not validate; the policy in force stays in force.

    ``tolerated`` are faults found beside, which alone would not have stopped a review. ``sound``
    is what the document says without the faulty keys: a bundle can be checked by it.
    """

    def __init__(
        self,
        faults: Sequence[Diagnostic],
        tolerated: Sequence[Diagnostic] = (),
        sound: Policy | None = None,
    ) -> None:
        super().__init__("policy: " + ". ".join(map(str, faults)))
        self.errors = tuple(faults)
        self.warnings = tuple(tolerated)
        self.valid_part = sound
