"""The fields of Kubernetes' types with strings that the census records, by Go type.

Every other string becomes a token: also those of fields that a later release of Kubernetes adds.
Enumerated values, quantities, and numbers are recorded without an entry here. Names of ConfigMaps,
Secrets, claims, and registries' credentials are not recorded, because no template needs them.
"""

from collections.abc import Mapping

# The types with maps of labels and annotations, which have separate rules.
METADATA = "v1.ObjectMeta"
ENVIRONMENT = "v1.EnvVar"
OWNER = "v1.OwnerReference"

RECORDED: Mapping[str, frozenset[str]] = {
    type_: frozenset(fields.split())
    for type_, fields in {
        "v1.CSIVolumeSource": "driver",
        "v1.Container": "name image",
        "v1.ContainerPort": "name",
        "v1.CronJobSpec": "",
        "v1.EnvVar": "name",
        "v1.EphemeralContainer": "name image targetContainerName",
        "v1.EphemeralContainerCommon": "name image",
        "v1.HTTPGetAction": "path",
        "v1.HTTPHeader": "name",
        "v1.LabelSelector": "matchLabels",
        "v1.LabelSelectorRequirement": "key values",
        "v1.NodeSelectorRequirement": "key values",
        "v1.ObjectFieldSelector": "apiVersion fieldPath",
        "v1.ObjectMeta": "name generateName namespace",
        "v1.OwnerReference": "apiVersion kind name",
        "v1.PodAffinityTerm": "topologyKey namespaces matchLabelKeys mismatchLabelKeys",
        "v1.PodSpec": "serviceAccountName serviceAccount schedulerName priorityClassName "
        "runtimeClassName nodeSelector",
        "v1.ReplicationControllerSpec": "selector",
        "v1.ResourceFieldSelector": "containerName resource",
        "v1.StatefulSetSpec": "serviceName",
        "v1.Toleration": "key value",
        "v1.TopologySpreadConstraint": "topologyKey matchLabelKeys",
        "v1.TypeMeta": "kind apiVersion",
        "v1.Volume": "name",
        "v1.VolumeDevice": "name devicePath",
        "v1.VolumeMount": "name mountPath subPath",
    }.items()
}

# Annotations with a JSON list or map of elements: the recorded strings of an element. All others
# become tokens.
RECORDED_ELEMENTS: Mapping[str, frozenset[str]] = {
    "k8s.v1.cni.cncf.io/networks": frozenset({"interface", "name", "namespace"}),
}
# The same, for elements with a Go type: its recorded fields remain.
TYPED_ELEMENTS: Mapping[str, str] = {
    "sidecar.istio.io/userVolume": "Volume",
    "sidecar.istio.io/userVolumeMount": "VolumeMount",
}

# Removed: they differ between the pods of one workload, or between requests, and nothing needs
# them.
REMOVED_METADATA = frozenset(
    {
        "clusterName",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
REMOVED_KEYS = frozenset(
    {
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "controller-revision-hash",
        "controller-uid",
        "job-completion-index",
        "kubectl.kubernetes.io/last-applied-configuration",
        "kubectl.kubernetes.io/restartedAt",
        "statefulset.kubernetes.io/pod-name",
    }
)
HASH_KEYS = ("pod-template-hash", "rollouts-pod-template-hash")
