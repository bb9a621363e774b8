"""What is wrong with a bundle: the operator's faults, all of them at once."""

from collections.abc import Sequence

from podgraft.diagnostics import Diagnostic

__all__ = ["BundleError", "Diagnostic"]


class BundleError(Exception):
    """The bundle does not compile; the one in force stays in force.

    ``tolerated`` are faults found beside, which alone would not have stopped a review.
    """

    def __init__(self, faults: Sequence[Diagnostic], tolerated: Sequence[Diagnostic] = ()) -> None:
        super().__init__("bundle: " + ". ".join(map(str, faults)))
        self.errors = tuple(faults)
        self.warnings = tuple(tolerated)
