"""Outcomes of a review: denials, errors, and stale responses."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core import review
from podgraft.core.bundle import Bundle, Mutation
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.policy import InjectionRules, Policy
from podgraft.core.review.results import ReviewFailure, ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.errors import UnavailableError, UnknownInjectorError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission, patch
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.admission.validation_result import FailedValidation, ValidationResult
from podgraft.service.store.folder import FolderStore
from support.recorded_requests import NAMES, load_request
from support.store_fixture import BUNDLE, CONFIG, write_injector

CALLER = ReviewContext(injector="default")
# Functions, of which no test asks what they read.
Mutator: TypeAlias = Any
Validator: TypeAlias = Any


def request(**fields: JSON) -> AdmissionRequest:
    sent = load_request("03-kubectl-run")
    for key, value in fields.items():
        sent = sent.with_value("request", key, value=value)
    return admission.decode(sent.body)


class FixedStore:
    """A store of one bundle made of plain functions."""

    def __init__(
        self,
        *pods: Mutator,
        objects: tuple[Mutator, ...] = (),
        judges: tuple[Validator, ...] = (),
    ) -> None:
        bundle = Bundle(
            digest="sha256:0",
            base_rules=InjectionRules(),
            rules=InjectionRules(),
            pod_mutators=pods,
            object_mutators=objects,
            validators=judges,
            namespaces={},
            istio=None,
            warnings=(),
        )
        self._snapshot = Snapshot(policy=Policy(), policy_version="7", bundle=bundle)

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        del injector, cluster, deadline, groups
        return self._snapshot

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        del deadline
        return ("default",)


class UnreachableStore:
    """A store that nothing can be got from."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        del injector, cluster, deadline, groups
        raise self._error

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        del deadline
        return ()


def labelling_mutator(key: str) -> Mutator:
    """Return a mutator that adds one label and reports it."""

    def graft(before: Object, context: ReviewContext) -> Mutation:
        metadata = before["metadata"]
        assert isinstance(metadata, dict)
        labels = metadata.get("labels")
        assert isinstance(labels, dict)
        made: Object = {
            **before,
            "metadata": {**metadata, "labels": {**labels, key: context.url_path}},
        }
        return Mutation(patch_base=before, object=made, is_changed=True, warnings=(f"added {key}",))

    return graft


def raising_mutator(error: Exception) -> Mutator:
    def graft(before: Object, context: ReviewContext) -> Mutation:
        del before, context
        raise error

    return graft


def test_mutators_are_applied_in_order_to_one_patch() -> None:
    caller = ReviewContext(injector="default", url_path="net/n1")
    outcome = review.inject(
        caller.with_request(request()), FixedStore(labelling_mutator("a"), labelling_mutator("b"))
    )
    assert isinstance(outcome, ReviewResponse)
    assert outcome.response.patch == (
        b'[{"op":"add","path":"/metadata/labels/a","value":"net/n1"},'
        b'{"op":"add","path":"/metadata/labels/b","value":"net/n1"}]'
    )
    assert outcome.response.warnings == ("added a", "added b")
    assert outcome.record.patch_bytes == len(outcome.response.patch)


def test_a_user_error_denies_the_pod() -> None:
    error = UserError('annotation a: got "1x"; use a number')
    outcome = review.inject(CALLER.with_request(request()), FixedStore(raising_mutator(error)))
    assert isinstance(outcome, ReviewResponse)
    assert outcome.response.allowed is False
    assert outcome.response.status == admission.Status(403, "Forbidden", str(error))
    assert (outcome.record.decision, outcome.record.reason) == ("deny", "user")


def test_an_operator_error_is_not_a_denial() -> None:
    error = OperatorError("template sidecar:1:2: no such field")
    outcome = review.inject(CALLER.with_request(request()), FixedStore(raising_mutator(error)))
    assert isinstance(outcome, ReviewFailure)
    assert outcome.error is error
    facts = outcome.record
    assert (facts.decision, facts.reason, facts.policy_version) == ("fail", "operator", "7")


@pytest.mark.parametrize(
    "error", [UnavailableError("S3 is unreachable"), UnknownInjectorError("no injector x")]
)
def test_a_store_failure_is_not_a_denial(error: Exception) -> None:
    for answer in (review.inject, review.mutate, review.validate):
        outcome = answer(CALLER.with_request(request()), UnreachableStore(error))
        assert isinstance(outcome, ReviewFailure)
        assert outcome.error is error
        assert (outcome.record.decision, outcome.record.reason) == ("fail", "store")


def invalid_mutator(key: str, value: JSON) -> Mutator:
    def graft(before: Object, context: ReviewContext) -> Mutation:
        del context
        return Mutation.from_objects(before, {**before, key: value})

    return graft


BREAKING = (
    invalid_mutator("metadata", {"annotations": {"a": True}}),
    invalid_mutator("metadata", {"labels": {"a": 1}}),
    invalid_mutator("spec", {"containers": [{"name": "a", "env": [{"name": "A", "value": 1}]}]}),
    invalid_mutator(
        "spec", {"containers": [{"name": "a", "resources": {"limits": {"cpu": "lots"}}}]}
    ),
    invalid_mutator("spec", {"terminationGracePeriodSeconds": "30"}),
)


@pytest.mark.parametrize("graft", BREAKING)
def test_a_patch_that_breaks_the_pod_is_never_returned(
    graft: Mutator,
) -> None:
    """kube-apiserver fails on these whatever the failurePolicy (wire: boolannotation, intenv …)."""
    outcome = review.inject(CALLER.with_request(request()), FixedStore(graft))
    assert isinstance(outcome, ReviewFailure)
    assert str(outcome.error).startswith("the injected pod does not decode: ")


NO_PODS: tuple[tuple[str, JSON, str], ...] = (
    ("nothing", None, "object: expected a Pod, got none"),
    ("a list", [], "object: expected a Pod, got none"),
    ("a text", "pod", "object: expected a Pod, got none"),
    ("a Service", {"kind": "Service", "metadata": {}}, "object: expected a Pod, got 'Service'"),
    ("no spec", {"metadata": {}}, "object: a Pod must have metadata and spec"),
    ("no metadata", {"spec": {}}, "object: a Pod must have metadata and spec"),
    (
        "labels that are no strings",
        {"metadata": {"labels": {"a": 1}}, "spec": {}},
        "object /metadata/labels/a: expected a string, got a number",
    ),
    (
        "containers that are no list",
        {"metadata": {}, "spec": {"containers": {}}},
        "object /spec/containers: expected a list, got a map",
    ),
)


@pytest.mark.parametrize(("name", "object_", "message"), NO_PODS, ids=[n for n, _, _ in NO_PODS])
def test_an_object_that_is_no_pod_is_refused(name: str, object_: JSON, message: str) -> None:
    outcome = review.inject(CALLER.with_request(request(object=object_)), FixedStore())
    assert isinstance(outcome, ReviewResponse), name
    assert outcome.response.status == admission.Status(403, "Forbidden", message)


def test_unknown_fields_of_a_pod_are_accepted() -> None:
    pod: JSON = {"metadata": {}, "spec": {"newField": 1}, "kind": "Pod"}
    outcome = review.inject(CALLER.with_request(request(object=pod)), FixedStore())
    assert isinstance(outcome, ReviewResponse)
    assert outcome.response.allowed is True


def test_a_stale_snapshot_adds_a_warning(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path))
    store.snapshot("default", None)
    write_injector(tmp_path, policy="polcy: 1")
    outcome = review.inject(CALLER.with_request(request()), store)
    assert isinstance(outcome, ReviewResponse)
    assert outcome.response.patch
    [warning] = outcome.response.warnings
    assert warning == (
        "podgraft used an older configuration: injector default does not load: "
        "policy: /polcy: unknown key; did you mean policy?"
    )
    assert outcome.record.stale == warning.partition("configuration: ")[2]
    assert outcome.record.refused is True
    assert outcome.response.audit["stale"] == outcome.record.stale
    write_injector(tmp_path, policy="policy: enabled")
    mended = review.inject(CALLER.with_request(request()), store)
    assert isinstance(mended, ReviewResponse)
    assert "stale" not in mended.response.audit


def test_an_invalid_inject_annotation_is_a_warning(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path, policy="injectValues: strict"))
    sent = load_request("14-label-inject-true")
    strange = sent.with_value(
        "request", "object", "metadata", "labels", "sidecar.istio.io/inject", value="yes"
    )
    outcome = review.inject(CALLER.with_request(admission.decode(strange.body)), store)
    assert isinstance(outcome, ReviewResponse)
    assert outcome.response.warnings == (
        'label sidecar.istio.io/inject: \'yes\' has no effect; use "true" or "false"',
    )


def test_each_cluster_has_its_own_policy(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path, policy="clusters: {staging: {policy: disabled}}"))
    decisions = [
        outcome.record.decision
        for cluster in ("prod-eu", "staging", None)
        if isinstance(
            outcome := review.inject(
                ReviewContext(injector="default", cluster=cluster).with_request(request()), store
            ),
            ReviewResponse,
        )
    ]
    assert decisions == ["inject", "skip", "inject"]


def test_only_the_policy_document_changes_between_the_two_outcomes(tmp_path: Path) -> None:
    """The shared-cluster recipe: policy disabled, foo-v1 marked, its twin foo-v2 not."""
    store = FolderStore(write_injector(tmp_path, policy="policy: enabled"))
    marked = admission.decode(load_request("14-label-inject-true").body)
    twin = admission.decode(load_request("01-deployment-pod").body)

    def decisions() -> list[str]:
        return [
            review.inject(CALLER.with_request(each), store).record.decision
            for each in (marked, twin)
        ]

    assert decisions() == ["inject", "inject"]
    write_injector(tmp_path, policy="policy: disabled")
    assert decisions() == ["inject", "skip"]


def test_a_template_that_fails_for_this_pod_is_an_operator_error(tmp_path: Path) -> None:
    broken = CONFIG.replace("{{ .DeploymentMeta.Name }}", '{{ fail "not for you" }}')
    files = {**BUNDLE, "injector.yaml": broken.encode()}
    # A cold start renders no probe pods, which would keep the bundle from being in force.
    store = FolderStore(write_injector(tmp_path, files=files), deferred=True)
    outcome = review.inject(CALLER.with_request(request()), store)
    assert isinstance(outcome, ReviewFailure)
    assert isinstance(outcome.error, OperatorError)


def test_overlays_work_on_any_object() -> None:
    deployment = admission.decode(load_request("17-deployment").body)
    outcome = review.mutate(
        CALLER.with_request(deployment), FixedStore(objects=(labelling_mutator("x"),))
    )
    assert isinstance(outcome, ReviewResponse)
    assert (outcome.record.decision, outcome.record.reason) == ("mutate", "overlays")
    assert outcome.response.patch == b'[{"op":"add","path":"/metadata/labels/x","value":""}]'


def test_a_deletion_has_no_object_to_overlay() -> None:
    deletion = admission.decode(load_request("16f-delete").body)
    outcome = review.mutate(
        CALLER.with_request(deletion), FixedStore(objects=(raising_mutator(AssertionError()),))
    )
    assert isinstance(outcome, ReviewResponse)
    assert outcome.record.reason == "nothing-matches"


def test_policies_deny_warn_and_allow() -> None:
    def judge(request: AdmissionRequest, trace: object = None) -> ValidationResult:
        del request, trace
        return ValidationResult(warnings=("look at limits",))

    def deny_request(request: AdmissionRequest, trace: object = None) -> ValidationResult:
        del request, trace
        return ValidationResult(
            denials=(FailedValidation("no limits", "Forbidden"), FailedValidation("no owner"))
        )

    passed = review.validate(CALLER.with_request(request()), FixedStore(judges=(judge,)))
    assert isinstance(passed, ReviewResponse)
    assert (passed.response.allowed, passed.response.warnings) == (True, ("look at limits",))
    refused = review.validate(
        CALLER.with_request(request()), FixedStore(judges=(judge, deny_request))
    )
    assert isinstance(refused, ReviewResponse)
    assert refused.response.status == admission.Status(403, "Forbidden", "no limits; no owner")
    assert (refused.record.decision, refused.record.reason) == ("deny", "rules")
    assert refused.response.warnings == ("look at limits",)


OLD_CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector, namespace: istio-system}
data:
  config: |
    policy: enabled
    template: |
      initContainers:
      - name: istio-init
        image: registry.example.com/init:1
      containers:
      - name: istio-proxy
        image: registry.example.com/proxy:1
  values: "{}"
"""
OVERLAID = {"op": "add", "path": "/metadata/labels/late", "value": ""}


def test_releases_up_to_1_8_send_their_fixed_operations_and_overlays_come_after(
    tmp_path: Path,
) -> None:
    files = {"injector.yaml": OLD_CONFIG.encode()}
    store = FolderStore(write_injector(tmp_path, policy='istioRelease: "1.8"', files=files))
    pods = (*store.snapshot("default", None).bundle.pod_mutators, labelling_mutator("late"))
    outcome = review.inject(CALLER.with_request(request()), FixedStore(*pods))
    assert isinstance(outcome, ReviewResponse)
    operations = json.loads(outcome.response.patch)
    paths = [operation["path"] for operation in operations]
    assert paths.index("/spec/initContainers") < paths.index("/spec/containers/-")
    assert operations[-1] == OVERLAID
    pod = patch.apply(request().object, operations)
    assert isinstance(pod, dict)
    names = json.dumps(pod["spec"])
    assert '"name": "istio-init"' in names
    assert '"name": "istio-proxy"' in names


@pytest.mark.parametrize("release", ["1.0", "1.8"])
def test_fixed_operations_fit_every_recorded_pod(release: str, tmp_path: Path) -> None:
    """They are no difference, so nothing but trying shows that they apply."""
    files = {"injector.yaml": OLD_CONFIG.encode()}
    store = FolderStore(write_injector(tmp_path, policy=f'istioRelease: "{release}"', files=files))
    fitted = 0
    for name in NAMES:
        sent = admission.decode(load_request(name).body)
        outcome = review.inject(CALLER.with_request(sent), store)
        assert isinstance(outcome, ReviewResponse)
        if outcome.response.patch:
            pod = patch.apply(sent.object, json.loads(outcome.response.patch))
            assert '"istio-proxy"' in json.dumps(pod), name
            fitted += 1
    assert fitted > 50
