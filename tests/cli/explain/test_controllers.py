"""The pods that controllers create: names, owners and labels that decisions depend on."""

import pytest

from podgraft.base.jsonvalue import Object, object_at, objects_at
from podgraft.cli.explain import controllers
from podgraft.kube import workload_owner

TEMPLATE: Object = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}

CASES = (
    # apiVersion, kind, owner, the workload that Istio finds, an added label
    ("apps/v1", "Deployment", "ReplicaSet", "Deployment", "pod-template-hash"),
    ("argoproj.io/v1alpha1", "Rollout", "ReplicaSet", "Rollout", "rollouts-pod-template-hash"),
    ("apps/v1", "ReplicaSet", "ReplicaSet", "ReplicaSet", "app"),
    ("apps/v1", "StatefulSet", "StatefulSet", "StatefulSet", "statefulset.kubernetes.io/pod-name"),
    ("apps/v1", "DaemonSet", "DaemonSet", "DaemonSet", "controller-revision-hash"),
    ("batch/v1", "Job", "Job", "Job", "batch.kubernetes.io/job-name"),
    ("batch/v1", "CronJob", "Job", "CronJob", "job-name"),
    ("v1", "DeploymentConfig", "ReplicationController", "DeploymentConfig", "deploymentconfig"),
    ("v1", "ReplicationController", "ReplicationController", "ReplicationController", "app"),
)


@pytest.mark.parametrize(("api_version", "kind", "owner", "workload", "label"), CASES)
def test_a_pod_leads_back_to_its_workload(
    api_version: str, kind: str, owner: str, workload: str, label: str
) -> None:
    document: Object = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}}
    pod = controllers.make_pod(document, TEMPLATE)
    metadata = object_at(pod, "metadata")
    (reference,) = objects_at(metadata, "ownerReferences")
    found = workload_owner.workload_of_pod(metadata)

    assert (reference["kind"], reference["controller"]) == (owner, True)
    assert (found.kind, found.name) == (workload, "web")
    assert label in object_at(metadata, "labels")
    assert pod["spec"] is TEMPLATE["spec"]
