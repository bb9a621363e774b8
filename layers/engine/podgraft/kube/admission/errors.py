"""Errors of the caller: the request is not a valid review.

They are failed requests (HTTP 4xx with a ``Status``), never denials, so the failurePolicy of the
webhook applies.
"""


class ReviewError(Exception):
    """Base of this package's errors; ``str()`` is one line for the caller."""


class NotAReviewError(ReviewError):
    """The body is not an AdmissionReview with a valid request."""

    def __init__(self, pointer: str, problem: str) -> None:
        super().__init__(f"{pointer}: {problem}")
        self.pointer = pointer
        self.problem = problem


class TooLargeError(ReviewError):
    """The request, or an object in it, is too large."""

    def __init__(self, description: str, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"{description}: got {size_bytes} bytes; send at most {limit_bytes} bytes")
        self.description = description
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes
