"""The counts of namespaces as PolicyReports of the Kubernetes policy working group, v1alpha2."""

from collections.abc import Iterator, Sequence
from itertools import chain

from podgraft.base.jsonvalue import JSON, Object

from .survey import NamespaceStatus

_NAME = "podgraft"
_RULE = "sidecars"
_MISSING = "has no sidecar; restart the workload"
_OUTDATED = "has other sidecars than a new pod; restart the workload"
# etcd stores at most 1.5 MB for an object; the counts of the summary are complete.
_MAX_RESULTS = 500


def make_reports(namespaces: Sequence[NamespaceStatus]) -> Iterator[Object]:
    """Yield a report for each namespace with pods.

    Pods without their sidecars fail, those with outdated ones are warnings, and those that no
    webhook injects, or that were not compared, are skipped. A pod that passes has no result.
    """
    for status in namespaces:
        if status.pods:
            yield _make_report(status)


def _make_report(status: NamespaceStatus) -> Object:
    results: Iterator[JSON] = chain(
        (_make_result(status.name, pod, "fail", _MISSING) for pod in status.missing),
        (_make_result(status.name, pod, "warn", _OUTDATED) for pod in status.outdated),
    )
    counts = {"pass": status.current, "fail": len(status.missing), "warn": len(status.outdated)}
    return {
        "apiVersion": "wgpolicyk8s.io/v1alpha2",
        "kind": "PolicyReport",
        "metadata": {"name": _NAME, "namespace": status.name},
        "summary": {**counts, "error": 0, "skip": status.pods - sum(counts.values())},
        "results": [*results][:_MAX_RESULTS],
    }


def _make_result(namespace: str, pod: str, result: str, message: str) -> Object:
    return {
        "source": _NAME,
        "policy": _NAME,
        "rule": _RULE,
        "result": result,
        "message": message,
        "resources": [{"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": pod}],
    }
