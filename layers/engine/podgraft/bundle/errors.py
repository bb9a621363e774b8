"""What is wrong with a bundle: the operator's faults, all of them at once."""

from collections.abc import Sequence

from podgraft.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault: the file, the JSON Pointer inside its document, what is wrong, what to do.

    ``excerpt`` draws the place, where the document is a program of many lines.
    """

    file: str
    path: str = ""
    problem: str
    remedy: str
    excerpt: str = ""

    def __str__(self) -> str:
        place = f"{self.file} {self.path}" if self.path else self.file
        excerpt = f"\n{self.excerpt}" if self.excerpt else ""
        return f"{place}: {self.problem}; {self.remedy}{excerpt}"


class BundleError(Exception):
    """The bundle does not compile; the one in force stays in force.

    ``tolerated`` are faults found beside, which alone would not have stopped a review.
    """

    def __init__(self, faults: Sequence[Fault], tolerated: Sequence[Fault] = ()) -> None:
        super().__init__("bundle: " + ". ".join(map(str, faults)))
        self.faults = tuple(faults)
        self.tolerated = tuple(tolerated)
