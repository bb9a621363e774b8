"""The errors of Kubernetes objects (``decode_errors.py`` has the decode errors)."""

from collections.abc import Iterable

from msgspec import Struct


class KubeError(ValueError):
    """The base of this package's errors."""


class QuantityError(KubeError):
    """The text is not a resource quantity; the message is Go's."""


class SelectorDiagnostic(Struct, frozen=True):
    """One error in a selector; ``pointer`` is a JSON Pointer into the selector."""

    pointer: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        location = f"{self.pointer}: " if self.pointer else ""
        return f"{location}{self.problem}; {self.remedy}"


class SelectorError(KubeError):
    """A label selector that Kubernetes rejects; ``errors`` are all its errors."""

    def __init__(self, errors: Iterable[SelectorDiagnostic]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(map(str, self.errors)))


class WorkloadError(KubeError):
    """A workload without its required pod template."""
