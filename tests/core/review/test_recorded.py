"""Every recorded request, answered: the decision, and what the patch makes of the object."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.core import review
from podgraft.core.review.results import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission, patch
from podgraft.service.store.folder import FolderStore
from support.corpus import assert_corpus
from support.recorded_requests import NAMES, RecordedRequest, load_request
from support.store_fixture import write_injector

CALLER = ReviewContext(injector="default", cluster="prod-eu", url_path="cluster/prod-eu")


@dataclass(frozen=True, slots=True)
class ExpectedReview:
    decision: str
    reason: str
    owner: str
    warning: str = ""


def inject(owner: str, reason: str = "policy-enabled") -> ExpectedReview:
    return ExpectedReview("inject", reason, owner)


def expect_skip(owner: str, reason: str) -> ExpectedReview:
    return ExpectedReview("skip", reason, owner)


def expect_not_applicable(owner: str, reason: str, saw: str) -> ExpectedReview:
    warning = f"/inject is for CREATE of pods; narrow the webhook registration that sent {saw}"
    return ExpectedReview("skip", reason, owner, warning)


WANTED: Mapping[str, ExpectedReview] = {
    "01-deployment-pod": inject("Deployment/web"),
    "01b-deployment-pod-before-1.24": inject("Deployment/web"),
    "02-deployment-pod-second": inject("Deployment/web"),
    "03-kubectl-run": inject("Pod/web"),
    "03b-kubectl-run-eks-user": inject("Pod/web2"),
    "04-statefulset-pod": inject("StatefulSet/db"),
    "05-job-pod": inject("Job/migrate"),
    "06-cronjob-pod": inject("CronJob/report"),
    "07-daemonset-hostnetwork": expect_skip("DaemonSet/node-exporter", "host-network"),
    "08-kube-system-pod": expect_skip("Deployment/coredns", "ignored-namespace"),
    "09-twelve-containers": inject("Deployment/big"),
    "10-eks-irsa": inject("Deployment/web"),
    "11-openshift": inject("Pod/web-ocp"),
    "12-prometheus-annotations": inject("Deployment/web"),
    "13-already-injected": inject("Deployment/web"),
    "14-label-inject-true": inject("Deployment/web", "inject-true,policy-enabled"),
    "14b-annotation-inject-false": expect_skip("Deployment/web", "inject-false"),
    "15-dry-run": inject("Pod/dry"),
    "16-update": expect_not_applicable("Pod/live", "not-create", "UPDATE of pods"),
    "16b-patch": expect_not_applicable("Pod/live", "not-create", "UPDATE of pods"),
    "16c-ephemeralcontainers": expect_not_applicable(
        "Pod/live", "subresource", "UPDATE of pods/ephemeralcontainers"
    ),
    "16d-eviction": expect_not_applicable(
        "Eviction/live", "subresource", "CREATE of pods/eviction"
    ),
    "16e-exec": expect_not_applicable("PodExecOptions/live", "subresource", "CONNECT of pods/exec"),
    "16f-delete": expect_not_applicable("Pod/live", "not-create", "DELETE of pods"),
    "17-deployment": expect_not_applicable(
        "Deployment/web", "not-pods", "CREATE of deployments.apps"
    ),
    "17b-statefulset": expect_not_applicable(
        "StatefulSet/db", "not-pods", "CREATE of statefulsets.apps"
    ),
    "17c-cronjob": expect_not_applicable("CronJob/report", "not-pods", "CREATE of cronjobs.batch"),
    "18-v1beta1": inject("Deployment/web"),
    "18b-versions-v2-v1-v1beta1": inject("Pod/ver"),
    "19-large": inject("Pod/large"),
    "20-unicode-and-html": inject("Pod/uni"),
    "21-http2-loopback": inject("Pod/lo"),
    "22-service": inject("Pod/svc"),
    "23-token-in-path": inject("Pod/tok"),
    "23b-escaped-path": inject("Pod/esc"),
    "24-bearer-token": inject("Pod/a1"),
    "24b-client-certificate": inject("Pod/a2"),
    "24c-certificate-and-token": inject("Pod/a3"),
    "24d-basic": inject("Pod/a4"),
    "24e-no-matching-user": inject("Pod/a5"),
    "24f-token-user-with-port": inject("Pod/a6"),
    "24g-client-certificate-required": inject("Pod/a7"),
    "25-reinvocation-1": inject("Pod/again"),
    "25-reinvocation-2": inject("Pod/again"),
    "25-reinvocation-3": inject("Pod/again"),
}
# Annotations that injection gives another value: scraping goes to the proxy, the status is anew.
REWRITTEN = {"prometheus.io/path", "prometheus.io/port", "sidecar.istio.io/status"}
MUTATING = tuple(name for name in NAMES if not name.endswith(".validate"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> FolderStore:
    return FolderStore(write_injector(tmp_path_factory.mktemp("store")))


def test_every_recording_has_its_row() -> None:
    assert set(MUTATING) == WANTED.keys()


def test_requests_are_decided_as_expected(store: FolderStore) -> None:
    def decide(name: str) -> ExpectedReview:
        outcome = review.inject(
            CALLER.with_request(admission.decode(load_request(name).body)), store
        )
        assert isinstance(outcome, ReviewResponse)
        facts = outcome.record
        warning = "; ".join(outcome.response.warnings)
        return ExpectedReview(facts.decision, facts.reason, facts.owner, warning)

    assert_corpus(MUTATING, expected=WANTED.__getitem__, actual=decide)


@pytest.mark.parametrize("name", MUTATING)
def test_the_decision_is_in_the_response_and_in_the_log(name: str, store: FolderStore) -> None:
    request = admission.decode(load_request(name).body)
    want = WANTED[name]
    outcome = review.inject(CALLER.with_request(request), store)
    assert isinstance(outcome, ReviewResponse)
    facts, response = outcome.record, outcome.response
    assert (facts.decision, facts.reason, facts.owner) == (want.decision, want.reason, want.owner)
    snapshot = store.snapshot("default", "prod-eu")
    assert response.audit == {
        "decision": want.decision,
        "reason": want.reason,
        "policy-version": snapshot.policy_version,
        "bundle": snapshot.bundle.digest,
    }
    assert response.warnings == ((want.warning,) if want.warning else ())
    assert (response.allowed, response.uid) == (True, request.uid)
    assert bool(response.patch) is (want.decision == "inject")


@pytest.mark.parametrize("name", [name for name in MUTATING if WANTED[name].decision == "inject"])
def test_the_patch_fits_the_object_as_sent(name: str, store: FolderStore) -> None:
    sent = load_request(name)
    before = object_of(sent)
    after = apply_patch(sent, store)
    spec, old_spec = mapping(after["spec"]), mapping(before["spec"])
    containers, old_containers = spec["containers"], old_spec["containers"]
    assert isinstance(containers, list)
    assert isinstance(old_containers, list)
    assert {str(mapping(c)["name"]) for c in containers} >= {
        "istio-proxy",
        *(str(mapping(c)["name"]) for c in old_containers),
    }
    metadata, old_metadata = mapping(after["metadata"]), mapping(before["metadata"])
    assert metadata.get("namespace") == old_metadata.get("namespace")
    assert metadata["managedFields"] == old_metadata["managedFields"]
    annotations = mapping(metadata["annotations"])
    old_annotations = mapping(old_metadata.get("annotations", {}))
    assert annotations.keys() >= old_annotations.keys()
    assert {key for key in old_annotations if annotations[key] != old_annotations[key]} <= REWRITTEN
    assert all(isinstance(value, str) for value in annotations.values())


@pytest.mark.parametrize("name", [name for name in MUTATING if WANTED[name].decision == "inject"])
def test_a_second_injection_changes_nothing(name: str, store: FolderStore) -> None:
    """But for the order of variables: as in Istio, those of the cluster move to the end, also
    past those that the first injection appended later. A third injection finds them there.
    """
    sent = load_request(name)
    first = apply_patch(sent, store)
    again = sent.with_value("request", "object", value=first)
    second = apply_patch(again, store)
    assert unordered(second) == unordered(first)
    third = sent.with_value("request", "object", value=second)
    outcome = review.inject(CALLER.with_request(admission.decode(third.body)), store)
    assert isinstance(outcome, ReviewResponse)
    assert outcome.response.patch == b""


def test_two_replicas_get_the_same_patch(store: FolderStore) -> None:
    patches = {
        outcome.response.patch
        for name in ("01-deployment-pod", "02-deployment-pod-second")
        if isinstance(
            outcome := review.inject(
                CALLER.with_request(admission.decode(load_request(name).body)), store
            ),
            ReviewResponse,
        )
    }
    assert len(patches) == 1


@pytest.mark.parametrize("name", NAMES)
def test_without_rules_and_overlays_everything_passes(name: str, store: FolderStore) -> None:
    request = admission.decode(load_request(name).body)
    for answer, decision in ((review.mutate, "skip"), (review.validate, "allow")):
        outcome = answer(CALLER.with_request(request), store)
        assert isinstance(outcome, ReviewResponse)
        assert outcome.record.decision == decision
        assert (outcome.response.allowed, outcome.response.patch) == (True, b"")


def apply_patch(sent: RecordedRequest, store: FolderStore) -> Object:
    outcome = review.inject(CALLER.with_request(admission.decode(sent.body)), store)
    assert isinstance(outcome, ReviewResponse)
    operations = json.loads(outcome.response.patch or b"[]")
    return mapping(patch.apply(object_of(sent), operations))


def unordered(pod: Object) -> Object:
    """The pod with the variables of each container in the order of their names."""
    copied = mapping(json.loads(json.dumps(pod)))
    for container in objects_at(object_at(copied, "spec"), "containers"):
        by_name = {string_at(entry, "name"): entry for entry in objects_at(container, "env")}
        container["env"] = [by_name[name] for name in sorted(by_name)]
    return copied


def object_of(sent: RecordedRequest) -> Object:
    return mapping(mapping(sent.review["request"])["object"])


def mapping(value: JSON) -> Object:
    assert isinstance(value, dict)
    return value
