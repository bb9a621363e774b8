"""The workload that owns a pod: current and older variants, and pods without an owner."""

from dataclasses import dataclass, field, replace

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import workload_owner
from podgraft.kube.workload_owner import OwnerRules

SINCE_1_22 = OwnerRules()
SINCE_1_9 = OwnerRules(
    rollouts=False, hide_deployment_config=True, cron_job_api_version="batch/v1beta1"
)
ISTIO_1_8 = OwnerRules(
    rollouts=False,
    deployment_configs=False,
    cron_job_digits=(10, 10),
    cron_job_api_version="batch/v1beta1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    name: str
    owner: tuple[str, str, str] | None
    labels: dict[str, JSON] = field(default_factory=dict[str, JSON])
    generated: bool = True
    rules: OwnerRules = SINCE_1_22
    want: tuple[str, str, str]


HASH: dict[str, JSON] = {"pod-template-hash": "f00"}
ROLLOUT: dict[str, JSON] = {"rollouts-pod-template-hash": "f00"}
CONFIG: dict[str, JSON] = {"deploymentconfig": "front"}
WEB = ("apps/v1", "ReplicaSet", "web-f00")
RC = ("v1", "ReplicationController", "front-1")
TEN = ("batch/v1", "Job", "tick-1234567890")
EIGHT = ("batch/v1", "Job", "tick-12345678")
SEVEN = ("batch/v1", "Job", "tick-1234567")
ELEVEN = ("batch/v1", "Job", "tick-12345678901")

CASES = (
    Case(name="nobody's", owner=None, want=("v1", "Pod", "pod")),
    Case(name="named by hand", owner=WEB, generated=False, want=("v1", "Pod", "pod")),
    Case(name="Deployment", owner=WEB, labels=HASH, want=("apps/v1", "Deployment", "web")),
    Case(name="ReplicaSet without the label", owner=WEB, want=WEB),
    Case(name="another hash", owner=WEB, labels={"pod-template-hash": "bad"}, want=WEB),
    Case(name="an empty hash", owner=WEB, labels={"pod-template-hash": ""}, want=WEB),
    Case(
        name="a hash without a dash before it",
        owner=("apps/v1", "ReplicaSet", "webf00"),
        labels=HASH,
        want=("apps/v1", "Deployment", "webf00"),
    ),
    Case(name="Rollout", owner=WEB, labels=ROLLOUT, want=("v1alpha1", "Rollout", "web")),
    Case(
        name="Deployment before Rollout",
        owner=WEB,
        labels=HASH | ROLLOUT,
        want=("apps/v1", "Deployment", "web"),
    ),
    Case(name="no Rollout before 1.22", owner=WEB, labels=ROLLOUT, rules=SINCE_1_9, want=WEB),
    Case(
        name="DeploymentConfig", owner=RC, labels=CONFIG, want=("v1", "DeploymentConfig", "front")
    ),
    Case(name="ReplicationController", owner=RC, want=RC),
    Case(name="no DeploymentConfig in 1.8", owner=RC, labels=CONFIG, rules=ISTIO_1_8, want=RC),
    Case(name="CronJob", owner=TEN, want=("batch/v1", "CronJob", "tick")),
    Case(name="CronJob, eight digits", owner=EIGHT, want=("batch/v1", "CronJob", "tick")),
    Case(name="a Job with seven digits", owner=SEVEN, want=SEVEN),
    Case(name="a Job with eleven digits", owner=ELEVEN, want=ELEVEN),
    Case(
        name="CronJob before 1.22",
        owner=EIGHT,
        rules=SINCE_1_9,
        want=("batch/v1beta1", "CronJob", "tick"),
    ),
    Case(
        name="CronJob of 1.8", owner=TEN, rules=ISTIO_1_8, want=("batch/v1beta1", "CronJob", "tick")
    ),
    Case(name="a Job of 1.8 with eight digits", owner=EIGHT, rules=ISTIO_1_8, want=EIGHT),
    Case(
        name="any other owner",
        owner=("apps/v1", "StatefulSet", "db"),
        labels=HASH,
        want=("apps/v1", "StatefulSet", "db"),
    ),
    Case(
        name="an owner without a name",
        owner=("apps/v1", "StatefulSet", ""),
        want=("apps/v1", "StatefulSet", "pod"),
    ),
)


def metadata(case: Case) -> Object:
    made: Object = {"name": "pod", "namespace": "shop", "labels": case.labels}
    if case.generated:
        made["generateName"] = "pod-"
    if case.owner is not None:
        api_version, kind, name = case.owner
        made["ownerReferences"] = [
            {"apiVersion": "v1", "kind": "Node", "name": "other"},
            {"apiVersion": api_version, "kind": kind, "name": name, "controller": True},
            {"apiVersion": "v1", "kind": "Late", "name": "late", "controller": True},
        ]
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_pod_belongs_to_its_workload(case: Case) -> None:
    found = workload_owner.workload_of_pod(metadata(case), case.rules)
    assert (found.api_version, found.kind, found.name) == case.want
    assert found.namespace == "shop"
    assert found.metadata["name"] == found.name


def test_an_owner_that_does_not_control_is_none() -> None:
    owners: JSON = [{"kind": "Job", "name": "x-1234567890", "controller": False}]
    found = workload_owner.workload_of_pod({"generateName": "p-", "ownerReferences": owners})
    assert (found.kind, found.name, found.namespace) == ("Pod", "", "")


@pytest.mark.parametrize(
    ("rules", "shown"), [(SINCE_1_9, {"a": "b"}), (SINCE_1_22, {"a": "b", **CONFIG})]
)
def test_the_label_of_a_deployment_config_was_hidden_once(rules: OwnerRules, shown: Object) -> None:
    before = metadata(Case(name="", owner=RC, labels={"a": "b", **CONFIG}, want=RC))
    found = workload_owner.workload_of_pod(before, rules)
    assert found.metadata["labels"] == shown
    assert before["labels"] == {"a": "b", **CONFIG}


def test_a_workload_in_a_file_is_itself() -> None:
    meta: Object = {"name": "tick", "namespace": "shop", "labels": {"a": "b"}}
    found = workload_owner.workload_of_manifest(
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta}
    )
    assert (found.api_version, found.kind) == ("batch/v1", "CronJob")
    assert (found.name, found.namespace, found.metadata) == ("tick", "shop", meta)
    assert workload_owner.workload_of_manifest({}).name == ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("generated", [True, False])
def test_the_root_of_a_pod_is_its_workload_also_if_a_controller_names_the_pod(
    case: Case, generated: bool
) -> None:
    if case.owner is None or not case.owner[2] or case.rules != SINCE_1_22:
        return
    _, kind, name = case.want if case.generated else ("apps/v1", "ReplicaSet", "web-f00")
    pod = metadata(replace(case, generated=generated))
    assert workload_owner.root_workload("Pod", pod) == f"{kind}/{name}"


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("Pod", {"name": "probe"}, "Pod/probe"),
        # kube-apiserver sets the name of such a pod between two passes, or only after both.
        ("Pod", {"generateName": "probe-"}, "Pod/probe-"),
        ("Pod", {"generateName": "probe-", "name": "probe-x7k2p"}, "Pod/probe-"),
        ("Pod", {}, "Pod/"),
        (
            "Pod",
            {"name": 5, "generateName": ["a"], "ownerReferences": {"controller": True}},
            "Pod/",
        ),
        ("Pod", {"name": "p", "ownerReferences": [{"controller": True}]}, "Pod/p"),
        # On /mutate and /validate, an object has the bucket of its pods.
        ("Deployment", {"name": "web"}, "Deployment/web"),
        (
            "ReplicaSet",
            {
                "name": "web-f00",
                "ownerReferences": [{"kind": "Deployment", "name": "web", "controller": True}],
            },
            "Deployment/web",
        ),
        (
            "Job",
            {
                "name": "tick-12345678",
                "ownerReferences": [{"kind": "CronJob", "name": "tick", "controller": True}],
            },
            "CronJob/tick",
        ),
    ],
)
def test_the_root_of_any_object_is_its_workload(kind: str, fields: Object, expected: str) -> None:
    assert workload_owner.root_workload(kind, fields) == expected
