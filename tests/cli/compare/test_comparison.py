"""Differences between the pod that podgraft makes and the pod that runs."""

from copy import deepcopy
from typing import Any

import pytest

from podgraft.cli.compare.comparison import HIDDEN, MISSING, Difference, compare_pods
from podgraft.cli.compare.original_pods import OriginalPod

APP = {
    "name": "app",
    "image": "app:1",
    "env": [{"name": "PASSWORD", "value": "secret"}, {"name": "ROLE", "value": "r"}],
}
PROXY = {
    "name": "istio-proxy",
    "image": "proxy:1",
    "env": [{"name": "LEVEL", "value": "info"}],
    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
}
STATUS = '{"containers":["istio-proxy"],"volumes":["data"]}'
TOKEN_MOUNT = {
    "name": "kube-api-access-abcde",
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
}


def original() -> Any:
    return {"metadata": {"annotations": {"mine": "private"}}, "spec": {"containers": [APP]}}


def injected() -> Any:
    pod = deepcopy(original())
    pod["metadata"]["annotations"]["sidecar.istio.io/status"] = STATUS
    pod["spec"]["containers"].append(deepcopy(PROXY))
    pod["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
    return pod


def compare(live: Any, expected: Any = None, **options: Any) -> list[Difference]:
    return compare_pods(OriginalPod(original(), live, **options), expected or injected())


def set_path(pod: Any, value: Any, *path: Any) -> Any:
    changed = deepcopy(pod)
    parent = changed
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return changed


PROXY_PATH = ("spec", "containers", 1)
LIVE_MOUNTS = [*PROXY["volumeMounts"], TOKEN_MOUNT]
SAME: Any = (
    ("the same", injected()),
    ("the token", set_path(injected(), LIVE_MOUNTS, *PROXY_PATH, "volumeMounts")),
    ("LimitRange", set_path(
        set_path(injected(), {"limits": {"cpu": "1"}}, *PROXY_PATH, "resources"),
        "LimitRanger plugin set: cpu limit for container istio-proxy",
        "metadata", "annotations", "kubernetes.io/limit-ranger")),
    ("AlwaysPullImages", set_path(set_path(injected(), "Always", *PROXY_PATH, "imagePullPolicy"),
                                  "Always", "spec", "containers", 0, "imagePullPolicy")),
    ("a variable in all containers", set_path(
        injected(), [*PROXY["env"], {"name": "ROLE", "value": "r"}], *PROXY_PATH, "env")),
    ("a mount of another webhook", set_path(
        injected(), [*PROXY["volumeMounts"], {"name": "vault", "mountPath": "/vault"}],
        *PROXY_PATH, "volumeMounts")),
)  # fmt: skip


@pytest.mark.parametrize(("what", "live"), SAME, ids=lambda value: str(value)[:30])
@pytest.mark.parametrize("is_template", [False, True])
def test_no_differences(what: str, live: Any, is_template: bool) -> None:
    """What admission plugins and other webhooks add to the sidecar is none."""
    if what == "AlwaysPullImages":
        changed = set_path(injected(), "Always", "spec", "containers", 0, "imagePullPolicy")
        before = set_path(original(), "Always", "spec", "containers", 0, "imagePullPolicy")
        assert compare_pods(OriginalPod(before, live, is_template), changed) == []
        return
    assert compare(live, is_template=is_template) == []


DIFFERENT: Any = (
    ("an image", set_path(injected(), "proxy:0", *PROXY_PATH, "image"),
     Difference("spec.containers[istio-proxy].image", "proxy:0", "proxy:1")),
    ("a variable", set_path(injected(), [{"name": "LEVEL", "value": "debug"}], *PROXY_PATH, "env"),
     Difference("spec.containers[istio-proxy].env[LEVEL].value", "debug", "info")),
    ("an additional variable", set_path(
        injected(), [*PROXY["env"], {"name": "X", "value": "1"}], *PROXY_PATH, "env"),
     Difference("spec.containers[istio-proxy].env[X]", '{"value":"1"}', MISSING)),
    ("resources without LimitRange", set_path(
        injected(), {"limits": {"cpu": "1"}}, *PROXY_PATH, "resources"),
     Difference("spec.containers[istio-proxy].resources",
                '{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}', MISSING)),
    ("a volume", set_path(injected(), [], "spec", "volumes"),
     Difference("spec.volumes[data]", MISSING, '{"emptyDir":"{}"}')),
    ("the order", set_path(injected(), [PROXY, APP], "spec", "containers"),
     Difference("spec.containers: order", "istio-proxy, app", "app, istio-proxy")),
    ("a recorded container", set_path(
        set_path(injected(), [APP, PROXY, {"name": "old", "image": "o:1"}], "spec", "containers"),
        '{"containers":["istio-proxy"],"volumes":["data"],"x":["old"]}',
        "metadata", "annotations", "sidecar.istio.io/status"),
     Difference("spec.containers[old]",
                '{"image":"o:1","terminationMessagePath":"/dev/termination-log",'
                '"terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}', MISSING)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("what", "live", "difference"), DIFFERENT, ids=lambda value: str(value)[:30]
)
def test_differences(what: str, live: Any, difference: Difference) -> None:
    del what
    assert difference in compare(live)


def test_values_of_other_containers_are_not_printed() -> None:
    """A difference in a container of the application, and in the recorded probes and overrides."""
    secret = [{"name": "PASSWORD", "value": "other"}]
    live = set_path(injected(), secret, "spec", "containers", 0, "env")
    probers = [{"name": "ISTIO_KUBE_APP_PROBERS", "value": '{"/a": "token"}'}]
    live = set_path(live, [*PROXY["env"], *probers], *PROXY_PATH, "env")
    live = set_path(live, "token", "metadata", "annotations", "proxy.istio.io/overrides")
    differences = compare(live)
    assert {(each.path, each.runs, each.podgraft) for each in differences} == {
        ("spec.containers[app].env[PASSWORD].value", HIDDEN, HIDDEN),
        ("spec.containers[app].env[ROLE]", MISSING, HIDDEN),
        ("spec.containers[istio-proxy].env[ISTIO_KUBE_APP_PROBERS]", HIDDEN, MISSING),
        ("metadata.annotations[proxy.istio.io/overrides]", HIDDEN, MISSING),
    }


def test_a_template_is_compared_only_where_injection_changes_it() -> None:
    """Labels and containers that others added to the live pod are no differences."""
    live = set_path(injected(), {"later": "1"}, "metadata", "labels")
    live["spec"]["containers"].append({"name": "later", "image": "l:1"})
    assert compare(live, is_template=True) == []
    assert [each.path for each in compare(live)] == [
        "metadata.labels[later]",
        "spec.containers[later]",
    ]


def test_long_values_are_shortened() -> None:
    live = set_path(injected(), "x" * 500 + ":1", *PROXY_PATH, "image")
    (difference,) = compare(live)
    assert len(difference.runs) == 200
    assert difference.runs.endswith("…")
