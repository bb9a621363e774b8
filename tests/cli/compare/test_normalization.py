"""Different spellings of one pod; tests/e2e/live compares the defaults with kube-apiserver."""

from typing import Any

import pytest

from podgraft.cli.compare.normalization import normalize_pod


def pod(container: Any = None, **spec: Any) -> Any:
    containers: list[Any] = [{"name": "app", "image": "a:1", **(container or {})}]
    return {"metadata": {}, "spec": {"containers": containers, **spec}}


HTTP = {"httpGet": {"port": 80}}
FULL_PROBE = {
    "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
FIELD = {"fieldPath": "metadata.name"}
EQUAL: Any = (
    # containers
    ("pull policy", pod(), pod({"imagePullPolicy": "IfNotPresent"})),
    ("latest", pod({"image": "h:5/a"}), pod({"image": "h:5/a", "imagePullPolicy": "Always"})),
    ("port", pod({"ports": [{"containerPort": 1}]}),
     pod({"ports": [{"containerPort": 1, "protocol": "TCP"}]})),
    ("order of variables", pod({"env": [{"name": "A", "value": "1"}, {"name": "B"}]}),
     pod({"env": [{"name": "B", "value": ""}, {"name": "A", "value": "1"}]})),
    ("JSON in a variable", pod({"env": [{"name": "A", "value": '{"a":1,"b":[2]}'}]}),
     pod({"env": [{"name": "A", "value": '{"b": [2], "a": 1}'}]})),
    ("field", pod({"env": [{"name": "A", "valueFrom": {"fieldRef": FIELD}}]}),
     pod({"env": [{"name": "A", "valueFrom": {"fieldRef": {**FIELD, "apiVersion": "v1"}}}]})),
    ("divisor", pod({"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "x"}}}]}),
     pod({"env": [{"name": "A", "valueFrom": {"resourceFieldRef":
                                                {"resource": "x", "divisor": "0"}}}]})),
    ("probe", pod({"livenessProbe": HTTP}), pod({"livenessProbe": FULL_PROBE})),
    ("hook", pod({"lifecycle": {"preStop": HTTP}}),
     pod({"lifecycle": {"preStop": {"httpGet": FULL_PROBE["httpGet"]}}})),
    ("quantities", pod({"resources": {"limits": {"cpu": "0.5", "memory": "1024Mi"}}}),
     pod({"resources": {"limits": {"cpu": "500m", "memory": "1Gi"},
                         "requests": {"cpu": "500m", "memory": "1Gi"}}})),
    ("number", pod({"resources": {"requests": {"cpu": 1}}}),
     pod({"resources": {"requests": {"cpu": "1"}}})),
    ("recorded probe", pod({"env": [{"name": "ISTIO_KUBE_APP_PROBERS",
                                      "value": '{"/a": {"httpGet": {"port": 80}}}'}]}),
     pod({"env": [{"name": "ISTIO_KUBE_APP_PROBERS", "value":
                   '{"/a": {"httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}, '
                   '"timeoutSeconds": 1}}'}]})),
    ("empty", pod({"securityContext": {}, "args": []}), pod()),
    ("zeros", pod({"livenessProbe": HTTP}),
     pod({"livenessProbe": {**HTTP, "initialDelaySeconds": 0, "timeoutSeconds": 0}, "tty": False})),
    # the pod
    ("dns", pod(), pod(dnsPolicy="ClusterFirst", restartPolicy="Always", securityContext={})),
    ("mode", pod(volumes=[{"name": "v", "configMap": {"name": "c"}}]),
     pod(volumes=[{"name": "v", "configMap": {"name": "c", "defaultMode": 420}}])),
    ("no source", pod(volumes=[{"name": "v"}]), pod(volumes=[{"name": "v", "emptyDir": {}}])),
    ("token", pod(volumes=[{"name": "v", "projected": {"sources":
                                                       [{"serviceAccountToken": {"path": "t"}}]}}]),
     pod(volumes=[{"name": "v", "projected": {"defaultMode": 420, "sources":
          [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}]}}])),
    ("items", pod(volumes=[{"name": "v", "downwardAPI": {"items":
                                                        [{"path": "p", "fieldRef": FIELD}]}}]),
     pod(volumes=[{"name": "v", "downwardAPI": {"defaultMode": 420, "items":
          [{"path": "p", "fieldRef": {**FIELD, "apiVersion": "v1"}}]}}])),
    ("annotations", {"metadata": {"annotations": {"a": '{"b": 1}'}}, "spec": {}},
     {"metadata": {"annotations": {"a": '{"b":1}'}}, "spec": {}}),
)  # fmt: skip


@pytest.mark.parametrize(("what", "left", "right"), EQUAL, ids=lambda value: str(value)[:25])
def test_equal_pods(what: str, left: Any, right: Any) -> None:
    del what
    assert normalize_pod(left) == normalize_pod(right)


DIFFERENT: Any = (
    ("args in another order", pod({"args": ["a", "b"]}), pod({"args": ["b", "a"]})),
    ("source", pod(volumes=[{"name": "v"}]),
     pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}])),
    ("duplicates", pod({"env": [{"name": "A", "value": "1"}]}),
     pod({"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]})),
    ("pull policy", pod(), pod({"imagePullPolicy": "Never"})),
    ("root", pod(), pod({"securityContext": {"runAsUser": 0}})),
    ("an invalid quantity", pod({"resources": {"limits": {"cpu": "x"}}}),
     pod({"resources": {"limits": {"cpu": "y"}}})),
    ("an empty label", {"metadata": {"labels": {"a": ""}}, "spec": {}},
     {"metadata": {"labels": {}}, "spec": {}}),
)  # fmt: skip


@pytest.mark.parametrize(("what", "left", "right"), DIFFERENT, ids=lambda value: str(value)[:25])
def test_different_pods(what: str, left: Any, right: Any) -> None:
    del what
    assert normalize_pod(left) != normalize_pod(right)
