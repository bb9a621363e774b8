"""Settings of istiod from a seed: the chart's settings of the release, changed at random."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podgraft.base.jsonvalue import Object, object_at
from podgraft.kube import yaml

from . import expressions, typed_pods

# Values of the chart, by path; each is set with a probability.
VALUES: Mapping[str, tuple[Any, ...]] = {
    "global.network": ("net1", ""),
    "global.multiCluster.clusterName": ("c1", "Kubernetes"),
    "global.meshID": ("mesh1",),
    "global.hub": ("registry.example.com/istio", "docker.io/istio"),
    "global.tag": ("1.2.3", "1.2.3-distroless", "latest"),
    "global.variant": ("distroless", "debug"),
    "global.imagePullPolicy": ("Always", "IfNotPresent"),
    "global.imagePullSecrets": (["regcred"], ["one", "two"], ["a", ""]),
    "global.logAsJson": (True,),
    "global.mountMtlsCerts": (True,),
    "global.pilotCertProvider": ("kubernetes", "k8s.io/clusterissuers.cert-manager.io/x", "none"),
    "global.caAddress": ("ca.example.com:15012",),
    "global.sts.servicePort": (15463,),
    "global.istioNamespace": ("istio-control",),
    "global.proxy.image": ("proxyv3", "registry.example.com/own/proxy:5"),
    "global.proxy.logLevel": ("debug", ""),
    "global.proxy.componentLogLevel": ("misc:error,http:debug", ""),
    "global.proxy.outlierLogPath": ("/dev/stdout",),
    "global.proxy.privileged": (True,),
    "global.proxy.statusPort": (0, 15021, 15020),
    "global.proxy.readinessInitialDelaySeconds": (3,),
    "global.proxy.readinessFailureThreshold": (30,),
    "global.proxy.startupProbe.enabled": (False,),
    "global.proxy.includeIPRanges": ("10.0.0.0/8", ""),
    "global.proxy.excludeIPRanges": ("10.1.0.0/16",),
    "global.proxy.includeInboundPorts": ("80,90", ""),
    "global.proxy.excludeInboundPorts": ("81",),
    "global.proxy.includeOutboundPorts": ("443",),
    "global.proxy.excludeOutboundPorts": ("444",),
    "global.proxy.holdApplicationUntilProxyStarts": (True,),
    "global.proxy.enableCoreDump": (True,),
    "global.proxy.lifecycle": ({"preStop": {"exec": {"command": ["sleep", "5"]}}},),
    "global.proxy.resources": (
        {},
        {"requests": {"cpu": "1", "memory": "1Gi"}},
        {"limits": {"cpu": "2000m"}},
    ),
    "global.proxy.seccompProfile": ({"type": "RuntimeDefault"},),
    "global.proxy_init.resources": ({"limits": {"cpu": "1"}},),
    "global.proxy_init.forceApplyIptables": (True,),
    "global.nativeNftables": (True,),
    "global.proxy_init.image": ("proxyv4", "registry.example.com/own/init:5"),
    "global.proxy.capNetBindService": (True, "true"),
    "global.proxy.readinessPeriodSeconds": (7, 0),
    "global.proxy.startupProbe.failureThreshold": (5,),
    "global.proxy.tracer": ("zipkin", "lightstep", "datadog", "stackdriver", "openCensusAgent"),
    "global.proxy.clusterDomain": ("example.internal",),
    "global.logging.level": ("default:debug", ""),
    "global.caName": ("GkeWorkloadCertificate", "x"),
    "global.sds.token.aud": ("own-ca",),
    "global.jwtPolicy": ("first-party-jwt",),
    "global.trustBundleName": ("own-root",),
    "global.omitSidecarInjectorConfigMap": (True,),
    "global.waypoint.resources": ({},),
    "pilot.crlConfigMapName": ("crl",),
    "pilot.env": ({"ENABLE_NATIVE_SIDECARS": "true"}, {"PILOT_ENABLE_CRL": "true", "A": "b"}),
    "pilot.cni.enabled": (True,),
    "pilot.cni.provider": ("multus",),
    "istio_cni.enabled": (True,),
    "istio_cni.chained": (False,),
    "sidecarInjectorWebhook.rewriteAppHTTPProbe": (False,),
    "revision": ("canary",),
}
MESH: Mapping[str, tuple[Any, ...]] = {
    "enablePrometheusMerge": (False, True),
    "trustDomain": ("example.org",),
    "enableTracing": (True,),
    "defaultConfig.interceptionMode": ("TPROXY", "REDIRECT", "NONE"),
    "defaultConfig.concurrency": (0, 3),
    "defaultConfig.statusPort": (15099,),
    "defaultConfig.holdApplicationUntilProxyStarts": (True, False),
    "defaultConfig.proxyMetadata": ({"A": "1", "B": "x y"}, {"ISTIO_META_ENABLE_HBONE": "true"}),
    "defaultConfig.drainDuration": ("5s",),
    "defaultConfig.terminationDrainDuration": ("7s",),
    "defaultConfig.tracing": (
        {"sampling": 5},
        {"zipkin": {"address": "zipkin.example:9411"}},
        {"customTags": {"a": {"literal": {"value": "b"}}}},
    ),
    "defaultConfig.image": ({"imageType": "debug"}, {"imageType": "distroless"}),
    "defaultConfig.binaryPath": ("/bin/envoy",),
    "defaultConfig.extraStatTags": (["a", "b"],),
    "defaultConfig.proxyStatsMatcher": ({"inclusionPrefixes": ["x"]},),
    "defaultConfig.gatewayTopology": ({"numTrustedProxies": 2},),
    "defaultConfig.discoveryAddress": ("istiod.other:15012",),
    "defaultConfig.statsdUdpAddress": ("a:1",),
    "defaultConfig.proxyAdminPort": (15001,),
    "defaultConfig.readinessProbe": (
        {"httpGet": {"path": "/x", "port": 80}},
        {"grpc": {"port": 9}},
    ),
    "defaultConfig.proxyHeaders": ({"server": {"value": "x"}, "attemptCount": {"disabled": True}},),
    "defaultConfig.runtimeValues": ({"k": "v"},),
    "defaultConfig.meshId": ("m2",),
    "inboundTrafficPolicy": ({"mode": "PASSTHROUGH"}, {"mode": "LOCALHOST"}),
    "outboundTrafficPolicy": ({"mode": "REGISTRY_ONLY"},),
}
EXTRA_TEMPLATE = """\
metadata:
  labels:
    rev: {{ .Revision | default "norev" | quote }}
    workload: {{ .DeploymentMeta.Name | trunc 20 | quote }}
  annotations:
    network: {{ .ProxyConfig.InterceptionMode | quote }}
spec:
  containers:
  {{- range .Spec.Containers }}
  {{- if ne .Name "istio-proxy" }}
  - name: {{ .Name }}
    env:
    - name: EXTRA
      value: {{ $.ObjectMeta.Namespace | quote }}
  {{- end }}
  {{- end }}
  - name: helper
    image: registry.example.com/helper:1
  volumes:
  - name: helper
    emptyDir: {}
"""
CUSTOM_PROXY_TEMPLATE = """\
metadata:
  annotations:
    proxy: {{ .ProxyConfig.DiscoveryAddress | quote }}
spec:
  containers:
  - name: istio-proxy
    env:
    - name: CUSTOM
      value: {{ len .Spec.Containers | quote }}
  terminationGracePeriodSeconds: 42
"""
# With a native sidecar, the directive names a list that the pod of the templates does not have.
ORDER_TEMPLATE = """\
spec:
  containers:
  - name: zz
    image: z
  $setElementOrder/containers:
  - name: zz
"""
LABELS_TEMPLATE = """\
metadata:
  labels: {own: {{ .ObjectMeta.Namespace | quote }}}
"""
EXPRESSIONS = 40
PROXY_CONFIGS = (
    {"name": "root", "namespace": "istio-system", "spec": "concurrency: 4\n"},
    {
        "name": "all",
        "namespace": "team",
        "spec": "environmentVariables: {FROM: namespace}\nconcurrency: 0\n",
    },
    {
        "name": "some",
        "namespace": "team",
        "spec": "selector: {matchLabels: {app: web}}\nenvironmentVariables: {FROM: workload}\n"
        "image: {imageType: debug}\n",
    },
    {"name": "empty", "namespace": "team", "spec": "selector: {}\nconcurrency: 9\n"},
    {
        "name": "no-labels",
        "namespace": "istio-system",
        "spec": "selector: {matchLabels: {}}\nenvironmentVariables: {FROM: nothing}\n",
    },
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The documents of one istiod, in the form of main.go, and the URL paths of its webhook."""

    documents: Object
    paths: tuple[str, ...]


def make_settings(random_: random.Random, folder: Path, release: str) -> Settings:
    """Settings from the chart's, which *folder* contains, with a template for each expression."""
    values = json.loads((folder / "values.json").read_text(encoding="utf-8"))
    config = yaml.load((folder / "config.yaml").read_text(encoding="utf-8"))
    mesh = yaml.load((folder / "mesh.yaml").read_text(encoding="utf-8"))
    assert isinstance(config, dict)
    assert isinstance(mesh, dict)
    density = random_.choice((0.0, 0.05, 0.15, 0.3))
    _change(random_, values, VALUES, density)
    _change(random_, mesh, MESH, density)
    _change_config(random_, config)
    texts = [expressions.make_expression(random_, release) for _ in range(EXPRESSIONS)]
    makers = (expressions.make_template, expressions.make_direct_template)
    templates = {f"e{number}": makers[number % 2](text) for number, text in enumerate(texts)}
    config["templates"] = object_at(config, "templates") | templates
    config["templates"] |= typed_pods.make_templates(random_, release)
    documents: Object = {
        "config": json.dumps(config),
        "values": json.dumps(values),
        "mesh": json.dumps(mesh),
        "revision": random_.choice(("", "default", "canary")),
        "proxyConfigs": [
            dict(resource) for resource in PROXY_CONFIGS if random_.random() < density * 2
        ],
    }
    return Settings(documents, _make_paths(random_))


def _change(
    random_: random.Random, document: Object, table: Mapping[str, tuple[Any, ...]], density: float
) -> None:
    for path, choices in table.items():
        if random_.random() < density:
            *above, last = path.split(".")
            target: Any = document
            for key in above:
                if not isinstance(target.get(key), dict):
                    target[key] = {}
                target = target[key]
            target[last] = random_.choice(choices)


def _change_config(random_: random.Random, config: Object) -> None:
    templates = config["templates"]
    assert isinstance(templates, dict)
    templates |= {"extra": EXTRA_TEMPLATE, "own": CUSTOM_PROXY_TEMPLATE}
    templates |= {"order": ORDER_TEMPLATE, "labels": LABELS_TEMPLATE}
    config["defaultTemplates"] = random_.choice(
        (["sidecar"], ["sidecar"], ["sidecar"], ["sidecar", "extra"], ["own", "sidecar"], ["both"])
    )
    config["aliases"] = {"both": ["sidecar", "own"], "none": []}
    config["policy"] = random_.choice(("enabled",) * 18 + ("disabled", "other"))
    if random_.random() < 0.2:
        config["neverInjectSelector"] = [
            {"matchExpressions": [{"key": "app", "operator": "In", "values": ["db", "x"]}]}
        ]
        config["alwaysInjectSelector"] = [{"matchLabels": {"tier": "front"}}]
    if random_.random() < 0.2:
        config["injectedAnnotations"] = {"example.com/injected": "yes"}


def _make_paths(random_: random.Random) -> tuple[str, ...]:
    return (
        "/inject",
        random_.choice(
            (
                "/inject/",
                "/inject/cluster/Kubernetes",
                "/inject/cluster/c2/net/n2",
                "/inject/cluster/c2/net/n2/",
                "/inject/:ENV:cluster=c3:ENV:A_B=x=y",
                "/inject/net/a--slash--b/extra/1/odd",
                "/inject/cluster//net/",
                "/inject/%C3%9F/x",
                "/inject/%EF%AC%81/%C4%B0/cluster/c%2F2",
                "/inject/a%20b/c%0Ad",
                "/inject/:ENV:%C3%9F=x:ENV:a=%22b%22",
            )
        ),
    )
