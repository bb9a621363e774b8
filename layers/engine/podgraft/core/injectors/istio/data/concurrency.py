"""The number of worker threads that releases up to 1.17 estimate: ``.EstimatedConcurrency``."""

from collections.abc import Iterator, Mapping

from podgraft.base.jsonvalue import Object, object_at
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.kube import QuantityError, quantity

_LIMIT = "sidecar.istio.io/proxyCPULimit"
_REQUEST = "sidecar.istio.io/proxyCPU"
_DEFAULT = 2


def estimate_concurrency(values: Object, proxy: Message, annotations: Mapping[str, str]) -> int:
    """Return the configured number; from 0 down, the CPU limit or request in cores; else 2.

    A pod's annotation has precedence over the values, even if it is no quantity.
    """
    configured = proxy.get("concurrency")
    if not isinstance(configured, int):
        return _DEFAULT
    if configured > 0:
        return configured
    for amount in _cpu_amounts(values, annotations):
        try:
            return quantity.from_json(amount).value()
        except QuantityError:
            continue
    return _DEFAULT


def _cpu_amounts(values: Object, annotations: Mapping[str, str]) -> Iterator[str | float]:
    for name in (_LIMIT, _REQUEST):
        if name in annotations:
            yield annotations[name]
            return
    resources = object_at(values, "global", "proxy", "resources")
    for key in ("limits", "requests"):
        amount = object_at(resources, key).get("cpu")
        if isinstance(amount, str | float):
            yield amount
