"""The fields of Kubernetes' types with strings that the census records, by Go type.

Every other string becomes a token: also those of fields that a later release of Kubernetes adds.
Enumerated values, quantities, and numbers are recorded without an entry here. Names of ConfigMaps,
Secrets, claims, and registries' credentials are not recorded, because no template needs them.
"""

from collections.abc import Mapping
from typing import Any

from podgraft.base.tables import read_table

# The types with maps of labels and annotations, which have separate rules.
METADATA = "v1.ObjectMeta"
OWNER = "v1.OwnerReference"

_TABLE: Mapping[str, Any] = read_table(__file__, "fields.json")
RECORDED: Mapping[str, frozenset[str]] = {
    type_: frozenset(names.split()) for type_, names in _TABLE["recorded"].items()
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
REMOVED_METADATA = frozenset(_TABLE["removed_metadata"])
REMOVED_KEYS = frozenset(_TABLE["removed_keys"])
HASH_KEYS = ("pod-template-hash", "rollouts-pod-template-hash")
