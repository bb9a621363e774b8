"""The limits of one rendering."""

from msgspec import Struct


class Limits(Struct, frozen=True):
    """Limits of one rendering. Istio's largest template needs less than a hundredth of each.

    ``finds_causes`` is whether a template that fails is rendered again, about ten times, to find
    the value that causes the failure.
    """

    output_bytes: int = 8 * 1024 * 1024  # more than any object that kube-apiserver accepts (3 MiB)
    depth: int = 100  # of nested templates; Python's stack ends near 1,000 frames
    steps: int = 1_000_000  # iterations of ranges, and template calls
    finds_causes: bool = True


DEFAULT_LIMITS = Limits()
