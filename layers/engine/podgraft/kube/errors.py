"""What can be wrong with Kubernetes objects, whoever wrote them (``faults`` has the last one)."""

from collections.abc import Iterable

from podgraft.lazy_dataclass import dataclass


class KubeError(ValueError):
    """The base of this package's errors."""


class QuantityError(KubeError):
    """The text is no resource quantity; the message is Go's."""


@dataclass(frozen=True, slots=True)
class SelectorDiagnostic:
    """One thing wrong with a selector; ``path`` is a JSON Pointer into it."""

    pointer: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.pointer}: " if self.pointer else ""
        return f"{place}{self.problem}; {self.remedy}"


class SelectorError(KubeError):
    """A label selector that Kubernetes refuses; ``faults`` are all that is wrong with it."""

    def __init__(self, faults: Iterable[SelectorDiagnostic]) -> None:
        self.errors = tuple(faults)
        super().__init__("; ".join(map(str, self.errors)))


class WorkloadError(KubeError):
    """A workload without the pod template that it must have."""
