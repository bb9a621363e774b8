"""Who a pod belongs to, as each release tells it."""

from __future__ import annotations

from podgraft.jsonvalue import Object

from .draft import object_at, text_at
from .releases import Profile
from .request import Workload


def workload_of(profile: Profile, pod: Object) -> Workload:
    """The workload that the pod's owner references name, or the pod itself."""
    metadata = object_at(pod, "metadata")
    return Workload(
        kind="Pod",
        api_version="v1",
        name=text_at(metadata, "name"),
        namespace=text_at(metadata, "namespace"),
        metadata={} if profile.deployment_meta_names_only else metadata,
    )
