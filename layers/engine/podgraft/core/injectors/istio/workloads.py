"""The workload that owns a pod, by the rules of each release."""

from functools import cache

from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, object_at, without_keys
from podgraft.kube import workload_owner
from podgraft.kube.workload_owner import CONFIG_LABEL, OwnerRules, WorkloadRef

from . import status
from .pod_builder import PROXY, containers, find_by_name, pod_annotations
from .releases import Profile


def workload_of(profile: Profile, pod: Object) -> WorkloadRef:
    """The workload that the owner references of the pod name, or the pod itself."""
    if not profile.owner_lookup:
        return workload_owner.workload_of_manifest({"apiVersion": "v1", "kind": "Pod"} | pod)
    workload = workload_owner.workload_of_pod(object_at(pod, "metadata"), _owner_rules(profile))
    if not profile.deployment_meta_without_owners:
        return workload
    metadata = without_keys(workload.metadata, "ownerReferences", "managedFields")
    return replace(workload, metadata=metadata)


def without_config_label(profile: Profile, pod: Object, workload: WorkloadRef) -> Object:
    """Return the pod without the label of DeploymentConfigs, if the release removes it.

    Some releases remove the label from the pod itself. Neither the templates nor the base of the
    patch then have it. The pod in the cluster keeps the label, because no operation changes it.
    """
    if workload.kind != "DeploymentConfig" or not profile.deployment_config_label_lost:
        return pod
    metadata = object_at(pod, "metadata")
    remaining = without_keys(object_at(metadata, "labels"), CONFIG_LABEL)
    labels_entry: Object = {"labels": remaining} if remaining else {}
    return {**pod, "metadata": without_keys(metadata, "labels") | labels_entry}


def is_injected(profile: Profile, pod: Object) -> bool:
    """Whether kube-inject skips the pod because it has a sidecar."""
    pod_containers = containers(pod)
    return (
        profile.skips_injected
        and len(pod_containers) > 1
        and find_by_name(pod_containers, PROXY) is not None
        and (not profile.skips_by_status or status.ANNOTATION in pod_annotations(pod))
    )


@cache
def _owner_rules(profile: Profile) -> OwnerRules:
    return OwnerRules(
        rollouts=profile.rollout_owner,
        deployment_configs=profile.deployment_config_owner,
        hide_deployment_config=not profile.preserves_deployment_config_label,
        any_replica_set=profile.any_replica_set,
        cron_job_digits=_cron_job_digits(profile),
        cron_job_api_version="batch/v1" if profile.cron_job_owner_v1 else "batch/v1beta1",
    )


def _cron_job_digits(profile: Profile) -> tuple[int, int] | None:
    if not profile.cron_job_owner:
        return None
    return (8, 10) if profile.short_job_suffixes else (10, 10)
