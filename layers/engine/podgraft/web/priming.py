"""Priming: run one synthetic review during init.

Provisioned concurrency and SnapStart start an environment before it is needed. Priming does the
work that an on-demand start leaves to the first review: it parses and compiles templates, finds
their projections, compiles patterns, and generates the methods of data classes.
"""

from podgraft import admission, jsonvalue, review
from podgraft.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.review_context import ReviewContext
from podgraft.store import DEFAULT_INJECTOR, Store


def prime(store: Store) -> None:
    """Review a synthetic pod with the default injector; discard the response and the record."""
    request = admission.decode(jsonvalue.dump(SYNTHETIC_REVIEW).encode())
    outcome = review.inject(ReviewContext(injector=DEFAULT_INJECTOR).with_request(request), store)
    if isinstance(outcome, review.ReviewResponse):
        admission.encode(outcome.response)
