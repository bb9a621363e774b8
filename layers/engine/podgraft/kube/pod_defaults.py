"""What kube-apiserver derives in a pod: resources, addresses, and the pull policy of an image.

Source of the resources: k8s.io/kubernetes 1.36, pkg/apis/core/v1/defaults.go
(defaultHugePagePodLimits, defaultPodRequests), and k8s.io/component-helpers 0.36,
resource/helpers.go.
"""

import re
from collections.abc import Mapping

from podgraft.base.jsonvalue import Object, object_at, objects_at

from .quantity import Quantity, from_json
from .workload import INJECTED

_HUGE_PAGES = "hugepages-"
_SHARED = ("cpu", "memory")

_Amounts = dict[str, Quantity]


def fill_pod_resources(spec: Object) -> None:
    """Set the limits of huge pages, and the requests, of a pod that has resources of its own."""
    resources = object_at(spec, "resources")
    requests, limits = object_at(resources, "requests"), object_at(resources, "limits")
    if not requests and not limits:
        return
    pages = {
        key: str(amount)
        for key, amount in _sum_containers(spec, "limits").items()
        if key.startswith(_HUGE_PAGES) and key not in requests
    }
    limits = {**pages, **limits}
    if not limits:
        return
    summed = _sum_containers(spec, "requests")
    derived = {
        key: limit for key, limit in limits.items() if key in _SHARED or key.startswith(_HUGE_PAGES)
    }
    derived |= {key: str(summed[key]) for key in _SHARED if key in summed}
    resources["limits"] = dict(sorted(limits.items()))
    if derived or requests:
        resources["requests"] = dict(sorted({**derived, **requests}.items()))


def _sum_containers(spec: Object, kind: str) -> _Amounts:
    """The sum of all containers, or what the init containers need at once if it is more."""
    total: _Amounts = {}
    for container in objects_at(spec, "containers"):
        _add(total, _amounts(container, kind))
    sidecars: _Amounts = {}
    initial: _Amounts = {}
    for container in objects_at(spec, "initContainers"):
        amounts = _amounts(container, kind)
        if container.get("restartPolicy") == "Always":
            _add(total, amounts)
            _add(sidecars, amounts)
            _raise(initial, sidecars)
        else:
            _add(amounts, sidecars)
            _raise(initial, amounts)
    _raise(total, initial)
    return total


def _amounts(container: Object, kind: str) -> _Amounts:
    amounts = object_at(container, "resources", kind)
    return {key: from_json(value) for key, value in amounts.items() if isinstance(value, str)}


def _add(total: _Amounts, amounts: Mapping[str, Quantity]) -> None:
    for key, amount in amounts.items():
        total[key] = total[key].add(amount) if key in total else amount


def _raise(total: _Amounts, amounts: Mapping[str, Quantity]) -> None:
    for key, amount in amounts.items():
        if key not in total or amount.compare(total[key]) > 0:
            total[key] = amount


def convert_pod(type_name: str, encoded: Object) -> None:
    """Set what the conversion of pods and pod templates sets, until 1.36."""
    path = INJECTED.get(type_name.removeprefix("v1."))
    if path is None:
        return
    _fill_pod_ips(object_at(encoded, "status"))
    spec = object_at(encoded, *path.spec)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    grace = spec.get("terminationGracePeriodSeconds")
    if not path.template and isinstance(grace, int) and grace < 0:
        spec["terminationGracePeriodSeconds"] = 1


def _fill_pod_ips(status: Object) -> None:
    """Set the address of a pod by its list of addresses; if both exist, the address wins."""
    address, addresses = status.get("podIP"), objects_at(status, "podIPs")
    if address and (not addresses or addresses[0].get("ip") != address):
        status["podIPs"] = [{"ip": address}]
    elif addresses and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]


# docker's reference: an optional registry, lowercase path components, a tag, and a digest. Each
# part ends at the first character that it cannot contain, so an invalid name takes linear time.
_IMAGE = re.compile(
    r"(?:(?:localhost|[a-z0-9_-]*[.:A-Z][\w.:-]*)/)?"
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?P<digest>@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?",
    re.ASCII,
)


def find_pull_policy(image: str) -> str:
    """Always for the tag latest and without tag and digest; IfNotPresent for invalid names too."""
    match = _IMAGE.fullmatch(image)
    latest = match is not None and (
        match["tag"] == "latest" or (match["tag"] is None and match["digest"] is None)
    )
    return "Always" if latest else "IfNotPresent"
