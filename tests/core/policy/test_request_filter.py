"""Only the creation of a pod is injected; of the recorded requests, these are not."""

import pytest

from podgraft.core import policy
from podgraft.core.policy import Reason
from podgraft.kube import admission
from podgraft.kube.admission import (
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from support.recorded_requests import NAMES, load_request

UNTOUCHED = {
    "16-update": (Reason.NOT_CREATE, "UPDATE of pods"),
    "16b-patch": (Reason.NOT_CREATE, "UPDATE of pods"),
    "16c-ephemeralcontainers": (Reason.SUBRESOURCE, "UPDATE of pods/ephemeralcontainers"),
    "16d-eviction": (Reason.SUBRESOURCE, "CREATE of pods/eviction"),
    "16e-exec": (Reason.SUBRESOURCE, "CONNECT of pods/exec"),
    "16f-delete": (Reason.NOT_CREATE, "DELETE of pods"),
    "17-deployment": (Reason.NOT_PODS, "CREATE of deployments.apps"),
    "17b-statefulset": (Reason.NOT_PODS, "CREATE of statefulsets.apps"),
    "17c-cronjob": (Reason.NOT_PODS, "CREATE of cronjobs.batch"),
}


@pytest.mark.parametrize("name", NAMES)
def test_only_the_creation_of_pods_is_decided_upon(name: str) -> None:
    decision = policy.decide_applicability(admission.decode(load_request(name).body))
    scenario = name.removesuffix(".validate")
    if scenario not in UNTOUCHED:
        assert decision is None
        return
    reason, saw = UNTOUCHED[scenario]
    assert decision is not None
    assert not decision.injects
    assert (decision.reasons, decision.deciding_step.observed) == ((reason,), saw)
    assert decision.warnings == (
        f"/inject is for CREATE of pods; narrow the webhook registration that sent {saw}",
    )


BARE = AdmissionRequest(api_version="admission.k8s.io/v1", raw={})
PODS = GroupVersionResource("", "v1", "pods")
OTHERS = (
    ("a bare request", BARE, None),
    (
        "a Service without a resource",
        AdmissionRequest(
            api_version="admission.k8s.io/v1", kind=GroupVersionKind("", "v1", "Service"), raw={}
        ),
        Reason.NOT_PODS,
    ),
    (
        "pods of another group",
        AdmissionRequest(
            api_version="admission.k8s.io/v1",
            resource=GroupVersionResource("metrics.k8s.io", "v1beta1", "pods"),
            raw={},
        ),
        Reason.NOT_PODS,
    ),
    (
        "deletion without a kind",
        AdmissionRequest(
            api_version="admission.k8s.io/v1", resource=PODS, operation=Operation.DELETE, raw={}
        ),
        Reason.NOT_CREATE,
    ),
)


@pytest.mark.parametrize(("name", "request_", "reason"), OTHERS, ids=[name for name, *_ in OTHERS])
def test_what_is_missing_counts_as_a_pods_creation(
    name: str, request_: AdmissionRequest, reason: Reason | None
) -> None:
    decision = policy.decide_applicability(request_)
    assert (decision and decision.deciding_step.reason) is reason, name
