"""One review before the first, for a start that nobody waits for; AWS calls it priming.

Provisioned concurrency and SnapStart make an environment long before it is needed. What a start on
demand leaves to the first review is done by then: templates parsed and compiled, their footprints
found, patterns compiled, methods of records made.
"""

from podgraft import admission, jsonvalue, review
from podgraft.jsonvalue import JSON, Object
from podgraft.review_context import ReviewContext
from podgraft.store import DEFAULT_INJECTOR, Store

_INJECT_TRUE: Object = {"sidecar.istio.io/inject": "true"}
# Nobody's pod, injected wherever neither its namespace nor a selector forbids it.
_POD: JSON = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "rehearsal", "labels": _INJECT_TRUE, "annotations": _INJECT_TRUE},
    "spec": {"containers": [{"name": "app", "image": "app"}]},
}
_REVIEW: JSON = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {"uid": "rehearsal", "namespace": "default", "object": _POD},
}


def prime(store: Store) -> None:
    """Have the default injector review a pod; the answer goes nowhere, not even into the log."""
    request = admission.decode(jsonvalue.dump(_REVIEW).encode())
    outcome = review.inject(ReviewContext(injector=DEFAULT_INJECTOR).with_request(request), store)
    if isinstance(outcome, review.ReviewResponse):
        admission.encode(outcome.response)
