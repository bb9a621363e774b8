"""Where workloads keep their pods, and which of them each Istio release knows."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import WorkloadError, workload

NO_CONTAINERS: Object = {"containers": []}
TEMPLATE_SPEC: Object = {"template": {"spec": NO_CONTAINERS}}
JOB_TEMPLATE_SPEC: Object = {"jobTemplate": {"spec": TEMPLATE_SPEC}}
ANY_GROUP = ("v1", "apps/v1", "extensions/v1beta1", "batch/v2alpha1", "")

# The kinds of Istio's scheme. A Go program over k8s.io/apimachinery v0.35.3 that registers kinds as
# Istio does finds extensions/v1beta1, example.com/v3, and no version of them, and no Rollout.
INJECTED = (
    "CronJob", "DaemonSet", "Deployment", "DeploymentConfig", "Job", "Pod", "ReplicaSet",
    "ReplicationController", "StatefulSet",
)  # fmt: skip
OTHERS = ("Rollout", "PodTemplate")
UNKNOWN = ("Service", "List", "PodMetrics", "deployment")


@pytest.mark.parametrize("kind", [*INJECTED, *OTHERS, *UNKNOWN])
@pytest.mark.parametrize("api_version", ANY_GROUP)
def test_istio_injects_by_kind_alone(api_version: str, kind: str) -> None:
    document: Object = {"apiVersion": api_version, "kind": kind}
    assert bool(workload.find_pod_template_path(document)) is (kind in INJECTED)
    assert bool(workload.find_pod_template_path(document, workload.ALL_KINDS)) is (
        kind in (*INJECTED, *OTHERS)
    )


def test_a_workload_needs_no_api_version() -> None:
    assert workload.find_pod_template_path({"kind": "Deployment"}) is not None


EXTERNAL: tuple[tuple[str, JSON, bool], ...] = (
    # kind, spec, whether it is a workload
    ("Deployment", TEMPLATE_SPEC, True),
    ("StatefulSet", TEMPLATE_SPEC, True),
    ("CronJob", JOB_TEMPLATE_SPEC, True),
    ("Pod", NO_CONTAINERS, True),
    ("Job", {"tasks": [{"template": TEMPLATE_SPEC}]}, False),
    ("Deployment", {"template": "name-of-another"}, False),
    ("CronJob", None, False),
)


@pytest.mark.parametrize(("kind", "spec", "is_workload"), EXTERNAL)
def test_an_external_kind_with_a_pod_template_is_a_workload(
    kind: str, spec: JSON, is_workload: bool
) -> None:
    """Volcano's Job has another form; OpenKruise's StatefulSet has the same."""
    document: Object = {"apiVersion": "example.com/v1", "kind": kind, "spec": spec}
    assert bool(workload.find_pod_template_path(document)) is is_workload


HOLDERS: tuple[tuple[Object, bool], ...] = (
    ({"kind": "Service", "spec": TEMPLATE_SPEC}, True),  # of Knative
    ({"kind": "ScaledJob", "spec": JOB_TEMPLATE_SPEC}, True),
    ({"kind": "PodTemplate", "template": {"spec": NO_CONTAINERS}}, True),
    ({"kind": "Service", "spec": {"ports": []}}, False),
    ({"kind": "ConfigMap", "spec": None}, False),
    ({"kind": "Certificate", "spec": {"template": {"spec": "a"}}}, False),
)


@pytest.mark.parametrize(("document", "holds"), HOLDERS)
def test_an_object_of_any_kind_may_hold_a_pod(document: Object, holds: bool) -> None:
    assert workload.has_pod(document) is holds


def test_what_has_no_kind_is_no_workload() -> None:
    assert workload.find_pod_template_path({}) is None
    assert workload.find_pod_template_path({"apiVersion": "v1", "kind": 5}) is None


def test_a_controller_reads_the_metadata_of_the_pod_template() -> None:
    template = workload.template_of(CRON_JOB, place(CRON_JOB))
    assert template == {"metadata": {"name": "unseen"}, "spec": POD["spec"]}
    assert workload.template_of(DEPLOYMENT, place(DEPLOYMENT)) == POD


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


def place(document: Object) -> workload.PodTemplatePath:
    found = workload.find_pod_template_path(document, workload.ALL_KINDS)
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


def test_a_cron_job_s_pod_template_retains_its_own_metadata() -> None:
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


def test_a_template_of_another_type_is_reported() -> None:
    document: Object = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": "x"}}
    with pytest.raises(WorkloadError, match=r"^spec\.template: got string; use a mapping$"):
        workload.pod_of(document, place(document))


@given(st.sampled_from(DOCUMENTS))
def test_what_is_read_and_written_back_is_the_same(document: Object) -> None:
    found = place(document)
    assert workload.with_pod(document, found, workload.pod_of(document, found)) == document
