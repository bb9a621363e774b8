"""Istio's injector, every patch release from one table of behaviors (releases.py).

``compile_`` turns the texts of the ConfigMaps into an ``Injector`` once; ``Injector.inject`` then
turns a pod into the injected pod. ``Injector.environment`` is the only reader of the URL path.

Equal to Istio 1.0 and 1.8 to 1.32 (pkg/kube/inject). Deliberate differences:

- The pod stays raw JSON: fields that Istio's Kubernetes types do not know survive.
- A pod whose annotations, labels or names would bend a template's structure is refused (masks.py).
- Where Istio picks one of several in random order (annotations that mean the same, the order of
  errors), the choice here is fixed.
- On OpenShift, the patch starts from the pod as received, and removes the ids that Istio's patch
  leaves in place.
- Nodes cannot be read: native sidecars are used where the policy or ``ENABLE_NATIVE_SIDECARS`` says
  so, and ``auto`` means no.
"""

from .config.compiler import compile_
from .config.documents import Documents, IstiodEnvironment
from .injector import Injector
from .postprocess.cluster import CLUSTER_ID
from .releases import Profile
from .request import Injection, InjectionRequest, Mode
from .workloads import is_injected, workload_of

__all__ = [
    "CLUSTER_ID",
    "Documents",
    "Injection",
    "InjectionRequest",
    "Injector",
    "IstiodEnvironment",
    "Mode",
    "Profile",
    "compile_",
    "is_injected",
    "workload_of",
]
