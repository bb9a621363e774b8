"""Istio's injector, every patch release from one table of behaviors (releases.py).

``compile_`` turns the texts of the ConfigMaps into an ``Injector`` once; ``Injector.inject`` then
turns a pod into the injected pod. ``environment`` reads the URL path's variables.

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

from collections.abc import Mapping

from . import paths, releases
from .compiling import compile_
from .documents import Documents, Surroundings
from .injector import Injector
from .releases import Profile
from .request import Injection, Mode, Request
from .workloads import identity_of, is_injected, kinds

__all__ = [
    "Documents",
    "Injection",
    "Injector",
    "Mode",
    "Profile",
    "Request",
    "Surroundings",
    "compile_",
    "environment",
    "identity_of",
    "is_injected",
    "kinds",
]


def environment(tail: str, release: str | None = None) -> Mapping[str, str]:
    """The proxy's variables in a URL path, from what follows ``/inject/`` in it.

    >>> environment("cluster/c1/net/n1")
    {'ISTIO_META_CLUSTER_ID': 'c1', 'ISTIO_META_NETWORK': 'n1'}
    """
    profile = releases.newest() if release is None else releases.parse(release)
    return paths.environment(profile, tail)
