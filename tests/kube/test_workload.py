"""Where workloads keep their pods, and which of them each Istio release knows."""

import copy
from collections.abc import Mapping
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.jsonvalue import Object
from podgraft.kube import WorkloadError, workload

Kinds: TypeAlias = Mapping[workload.GroupKind, workload.Place]

TABLES: dict[str, Kinds] = {
    "current": workload.CURRENT,
    "1.10": workload.UNTIL_1_10,
    "1.0": workload.UNTIL_1_0,
    "every": workload.EVERY,
}
NEVER, ALL = "", "current 1.10 1.0 every"
KINDS = (
    ("v1", "Pod", ALL),
    ("v1", "ReplicationController", ALL),
    ("v1", "DeploymentConfig", ALL),
    ("apps.openshift.io/v1", "DeploymentConfig", ALL),
    ("batch/v1", "Job", ALL),
    ("apps/v1", "Deployment", "current 1.10 every"),
    ("apps/v1", "DaemonSet", "current 1.10 every"),
    ("apps/v1", "ReplicaSet", "current 1.10 every"),
    ("apps/v1", "StatefulSet", "current 1.10 every"),
    ("batch/v1", "CronJob", "current every"),
    ("batch/v2alpha1", "CronJob", "1.10 1.0 every"),
    ("batch/v1beta1", "CronJob", "every"),
    ("extensions/v1beta1", "Deployment", "1.0 every"),
    ("extensions/v1beta1", "DaemonSet", "1.0 every"),
    ("extensions/v1beta1", "ReplicaSet", "1.0 every"),
    ("apps/v1beta1", "StatefulSet", "1.0 every"),
    ("apps/v1beta1", "Deployment", "every"),
    ("apps/v1beta2", "Deployment", "every"),
    ("argoproj.io/v1alpha1", "Rollout", "every"),
    ("v1", "PodTemplate", "every"),
    ("v1", "Service", NEVER),
    ("v1", "List", NEVER),
    ("apps/v1", "Pod", NEVER),
)


@pytest.mark.parametrize(("api_version", "kind", "known"), KINDS)
def test_a_release_knows_the_kinds_of_its_day(api_version: str, kind: str, known: str) -> None:
    document: Object = {"apiVersion": api_version, "kind": kind}
    found = {name for name, table in TABLES.items() if workload.place_of(document, table)}
    assert found == set(known.split())


def test_what_has_no_kind_is_no_workload() -> None:
    assert workload.place_of({}) is None
    assert workload.place_of({"apiVersion": "v1", "kind": 5}) is None


POD: Object = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}
EMPTY: Object = {"metadata": {}, "spec": {}}
CRON_JOB: Object = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "spec": {
        "jobTemplate": {
            "metadata": POD["metadata"],
            "spec": {"template": {"metadata": {"name": "unseen"}, "spec": POD["spec"]}},
        }
    },
}
DEPLOYMENT: Object = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": POD}}
BARE: Object = {"apiVersion": "v1", "kind": "Pod", **POD, "status": {"phase": "Running"}}
TEMPLATE: Object = {"apiVersion": "v1", "kind": "PodTemplate", "template": POD}
DOCUMENTS = (CRON_JOB, DEPLOYMENT, BARE, TEMPLATE)


def place(document: Object) -> workload.Place:
    found = workload.place_of(document, workload.EVERY)
    assert found is not None
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document["kind"])
def test_the_pod_is_metadata_and_spec_in_its_place(document: Object) -> None:
    assert workload.pod_of(document, place(document)) == POD


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document["kind"])
def test_a_pod_put_back_changes_nothing_else(document: Object) -> None:
    before = copy.deepcopy(document)
    pod: Object = {"metadata": {"name": "new"}, "spec": {"hostPID": True}}
    injected = workload.with_pod(document, place(document), pod)
    assert workload.pod_of(injected, place(document)) == pod
    assert document == before
    assert workload.with_pod(injected, place(document), POD) == document


def test_a_cron_job_s_pod_template_keeps_its_own_metadata() -> None:
    injected = workload.with_pod(CRON_JOB, place(CRON_JOB), EMPTY)
    assert injected["spec"] == {
        "jobTemplate": {
            "metadata": {},
            "spec": {"template": {"metadata": {"name": "unseen"}, "spec": {}}},
        }
    }


@pytest.mark.parametrize("spec", [None, {}, {"template": None}, {"template": {}}])
def test_a_missing_template_is_an_empty_one(spec: Object | None) -> None:
    document: Object = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}
    assert workload.pod_of(document, place(document)) == EMPTY
    injected = workload.with_pod(document, place(document), POD)
    assert injected["spec"] == {"template": POD}


@pytest.mark.parametrize("kind", ["ReplicationController", "DeploymentConfig"])
def test_a_missing_template_that_go_points_to_is_an_error(kind: str) -> None:
    document: Object = {"apiVersion": "v1", "kind": kind, "spec": {"template": None}}
    with pytest.raises(WorkloadError, match=r"^spec\.template is required value$"):
        workload.pod_of(document, place(document))


def test_a_template_of_another_type_is_told() -> None:
    document: Object = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": "x"}}
    with pytest.raises(WorkloadError, match=r"^spec\.template: got string; use a mapping$"):
        workload.pod_of(document, place(document))


@given(st.sampled_from(DOCUMENTS))
def test_what_is_read_and_written_back_is_the_same(document: Object) -> None:
    found = place(document)
    assert workload.with_pod(document, found, workload.pod_of(document, found)) == document
