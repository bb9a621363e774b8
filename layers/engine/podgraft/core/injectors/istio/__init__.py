"""Istio's injector, with the behaviors of every patch release from one table (releases.py).

``compile_`` compiles the texts of the ConfigMaps to an ``Injector``. ``Injector.inject`` then turns
a pod into the injected pod. Only ``Injector.parse_environment`` reads the URL path.

Equal to Istio 1.0 to 1.31 and master (pkg/kube/inject), with these deliberate differences:

- The pod stays raw JSON. It keeps fields that Istio's Kubernetes types do not have.
- Annotations, labels, and names that would change the structure of a rendered template are rejected
  (structure_check.py).
- If Istio's result depends on the random order of a map (synonymous annotations, the order of
  errors), the order here is fixed.
- On OpenShift, the patch starts from the pod as received, and removes the ids that Istio's patch
  leaves in place.
- podgraft does not read nodes. The policy or ``ENABLE_NATIVE_SIDECARS`` enables native sidecars;
  ``auto`` disables them.
"""

from .config.compiler import compile_
from .config.documents import Documents, IstiodEnvironment
from .injector import Injector
from .postprocess.cluster import CLUSTER_ID
from .releases import Profile
from .result import Injection
from .workloads import is_injected, workload_of

__all__ = [
    "CLUSTER_ID",
    "Documents",
    "Injection",
    "Injector",
    "IstiodEnvironment",
    "Profile",
    "compile_",
    "is_injected",
    "workload_of",
]
