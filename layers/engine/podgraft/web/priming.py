"""Priming: run one synthetic review during init.

Provisioned concurrency and SnapStart start an environment before it is needed. Priming does the
work that an on-demand start leaves to the first review: it parses and compiles templates, finds
their projections, compiles patterns, and generates the methods of data classes.
"""

from podgraft import admission, jsonvalue, review
from podgraft.jsonvalue import JSON, Object
from podgraft.review_context import ReviewContext
from podgraft.store import DEFAULT_INJECTOR, Store

_INJECT_TRUE: Object = {"sidecar.istio.io/inject": "true"}
# A synthetic pod; it is injected unless its namespace or a selector excludes it.
_POD: JSON = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "priming", "labels": _INJECT_TRUE, "annotations": _INJECT_TRUE},
    "spec": {"containers": [{"name": "app", "image": "app"}]},
}
REVIEW: JSON = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {"uid": "priming", "namespace": "default", "object": _POD},
}


def prime(store: Store) -> None:
    """Review a synthetic pod with the default injector; discard the response and the record."""
    request = admission.decode(jsonvalue.dump(REVIEW).encode())
    outcome = review.inject(ReviewContext(injector=DEFAULT_INJECTOR).with_request(request), store)
    if isinstance(outcome, review.ReviewResponse):
        admission.encode(outcome.response)
