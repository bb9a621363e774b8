"""What is wrong with a policy document: the operator's faults, all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podgraft.diagnostics import Diagnostic

if TYPE_CHECKING:
    from .document import Policy


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
