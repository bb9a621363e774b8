"""The number of worker threads that releases up to 1.17 estimate: ``.EstimatedConcurrency``."""

from __future__ import annotations

from collections.abc import Mapping

from podgraft.injectors.istio.config.protojson import Message
from podgraft.jsonvalue import JSON, Object, object_at
from podgraft.kube import QuantityError, quantity

_LIMIT = "sidecar.istio.io/proxyCPULimit"
_REQUEST = "sidecar.istio.io/proxyCPU"
_DEFAULT = 2


def estimate_concurrency(values: Object, proxy: Message, annotations: Mapping[str, str]) -> int:
    """Return the configured number; for 0, the CPU limit or request rounded up to cores; else 2."""
    configured = proxy.get("concurrency")
    if configured != 0:
        return configured if isinstance(configured, int) and configured > 0 else _DEFAULT
    try:
        return quantity.from_json(_cpu_amount(values, annotations)).value()
    except QuantityError:
        return _DEFAULT


def _cpu_amount(values: Object, annotations: Mapping[str, str]) -> str | float:
    for name in (_LIMIT, _REQUEST):
        if name in annotations:
            return annotations[name]
    proxy = object_at(object_at(values, "global"), "proxy")
    resources = object_at(proxy, "resources")
    limit = object_at(resources, "limits").get("cpu")
    return _plain_quantity(limit) or _plain_quantity(object_at(resources, "requests").get("cpu"))


def _plain_quantity(value: JSON) -> str | float:
    return value if isinstance(value, str | float) else ""
