"""A ConfigMap of Istio 1.1, as its chart writes it, without a tag that names the release."""
# ruff: noqa: E501 (the chart's lines are longer)

from __future__ import annotations

from itertools import product

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors import istio
from podgraft.core.policy import decide
from podgraft.core.review_context import ReviewContext

CONFIG = """\
policy: {policy}
alwaysInjectSelector:
- matchLabels:
    sidecar/label: inject
- matchExpressions:
  - {{key: sidecar/inject, operator: Exists}}
neverInjectSelector:
- matchLabels:
    sidecar/label: notinject
- matchExpressions:
  - {{key: sidecar/notinject, operator: Exists}}
template: |-
  rewriteAppHTTPProbe: false
  initContainers:
  [[ if ne (annotation .ObjectMeta `sidecar.istio.io/interceptionMode` .ProxyConfig.InterceptionMode) "NONE" ]]
  - name: istio-init
    image: "docker.io/istio/proxy_init:1.1.17"
    args:
    - "-p"
    - [[ .MeshConfig.ProxyListenPort ]]
    - "-u"
    - 1337
  [[ end -]]
  containers:
  - name: istio-proxy
    image: [[ annotation .ObjectMeta `sidecar.istio.io/proxyImage`  "docker.io/istio/proxyv2:1.1.17" ]]
    args:
    - proxy
    - sidecar
    - --serviceCluster
    [[ if ne "" (index .ObjectMeta.Labels "app") -]]
    - [[ index .ObjectMeta.Labels "app" ]].$(POD_NAMESPACE)
    [[ else -]]
    - [[ valueOrDefault .DeploymentMeta.Name "istio-proxy" ]].[[ valueOrDefault .DeploymentMeta.Namespace "default" ]]
    [[ end -]]
    - --drainDuration
    - [[ formatDuration .ProxyConfig.DrainDuration ]]
  volumes:
  - emptyDir:
      medium: Memory
    name: istio-envoy
"""

# policy, mark, never, always → injected; without a mark, the first selector that matches decides.
ROWS = tuple(
    (
        policy,
        mark,
        never,
        always,
        mark == "true" or (mark is None and not never and (always or policy == "enabled")),
    )
    for policy, mark, never, always in product(
        ("enabled", "disabled"), ("true", "false", None), (True, False), (True, False)
    )
)


def _injector(policy: str) -> istio.Injector:
    return istio.compile_(
        istio.Documents(config=CONFIG.format(policy=policy)), istio.IstiodEnvironment()
    )


def _pod(mark: str | None, *, never: bool, always: bool) -> Object:
    labels: Object = {"app": "shop"}
    labels |= {"sidecar/notinject": ""} if never else {}
    labels |= {"sidecar/label": "inject"} if always else {}
    annotations: Object = {} if mark is None else {"sidecar.istio.io/inject": mark}
    return {
        "metadata": {"name": "shop", "labels": labels, "annotations": annotations},
        "spec": {"containers": [{"name": "shop", "image": "shop:1"}]},
    }


def test_all_rows_are_there() -> None:
    assert len(ROWS) == len(set(ROWS)) == 24


@pytest.mark.parametrize(("policy", "mark", "never", "always", "injected"), ROWS)
def test_the_decision(
    policy: str, mark: str | None, *, never: bool, always: bool, injected: bool
) -> None:
    found = decide(_injector(policy).config.rules, _pod(mark, never=never, always=always), "shop")

    assert found.injects is injected


def test_the_release_is_recognized_and_injects() -> None:
    injector = _injector("enabled")
    done = injector.inject(_pod(None, never=False, always=False), ReviewContext(namespace="shop"))

    assert injector.profile.release == "1.1.17"
    assert [operation["path"] for operation in done.mutation.patch] == [
        "/spec/initContainers",
        "/spec/containers/-",
        "/spec/volumes",
        "/metadata/annotations/sidecar.istio.io~1status",
    ]
    assert "45s" in str(done.pod)
    assert "shop.$(POD_NAMESPACE)" in str(done.pod)
