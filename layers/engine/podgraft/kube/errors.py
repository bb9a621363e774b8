"""The errors of Kubernetes objects (``decode_errors.py`` has the decode errors)."""

from collections.abc import Iterable

from podgraft.base.diagnostics import Diagnostic


class KubeError(ValueError):
    """The base of this package's errors."""


class QuantityError(KubeError):
    """The text is not a resource quantity; the message is Go's."""


class SelectorError(KubeError):
    """A label selector that Kubernetes rejects; pointers in ``errors`` start at the selector."""

    def __init__(self, errors: Iterable[Diagnostic]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(map(_describe, self.errors)))


def _describe(error: Diagnostic) -> str:
    location = f"{error.pointer}: " if error.pointer else ""
    return f"{location}{error.problem}; {error.remedy}"


class WorkloadError(KubeError):
    """A workload without its required pod template."""
