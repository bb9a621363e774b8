"""Behavior that differs between patch releases of one minor, and that no golden of Istio shows.

Source of each row: pkg/kube/inject, pilot/pkg/model/proxy_config.go, and pkg/config/mesh at the
tags that the row names.
"""

from __future__ import annotations

import json

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio.pod_builder import (
    containers,
    find_by_name,
    pod_annotations,
    pod_labels,
)
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch
from podgraft.kube.workload_owner import WorkloadRef

from . import bundles
from .pods import OWNER, container, pod

APP = container("app", image="app:1")
REQUEST = ReviewContext(namespace="ns")


def _printed(
    expression: str,
    release: str,
    given: Object,
    *,
    owner: WorkloadRef | None = None,
    values: str = "{}",
    mesh: str = "",
) -> str:
    """What a template action prints for a pod."""
    text = f"""
metadata:
  annotations:
    x: {{{{ printf "%q" (print ({expression})) }}}}
spec:
  containers: [{{name: istio-proxy, image: x}}]
"""
    injector = bundles.template_injector(text, release=release, values=values, mesh=mesh)
    return pod_annotations(injector.inject(given, REQUEST, owner).pod)["x"]


def _configured(text: str) -> Object:
    return pod(APP, annotations={"proxy.istio.io/config": text})


RESOURCES = json.dumps(
    {"global": {"proxy": {"resources": {"limits": {"cpu": "2", "memory": None}}}}}
)
LATE = (
    # release, expression, what it prints
    ("1.28.10", "toYaml (omitNil .Values.global.proxy.resources)", 'limits:\n  cpu: "2"\n'),
    ("1.29.6", "toYaml (omitNil .Values.global.proxy.resources)", 'limits:\n  cpu: "2"\n'),
    ("1.28.0", "toYaml (omitNil .Values.global.proxy.resources)", 'limits:\n  cpu: "2"\n'),
    ("1.19.10", ".CompliancePolicy", ""),
    ("1.20.8", ".CompliancePolicy", ""),
    ("1.19.0", ".CompliancePolicy", ""),
    ("1.10.0", ".EstimatedConcurrency", "2"),
)


@pytest.mark.parametrize(("release", "expression", "expected"), LATE)
def test_names_that_came_with_a_patch_are_in_the_complete_minor(
    release: str, expression: str, expected: str
) -> None:
    """Shipped templates of late patches use them; a minor without them injects nothing (F3)."""
    assert _printed(expression, release, pod(APP), values=RESOURCES) == expected


MODE = "defaultConfig: {interceptionMode: TPROXY, statusPort: 1}"
IN_MESH = (
    # release, workload of kube-inject, annotation, expression, what it prints
    ("1.12", None, "interceptionMode: REDIRECT", ".ProxyConfig.InterceptionMode", "REDIRECT"),
    ("1.13", None, "interceptionMode: REDIRECT", ".ProxyConfig.InterceptionMode", "TPROXY"),
    ("1.13", OWNER, "interceptionMode: REDIRECT", ".ProxyConfig.InterceptionMode", "REDIRECT"),
    ("1.12", None, "statusPort: 5", ".MeshConfig.DefaultConfig.StatusPort", "5"),
    ("1.13", None, "statusPort: 5", ".MeshConfig.DefaultConfig.StatusPort", "1"),
    ("1.10", None, "statusPort: 0", ".ProxyConfig.StatusPort", "0"),
    ("1.9", None, "statusPort: 5", ".MeshConfig.DefaultConfig.StatusPort", "5"),
)


@pytest.mark.parametrize(("release", "owner", "text", "expression", "expected"), IN_MESH)
def test_up_to_1_12_the_annotation_is_merged_into_the_mesh(
    release: str, owner: WorkloadRef | None, text: str, expression: str, expected: str
) -> None:
    given = _configured(text)

    assert _printed(expression, release, given, owner=owner, mesh=MODE) == expected


PORTS = (
    # release, workload of kube-inject, the agent's port for Prometheus
    ("1.9", OWNER, "1"),
    ("1.12", OWNER, "1"),
    ("1.12", None, "1"),
    ("1.13", OWNER, "5"),
    ("1.13", None, "1"),
)


@pytest.mark.parametrize(("release", "owner", "port"), PORTS)
def test_kube_inject_uses_the_annotations_status_port_since_1_13(
    release: str, owner: WorkloadRef | None, port: str
) -> None:
    injector = bundles.template_injector(
        "spec: {containers: [{name: istio-proxy}]}", release=release, mesh=MODE
    )
    done = injector.inject(_configured("statusPort: 5"), REQUEST, owner)

    assert pod_annotations(done.pod)["prometheus.io/port"] == port


def test_1_9_to_1_12_have_no_proxy_config_resources() -> None:
    resource: Object = {
        "metadata": {"name": "x", "namespace": "ns"},
        "spec": {"concurrency": 9, "image": {"imageType": "debug"}},
    }
    concurrency = {}
    for release in ("1.12", "1.13.9"):
        template = "metadata: {annotations: {x: '{{ .ProxyConfig.Concurrency.GetValue }}'}}"
        injector = istio.compile_(
            istio.Documents(
                config=json.dumps({"templates": {"sidecar": template}}), proxy_configs=(resource,)
            ),
            istio.IstiodEnvironment(release=release),
        )
        done = injector.inject(pod(APP), REQUEST)
        concurrency[release] = pod_annotations(done.pod)["x"]

    assert concurrency == {"1.12": "2", "1.13.9": "9"}


ZIPKIN = "defaultConfig: {tracing: {zipkin: {address: 'z:1'}, sampling: 1}}"
SHOWN = "protoToJSON .ProxyConfig.Tracing"
TAGS = ".ProxyConfig.ExtraStatTags"
BOTH = '{"zipkin":{"address":"z:1"},"sampling":5}'
MERGED = (
    # release, mesh, annotation, expression, what it prints
    ("1.13.0", ZIPKIN, "tracing: {sampling: 5}", SHOWN, BOTH),
    ("1.16.3", ZIPKIN, "tracing: {sampling: 5}", SHOWN, BOTH),
    ("1.16.4", ZIPKIN, "tracing: {sampling: 5}", SHOWN, '{"sampling":5}'),
    ("1.17.1", ZIPKIN, "tracing: {sampling: 5}", SHOWN, BOTH),
    ("1.17.2", ZIPKIN, "tracing: {sampling: 5}", SHOWN, '{"sampling":5}'),
    ("1.18.0", ZIPKIN, "tracing: {sampling: 5}", SHOWN, '{"sampling":5}'),
    ("1.13.0", ZIPKIN, "tracing: {datadog: {address: 'd:1'}}", SHOWN,
     '{"datadog":{"address":"d:1"},"sampling":1}'),
    ("1.13.0", "defaultConfig: {tracing: {}}", "{}", SHOWN,
     '{"zipkin":{"address":"zipkin.istio-system:9411"}}'),
    ("1.18.0", "defaultConfig: {tracing: {}}", "{}", SHOWN, "{}"),
    ("1.14.4", "defaultConfig: {terminationDrainDuration: 7.5s}", "terminationDrainDuration: 3s",
     ".ProxyConfig.TerminationDrainDuration.AsDuration", "3.5s"),
    ("1.14.5", "defaultConfig: {terminationDrainDuration: 7.5s}", "terminationDrainDuration: 3s",
     ".ProxyConfig.TerminationDrainDuration.AsDuration", "3s"),
    ("1.15.0", "defaultConfig: {terminationDrainDuration: 7.5s}", "terminationDrainDuration: 3s",
     ".ProxyConfig.TerminationDrainDuration.AsDuration", "3.5s"),
    ("1.15.1", "defaultConfig: {terminationDrainDuration: 7.5s}", "terminationDrainDuration: 3s",
     ".ProxyConfig.TerminationDrainDuration.AsDuration", "3s"),
    ("1.13.0", "defaultConfig: {extraStatTags: [a]}", "extraStatTags: [b]", TAGS, "[a b]"),
    ("1.18.0", "defaultConfig: {extraStatTags: [a]}", "extraStatTags: [b]", TAGS, "[b]"),
    ("1.13.0", "defaultConfig: {holdApplicationUntilProxyStarts: true}",
     "holdApplicationUntilProxyStarts: false",
     ".ProxyConfig.HoldApplicationUntilProxyStarts.GetValue", "true"),
    ("1.18.0", "defaultConfig: {holdApplicationUntilProxyStarts: true}",
     "holdApplicationUntilProxyStarts: false",
     ".ProxyConfig.HoldApplicationUntilProxyStarts.GetValue", "false"),
    ("1.17.1", "defaultConfig: {concurrency: 7}", "concurrency: 0",
     ".ProxyConfig.Concurrency.GetValue", "0"),
    ("1.10.2", "defaultConfig: {proxyMetadata: {A: a}}", "proxyMetadata: {B: b}",
     ".ProxyConfig.ProxyMetadata", "map[B:b]"),
    ("1.10.3", "defaultConfig: {proxyMetadata: {A: a}}", "proxyMetadata: {B: b}",
     ".ProxyConfig.ProxyMetadata", "map[A:a B:b]"),
    ("1.19.0", "defaultConfig: {proxyHeaders: {server: {value: s}}}",
     "proxyHeaders: {requestId: {}}", "protoToJSON .ProxyConfig.ProxyHeaders", '{"requestId":{}}'),
    ("1.19.1", "defaultConfig: {proxyHeaders: {server: {value: s}}}",
     "proxyHeaders: {requestId: {}}", "protoToJSON .ProxyConfig.ProxyHeaders",
     '{"requestId":{},"server":{"value":"s"}}'),
)  # fmt: skip


@pytest.mark.parametrize(("release", "mesh", "text", "expression", "expected"), MERGED)
def test_each_release_merges_the_layers_by_its_rules(
    release: str, mesh: str, text: str, expression: str, expected: str
) -> None:
    assert _printed(expression, release, _configured(text), mesh=mesh) == expected


IMAGES = (
    # release, the image type of annotation and resource, united or not
    ("1.14.1", "distroless"),
    ("1.14.2", "debug"),
    ("1.15.0", "debug"),
)


@pytest.mark.parametrize(("release", "kind"), IMAGES)
def test_a_proxy_config_resource_sets_the_image_since_1_14_2(release: str, kind: str) -> None:
    labels: Object = {"matchLabels": {"a": "b"}}
    resource: Object = {
        "metadata": {"name": "x", "namespace": "ns"},
        "spec": {"selector": labels, "image": {"imageType": "debug"}},
    }
    template = "metadata: {annotations: {x: '{{ .ProxyConfig.Image.ImageType }}'}}"
    injector = istio.compile_(
        istio.Documents(
            config=json.dumps({"templates": {"sidecar": template}}), proxy_configs=(resource,)
        ),
        istio.IstiodEnvironment(release=release),
    )
    annotations: dict[str, JSON] = {"proxy.istio.io/config": "image: {imageType: distroless}"}
    done = injector.inject(pod(APP, annotations=annotations, labels={"a": "b"}), REQUEST)

    assert pod_annotations(done.pod)["x"] == kind


HOLDING = (
    # release, annotation, whether the proxy goes first
    ("1.9.0", None, False),
    ("1.9.0", "concurrency: 1", True),
    ("1.9.1", None, True),
    ("1.10.0", None, True),
)


@pytest.mark.parametrize(("release", "text", "first"), HOLDING)
def test_1_9_0_holds_for_the_mesh_with_the_annotation_only(
    release: str, text: str | None, *, first: bool
) -> None:
    mesh = "defaultConfig: {holdApplicationUntilProxyStarts: true}"
    template = "spec: {containers: [{name: istio-proxy}]}"
    injector = bundles.template_injector(template, release=release, mesh=mesh)
    done = injector.inject(pod(APP) if text is None else _configured(text), REQUEST)

    assert (containers(done.pod)[0]["name"] == "istio-proxy") is first


MANAGED = (("1.10.4", "[{"), ("1.10.5", "[]"), ("1.11.1", "[{"), ("1.11.2", "[]"), ("1.12", "[]"))


@pytest.mark.parametrize(("release", "printed"), MANAGED)
def test_templates_read_managed_fields_in_old_releases(release: str, printed: str) -> None:
    given = pod(APP)
    object_at(given, "metadata")["managedFields"] = [{"manager": "kubectl"}]

    assert _printed(".ObjectMeta.ManagedFields", release, given)[:2] == printed


def _deployment_config_pod(**labels: JSON) -> Object:
    given = pod(APP, labels={"deploymentconfig": "web", **labels})
    owner: Object = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "name": "web-1",
        "controller": True,
    }
    object_at(given, "metadata").update({"generateName": "web-1-", "ownerReferences": [owner]})
    return given


LABELS = (
    # release, the labels of the pod, and of the DeploymentConfig, as templates read them
    ("1.12.0", "map[a:b deploymentconfig:web]", "map[a:b deploymentconfig:web]"),
    ("1.12.1", "map[a:b]", "map[a:b]"),
    ("1.19.8", "map[a:b]", "map[a:b]"),
    ("1.19.9", "map[a:b deploymentconfig:web]", "map[a:b]"),
    ("1.20.4", "map[a:b]", "map[a:b]"),
    ("1.20.5", "map[a:b deploymentconfig:web]", "map[a:b]"),
    ("1.21.0", "map[a:b]", "map[a:b]"),
    ("1.21.1", "map[a:b deploymentconfig:web]", "map[a:b]"),
)


@pytest.mark.parametrize(("release", "own", "owners"), LABELS)
def test_the_label_of_a_deployment_config(release: str, own: str, owners: str) -> None:
    given = _deployment_config_pod(a="b")

    assert _printed(".ObjectMeta.Labels", release, given) == own
    assert _printed(".DeploymentMeta.Labels", release, given) == owners


def test_the_pod_in_the_cluster_retains_the_label_of_its_deployment_config() -> None:
    template = "metadata: {labels: {c: d}}\nspec: {containers: [{name: istio-proxy}]}"
    given = _deployment_config_pod(a="b")
    done = bundles.template_injector(template, release="1.20.4").inject(given, REQUEST)
    patched = patch.apply(given, done.mutation.patch)

    assert isinstance(patched, dict)
    assert pod_labels(patched) == {"a": "b", "c": "d", "deploymentconfig": "web"}


IDS = """
spec:
  containers: [{name: istio-proxy, image: x, securityContext: {runAsUser: %s, runAsGroup: 1}}]
"""
RESETS = (
    # release, the template's user, the user of the injected container
    ("1.20.0", 5, 7),
    ("1.20.1", 5, 5),
    ("1.20.1", 1337, 7),
    ("1.20.6", 5, 5),
    ("1.20.7", 5, 7),
    ("1.21.2", 5, 5),
    ("1.21.3", 5, 7),
    ("1.22.0", 5, 5),
    ("1.22.1", 5, 7),
    ("1.23.0", 5, 7),
)


@pytest.mark.parametrize(("release", "template", "expected"), RESETS)
def test_some_patches_reset_the_ids_of_an_overridden_container(
    release: str, template: int, expected: int
) -> None:
    own = container("istio-proxy", image="auto", securityContext={"runAsUser": 7, "runAsGroup": 7})
    done = bundles.template_injector(IDS % template, release=release).inject(pod(APP, own), REQUEST)
    context = object_at(find_by_name(containers(done.pod), "istio-proxy") or {}, "securityContext")

    assert context["runAsUser"] == expected
    assert context["runAsGroup"] == (1 if expected == 5 else 7)
    kept = json.loads(pod_annotations(done.pod)["proxy.istio.io/overrides"])
    assert ("runAsUser" in kept["containers"][0]["securityContext"]) is (expected == 7)


STOP = (("1.26.3", None), ("1.26.4", "SIGTERM"), ("1.27.0", "SIGTERM"))


@pytest.mark.parametrize(("release", "signal"), STOP)
def test_a_template_has_the_fields_of_its_releases_types(release: str, signal: str | None) -> None:
    template = "spec: {containers: [{name: istio-proxy, lifecycle: {stopSignal: SIGTERM}}]}"
    done = bundles.template_injector(template, release=release).inject(pod(APP), REQUEST)
    proxy = find_by_name(containers(done.pod), "istio-proxy") or {}

    assert object_at(proxy, "lifecycle").get("stopSignal") == signal


def test_a_null_annotation_has_no_overrides() -> None:
    injector = bundles.template_injector("spec: {containers: [{name: istio-proxy}]}")
    done = injector.inject(pod(APP, annotations={"proxy.istio.io/overrides": "null"}), REQUEST)

    assert [each["name"] for each in containers(done.pod)] == ["app", "istio-proxy"]
    with pytest.raises(UserError, match="must be a JSON object"):
        injector.inject(pod(APP, annotations={"proxy.istio.io/overrides": "5"}), REQUEST)


def test_an_empty_list_of_containers_is_preserved() -> None:
    done = bundles.template_injector("spec: {containers: }").inject(pod(), REQUEST)

    assert object_at(done.pod, "spec")["containers"] == []
