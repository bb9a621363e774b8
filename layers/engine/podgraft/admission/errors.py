"""Faults of the caller: what came is no review that can be answered.

They are failed calls (HTTP 4xx with a ``Status``), never refusals, so that the webhook's
failurePolicy decides what becomes of the pod.
"""


class ReviewError(Exception):
    """Base of this package's errors; ``str()`` is one line fit for the caller."""


class NotAReviewError(ReviewError):
    """The body is empty, no JSON, no AdmissionReview, or one without a usable request."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


class TooLargeError(ReviewError):
    """The request or an object in it is larger than this service takes."""

    def __init__(self, what: str, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"{what}: {size_bytes} bytes; at most {limit_bytes} are taken")
        self.what = what
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes
