"""What can be wrong with Kubernetes objects, whoever wrote them (``faults`` has the last one)."""


class KubeError(ValueError):
    """The base of this package's errors."""


class QuantityError(KubeError):
    """The text is no resource quantity; the message is Go's."""


class TimeError(KubeError):
    """The text is no RFC 3339 time; the message is Go's."""


class SelectorError(KubeError):
    """A label selector that Kubernetes refuses: where, what is wrong and what would be right."""


class WorkloadError(KubeError):
    """A workload without the pod template that it must have."""
