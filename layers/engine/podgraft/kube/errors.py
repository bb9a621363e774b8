"""What can be wrong with Kubernetes objects, whoever wrote them (``faults`` has the last one)."""

from collections.abc import Iterable


class KubeError(ValueError):
    """The base of this package's errors."""


class QuantityError(KubeError):
    """The text is no resource quantity; the message is Go's."""


class SelectorError(KubeError):
    """A label selector that Kubernetes refuses.

    ``faults`` are all that is wrong; each says where, what is there and what would be right.
    """

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


class WorkloadError(KubeError):
    """A workload without the pod template that it must have."""
