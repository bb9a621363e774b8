"""What is wrong with a bundle: the operator's faults, all of them at once."""

from collections.abc import Sequence

from podgraft.diagnostics import Diagnostic

Fault = Diagnostic


class BundleError(Exception):
    """The bundle does not compile; the one in force stays in force.

    ``tolerated`` are faults found beside, which alone would not have stopped a review.
    """

    def __init__(self, faults: Sequence[Fault], tolerated: Sequence[Fault] = ()) -> None:
        super().__init__("bundle: " + ". ".join(map(str, faults)))
        self.faults = tuple(faults)
        self.tolerated = tuple(tolerated)
