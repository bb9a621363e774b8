"""How much a template may ask for."""

from contextvars import ContextVar

from podgraft.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one rendering. Istio's largest template stays under a hundredth of each."""

    output_bytes: int = 8 * 1024 * 1024  # above any object kube-apiserver takes (3 MiB)
    depth: int = 100  # templates within templates; Python's stack ends near 1,000 frames
    steps: int = 1_000_000  # passes through ranges, and template calls


# The limits of renderings that are given none: trial renderings have lower ones.
LIMITS: ContextVar[Limits] = ContextVar("LIMITS", default=Limits())  # noqa: B039 - it is frozen
