"""A pod that was injected before, and the variables of its cluster."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors import istio
from podgraft.core.injectors.istio.pod_builder import containers, find_by_name
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch

from . import bundles
from .pods import container, env, find_nulls, pod

REQUEST = ReviewContext(namespace="ns")
RELEASES = ("1.9.0", "1.13.2", "1.19.10", "1.24.3", "1.28.10", "1.30.3", "HEAD")
VOLUMES = """
spec:
  containers:
  - name: istio-proxy
    image: x
    env: [{name: A, value: }]
    volumeMounts: [{name: socket, mountPath: /s}]
  volumes:
  - {name: socket, emptyDir: }
  - {name: token, projected: {sources: [{serviceAccountToken: {path: t, audience: }}]}}
"""
OWN: tuple[tuple[Object, ...], ...] = (
    (),
    ({"name": "v", "emptyDir": {}},),
    ({"name": "kube-api-access-x", "projected": {"sources": []}},),
)


def _inject(injector: istio.Injector, given: Object) -> tuple[Object, tuple[object, ...]]:
    done = injector.inject(given, REQUEST)
    patched = patch.apply(given, done.mutation.patch)
    assert isinstance(patched, dict)
    return patched, (*done.mutation.patch,)


@pytest.mark.parametrize("volumes", OWN)
@pytest.mark.parametrize("release", RELEASES)
def test_a_null_of_a_template_is_removed_by_the_first_injection(
    release: str, volumes: tuple[Object, ...]
) -> None:
    injector = bundles.template_injector(VOLUMES, release=release)
    given = pod(container("app", image="app:1"))
    object_at(given, "spec")["volumes"] = [*volumes]
    first, _ = _inject(injector, given)
    second, operations = _inject(injector, first)

    assert [*find_nulls(first)] == []
    assert [each["name"] for each in objects_at(object_at(first, "spec"), "volumes")] == [
        "socket",
        "token",
        *(each["name"] for each in volumes),
    ]
    assert (second, operations) == (first, ())


def test_a_null_of_a_template_deletes_the_members_of_the_pod() -> None:
    given = pod(container("app", image="app:1"))
    object_at(given, "spec")["volumes"] = [{"name": "socket", "emptyDir": {}}]
    first, _ = _inject(bundles.template_injector(VOLUMES), given)

    assert {"name": "socket"} in objects_at(object_at(first, "spec"), "volumes")


@pytest.mark.parametrize("release", RELEASES)
def test_the_api_servers_empty_dir_is_removed_again_as_in_istio(release: str) -> None:
    """kube-apiserver completes the volume before it calls a webhook again; Istio's injector then
    answers with the operation that this test expects.
    """
    injector = bundles.template_injector(VOLUMES, release=release)
    first, _ = _inject(injector, pod(container("app", image="app:1")))
    volume = objects_at(object_at(first, "spec"), "volumes")[0]
    volume["emptyDir"] = {}
    _, operations = _inject(injector, first)

    assert operations == ({"op": "remove", "path": "/spec/volumes/0/emptyDir"},)


CLUSTER = """
spec:
  containers:
  - name: istio-proxy
    image: x
    env:
    - {name: ISTIO_META_CLUSTER_ID, value: "{{ .Values.global.multiCluster.clusterName }}"}
    - {name: ISTIO_META_NETWORK, value: "{{ .Values.global.network }}"}
    - {name: LAST, value: x}
"""
VALUES = '{"global": {"network": "n1", "multiCluster": {"clusterName": "c1"}}}'
LABELLED: dict[str, JSON] = {"topology.istio.io/network": "n2"}
ENVIRONMENTS: tuple[tuple[Mapping[str, str], dict[str, JSON], list[str]], ...] = (
    # the URL's variables, labels, the sidecar's variables
    ({}, {}, ["LAST=x", "ISTIO_META_CLUSTER_ID=c1", "ISTIO_META_NETWORK=n1"]),
    ({}, LABELLED, ["LAST=x", "ISTIO_META_CLUSTER_ID=c1", "ISTIO_META_NETWORK=n2"]),
    (
        {"ISTIO_META_CLUSTER_ID": "c2", "A": "b"},
        {},
        ["LAST=x", "A=b", "ISTIO_META_CLUSTER_ID=c2", "ISTIO_META_NETWORK=n1"],
    ),
)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("path", "labels", "expected"), ENVIRONMENTS)
def test_the_clusters_variables_always_move_to_the_end(
    release: str, path: Mapping[str, str], labels: dict[str, JSON], expected: list[str]
) -> None:
    injector = bundles.template_injector(CLUSTER, release=release, values=VALUES)
    request = ReviewContext(namespace="ns", environment=path)
    given = pod(container("app", image="app:1"), labels=labels)
    proxy = find_by_name(containers(injector.inject(given, request).pod), "istio-proxy") or {}

    assert [f"{name}={value}" for name, value in env(proxy).items()] == expected


def test_a_second_injection_moves_them_after_later_variables() -> None:
    """As in Istio: the probers are appended after the cluster's variables, the first time."""
    values = VALUES.replace(
        '{"global"', '{"sidecarInjectorWebhook": {"rewriteAppHTTPProbe": true}, "global"', 1
    )
    injector = bundles.template_injector(CLUSTER, values=values)
    probed = container("app", image="app:1", livenessProbe={"httpGet": {"port": 80}})
    orders: list[list[str]] = []
    injected = pod(probed)
    for _ in range(4):
        injected, _ = _inject(injector, injected)
        orders.append([*env(find_by_name(containers(injected), "istio-proxy") or {})])

    cluster = ["ISTIO_META_CLUSTER_ID", "ISTIO_META_NETWORK"]
    assert orders[0] == ["LAST", *cluster, "ISTIO_KUBE_APP_PROBERS"]
    assert orders[1] == ["LAST", "ISTIO_KUBE_APP_PROBERS", *cluster]
    assert orders[2] == orders[3] == ["ISTIO_KUBE_APP_PROBERS", "LAST", *cluster]
