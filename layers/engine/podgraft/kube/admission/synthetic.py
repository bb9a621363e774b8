"""The synthetic review, which no cluster sent: for priming, for the watch, and for ``--test``.

It creates a pod that is injected, unless its namespace or a selector excludes it. It is a dry run,
so no side effect follows from it.
"""

from podgraft.base.jsonvalue import JSON, Object

from .request import SYNTHETIC_UID

_INJECT_TRUE: Object = {"sidecar.istio.io/inject": "true"}
_POD: JSON = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "priming", "labels": _INJECT_TRUE, "annotations": _INJECT_TRUE},
    "spec": {"containers": [{"name": "app", "image": "app"}]},
}
_PODS: JSON = {"group": "", "version": "v1", "resource": "pods"}

SYNTHETIC_REVIEW: JSON = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {
        "uid": SYNTHETIC_UID,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": _PODS,
        "requestResource": _PODS,
        "namespace": "default",
        "operation": "CREATE",
        "userInfo": {"username": "podgraft"},
        "object": _POD,
        "dryRun": True,
    },
}
