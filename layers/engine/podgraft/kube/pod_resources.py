"""The resources of a pod that kube-apiserver derives from those of its containers.

Source: k8s.io/kubernetes 1.36, pkg/apis/core/v1/defaults.go (defaultHugePagePodLimits and
defaultPodRequests), and k8s.io/component-helpers 0.36, resource/helpers.go.
"""

from collections.abc import Mapping

from podgraft.base.jsonvalue import Object, object_at, objects_at

from .quantity import Quantity, from_json

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
    derived = {key: limit for key, limit in limits.items() if _is_supported(key)}
    derived |= {key: str(summed[key]) for key in _SHARED if key in summed}
    resources["limits"] = dict(sorted(limits.items()))
    if derived or requests:
        resources["requests"] = dict(sorted({**derived, **requests}.items()))


def _is_supported(resource: str) -> bool:
    return resource in _SHARED or resource.startswith(_HUGE_PAGES)


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
