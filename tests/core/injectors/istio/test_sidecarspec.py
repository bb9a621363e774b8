"""The older layout: parts of a sidecar, and the patch that adds them, operation by operation."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, names_at, object_at, objects_at, without_keys
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.istio.legacy import sidecarspec
from podgraft.core.injectors.istio.pod_builder import containers
from podgraft.core.injectors.istio.render.pod_overlay import OverlayError
from podgraft.core.review_context import ReviewContext
from podgraft.kube import defaults, patch, yaml
from podgraft.kube.types import NEWEST
from podgraft.kube.workload_owner import WorkloadRef

from .pods import OWNER, container, env, pod

TEMPLATE = """
rewriteAppHTTPProbe: {{ valueOrDefault .Values.probes false }}
initContainers:
- name: istio-init
  image: init
  args: [-u, 1337, true]
- name: istio-validation
  image: validation
containers:
- name: istio-proxy
  image: proxy
  nobody: knows
  resources: {limits: {cpu: 1500m}}
volumes:
- name: istio-envoy
  emptyDir: {medium: Memory}
dnsConfig: {searches: [global]}
imagePullSecrets: [{name: secret}]
"""
VERSION = sha256(TEMPLATE.encode()).hexdigest()


def _injector(
    template: str = TEMPLATE, *, release: str = "1.8", values: str = "{}"
) -> istio.Injector:
    config = yaml.dump({"policy": "enabled", "template": template})
    around = istio.IstiodEnvironment(release=release, revision="r")
    return istio.compile_(istio.Documents(config=config, values=values), around)


def _patch(injector: istio.Injector, given: Object, owner: WorkloadRef | None = None) -> JSON:
    done = injector.inject(given, ReviewContext(namespace="ns"), owner)
    assert patch.apply(done.base, done.mutation.patch) == done.pod
    return json.loads(json.dumps(done.mutation.patch))


def _shape(operations: JSON) -> list[str]:
    assert isinstance(operations, list)
    return [f"{each['op']} {each['path']}" for each in operations if isinstance(each, dict)]


APP = container("app", ports=[{"name": "web", "containerPort": 80}])
LABELS = [
    "add /metadata/labels",
    "add /metadata/labels/security.istio.io~1tlsMode",
    "add /metadata/labels/service.istio.io~1canonical-name",
    "add /metadata/labels/service.istio.io~1canonical-revision",
]
CONTEXTS = ["add /spec/dnsConfig", "add /spec/securityContext"]
ANNOTATIONS = [
    "add /metadata/annotations",
    "add /metadata/annotations/prometheus.io~1port",
    "add /metadata/annotations/prometheus.io~1scrape",
    "add /metadata/annotations/sidecar.istio.io~1status",
]


def test_1_8_adds_in_its_own_order() -> None:
    assert _shape(_patch(_injector(), pod(APP))) == [
        "add /spec/initContainers",
        "add /spec/initContainers/0",
        "add /spec/containers/-",
        "add /spec/volumes",
        "add /spec/imagePullSecrets",
        *CONTEXTS,
        *ANNOTATIONS,
        *LABELS,
    ]


def test_a_proxy_with_hold_is_the_first_container() -> None:
    values = '{"global": {"proxy": {"holdApplicationUntilProxyStarts": true}}}'
    shape = _shape(_patch(_injector(values=values), pod(APP)))

    assert "add /spec/containers/0" in shape


def test_numbers_and_booleans_become_strings_and_unknown_fields_are_dropped() -> None:
    done = _injector().inject(pod(APP), ReviewContext())
    init, proxy = done.pod, containers(done.pod)[-1]

    assert containers(init, "initContainers")[1]["args"] == ["-u", "1337", "true"]
    assert "nobody" not in proxy
    assert proxy["resources"] == {"limits": {"cpu": "1500m"}}
    assert proxy["args"] == ["--concurrency", "2"]


def test_the_status_has_the_hash_of_the_template() -> None:
    done = _injector().inject(pod(APP), ReviewContext())
    annotations = object_at(object_at(done.pod, "metadata"), "annotations")

    assert json.loads(str(annotations["sidecar.istio.io/status"])) == {
        "version": VERSION,
        "initContainers": ["istio-init", "istio-validation"],
        "containers": ["istio-proxy"],
        "volumes": ["istio-envoy"],
        "imagePullSecrets": ["secret"],
    }


def _previously_injected_pod(status: Object | None) -> Object:
    annotations: dict[str, JSON] = {"x": "y"}
    if status is not None:
        annotations["sidecar.istio.io/status"] = json.dumps(status)
    given = pod(container("old"), APP, container("istio-proxy"), annotations=annotations)
    object_at(given, "spec")["volumes"] = [{"name": "istio-envoy"}, {"name": "v"}, {"name": "old"}]
    return given


REMOVALS: tuple[tuple[Object | None, list[str]], ...] = (
    ({"containers": ["old", "istio-proxy"], "volumes": ["old"]},
     ["remove /spec/containers/2", "remove /spec/containers/0", "remove /spec/volumes/2"]),
    (None, ["remove /spec/containers/2", "remove /spec/volumes/0"]),
    ({"containers": []}, ["remove /spec/containers/2", "remove /spec/volumes/0"]),
)  # fmt: skip


@pytest.mark.parametrize(("status", "removed"), REMOVALS)
def test_additions_of_an_earlier_injection_are_removed_first(
    status: Object | None, removed: list[str]
) -> None:
    shape = _shape(_patch(_injector(), _previously_injected_pod(status)))

    assert shape[: len(removed)] == removed
    assert not shape[len(removed)].startswith("remove")
    assert ("replace /metadata/annotations/sidecar.istio.io~1status" in shape) is (
        status is not None
    )


def test_http_probes_are_replaced_before_anything_else() -> None:
    probes: Object = {"readinessProbe": {"tcpSocket": {"port": 1}}}
    for key, port in (("livenessProbe", "web"), ("startupProbe", 8080)):
        probes[key] = {"httpGet": {"port": port}, "timeoutSeconds": 2}
    given = pod(container("other"), {**APP, **probes})
    done = _injector(values='{"probes": true}').inject(given, ReviewContext())
    first, second, *rest = done.mutation.patch

    assert [first["path"], second["path"]] == [
        "/spec/containers/1/livenessProbe",
        "/spec/containers/1/startupProbe",
    ]
    assert first["op"] == "replace"
    assert first["value"] == {
        "httpGet": {"path": "/app-health/app/livez", "port": 15020},
        "timeoutSeconds": 2,
    }
    assert rest[0]["path"] == "/spec/initContainers"
    text = env(containers(done.pod)[-1])["ISTIO_KUBE_APP_PROBERS"]
    assert json.loads(str(text)) == {
        "/app-health/app/livez": {"httpGet": {"port": 80}, "timeoutSeconds": 2},
        "/app-health/app/startupz": {"httpGet": {"port": 8080}, "timeoutSeconds": 2},
    }


def test_the_proxys_environment_comes_in_order() -> None:
    given = pod({**APP, "livenessProbe": {"httpGet": {"port": 1}}}, annotations={
        "prometheus.io/port": "9", "sidecar.istio.io/rewriteAppHTTPProbers": "true",
    })  # fmt: skip
    request = ReviewContext(environment={"B": "b", "A": "a"})
    done = _injector().inject(given, request)

    assert [*env(containers(done.pod)[-1])] == [
        "A", "B", "ISTIO_KUBE_APP_PROBERS", "ISTIO_PROMETHEUS_ANNOTATIONS",
    ]  # fmt: skip


def test_the_proxy_gets_the_token_that_an_app_container_has() -> None:
    mount: Object = {"name": "t", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    done = _injector().inject(pod({**APP, "volumeMounts": [mount]}), ReviewContext())

    assert objects_at(containers(done.pod)[-1], "volumeMounts") == [mount]


LABELLED: tuple[tuple[dict[str, JSON], str, str], ...] = (
    ({}, "app", "latest"),
    ({"app": "a", "version": "v"}, "a", "v"),
    ({"app": "a", "app.kubernetes.io/name": "n", "app.kubernetes.io/version": "w"}, "n", "w"),
    ({"service.istio.io/canonical-name": "own"}, "own", "latest"),
)


@pytest.mark.parametrize(("labels", "name", "revision"), LABELLED)
def test_labels_name_the_canonical_service(
    labels: dict[str, JSON], name: str, revision: str
) -> None:
    done = _injector().inject(pod(APP, labels=labels), ReviewContext())
    found = object_at(object_at(done.pod, "metadata"), "labels")

    assert found["service.istio.io/canonical-name"] == name
    assert found["service.istio.io/canonical-revision"] == revision
    assert found["istio.io/rev"] == "r"


def test_the_pods_security_context_gets_the_proxys_group() -> None:
    given = pod(APP)
    object_at(given, "spec")["securityContext"] = {"runAsUser": 5}
    own = object_at(_injector().inject(given, ReviewContext()).pod, "spec")
    config = yaml.dump({"template": TEMPLATE})
    without = istio.compile_(
        istio.Documents(config=config),
        istio.IstiodEnvironment(release="1.8", legacy_fsgroup_injection=False),
    )

    assert own["securityContext"] == {"runAsUser": 5, "fsGroup": 1337}
    assert "add /spec/securityContext" not in _shape(_patch(without, pod(APP)))


CONCURRENCY: tuple[tuple[Object, list[JSON] | None], ...] = (
    ({}, None),
    ({"resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}}, ["--concurrency", "2"]),
    ({"resources": {"requests": {"cpu": "100m"}}}, ["--concurrency", "1"]),
    ({"args": ["--concurrency", "4"], "resources": {"limits": {"cpu": "2"}}},
     ["--concurrency", "4"]),
    ({"args": ["-concurrency=4"], "resources": {"limits": {"cpu": "2"}}}, ["-concurrency=4"]),
    ({"args": ["--concurrency", "0"], "resources": {"limits": {"cpu": "2"}}},
     ["--concurrency", "0", "--concurrency", "2"]),
)  # fmt: skip


@pytest.mark.parametrize(("proxy", "args"), CONCURRENCY)
def test_the_proxy_has_as_many_threads_as_cores(proxy: Object, args: list[JSON] | None) -> None:
    given = dict(proxy)
    sidecarspec.set_concurrency(given)

    assert given.get("args") == args


OLDEST = """
initContainers:
- name: istio-init
  image: init:latest
  args: [ [[ .MeshConfig.ProxyListenPort ]] ]
containers:
- name: istio-proxy
  image: proxy:1
  restartPolicy: Always
  args:
  - "[[ formatDuration .ProxyConfig.DrainDuration ]]"
  - [[ isset .ObjectMeta.Annotations `x` ]]
volumes: [{name: istio-certs, secret: {secretName: s}}]
imagePullSecrets: [{name: secret}]
"""


def test_1_0_reads_brackets_and_fills_in_defaults() -> None:
    done = _injector(OLDEST, release="1.0").inject(
        pod(APP, annotations={"x": "y"}), ReviewContext()
    )
    (init,), (_, proxy) = containers(done.pod, "initContainers"), containers(done.pod)

    assert init["args"] == ["15001"]
    assert (init["imagePullPolicy"], proxy["imagePullPolicy"]) == ("Always", "IfNotPresent")
    assert proxy["args"] == ["2s", "true"]
    assert "restartPolicy" not in proxy
    assert objects_at(object_at(done.pod, "spec"), "volumes") == [
        {"name": "istio-certs", "secret": {"secretName": "s", "defaultMode": 420}}
    ]
    assert [each["path"] for each in done.mutation.patch][-1].startswith(
        "/metadata/annotations/sidecar"
    )


def test_a_spec_without_a_proxy_is_also_added() -> None:
    annotations: dict[str, JSON] = {"prometheus.istio.io/merge-metrics": "false"}
    injector = _injector("containers: [{name: other, image: x}]")
    done = injector.inject(pod(APP, annotations=annotations), ReviewContext())

    assert [each["name"] for each in containers(done.pod)] == ["app", "other"]
    assert "prometheus.io/port" not in object_at(object_at(done.pod, "metadata"), "annotations")


def test_1_0_kube_inject_only_appends() -> None:
    given = pod(container("istio-proxy"), annotations={"sidecar.istio.io/inject": "false"})
    shape = _shape(_patch(_injector(OLDEST, release="1.0"), given, OWNER))

    assert shape == [
        "add /spec/initContainers",
        "add /spec/containers/-",
        "add /spec/volumes",
        "add /metadata/annotations/sidecar.istio.io~1status",
    ]


FILLED: tuple[tuple[Object, Object], ...] = (
    ({"ports": [{"containerPort": 1}]}, {"ports": [{"containerPort": 1, "protocol": "TCP"}]}),
    ({"livenessProbe": {"httpGet": {"port": 1}, "periodSeconds": 5}},
     {"livenessProbe": {"httpGet": {"path": "/", "scheme": "HTTP", "port": 1}, "timeoutSeconds": 1,
                        "periodSeconds": 5, "successThreshold": 1, "failureThreshold": 3}}),
    ({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "p"}}}, {"name": "B"}]},
     {"env": [{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "p"}}},
              {"name": "B"}]}),
    ({"resources": {"limits": {"cpu": "1", "memory": "2"}, "requests": {"cpu": "3"}}},
     {"resources": {"limits": {"cpu": "1", "memory": "2"},
                    "requests": {"cpu": "3", "memory": "2"}}}),
    ({"lifecycle": {"preStop": {"httpGet": {"port": 1}}}},
     {"lifecycle": {"preStop": {"httpGet": {"path": "/", "scheme": "HTTP", "port": 1}}}}),
    ({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
     {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}),
    ({"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}},
     {"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}}),
    ({"image": "hub:5000/a@sha256:0"}, {"imagePullPolicy": "IfNotPresent"}),
    ({"image": "hub:5000/a"}, {"imagePullPolicy": "Always"}),
    ({"image": "a:latest", "imagePullPolicy": "Never"}, {"imagePullPolicy": "Never"}),
)  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), FILLED)
def test_containers_have_kubernetes_defaults(given: Object, expected: Object) -> None:
    filled = defaults.fill(kube.types(10)["Container"], given, 10)

    assert {key: filled[key] for key in expected} == expected
    assert filled["terminationMessagePolicy"] == "File"


VOLUMES: tuple[tuple[Object, Object], ...] = (
    ({"emptyDir": {}}, {"emptyDir": {}}),
    ({"secret": {"items": [{"key": "a", "path": "b"}], "defaultMode": 1}},
     {"secret": {"items": [{"key": "a", "path": "b"}], "defaultMode": 1}}),
    ({"configMap": {"name": "c"}}, {"configMap": {"name": "c", "defaultMode": 420}}),
    ({"downwardAPI": {"items": [{"fieldRef": {"fieldPath": "p"}}]}},
     {"downwardAPI": {"defaultMode": 420,
                      "items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "p"}}]}}),
    ({"projected": {"sources": [{"serviceAccountToken": {"path": "t"}},
                                {"downwardAPI": {"items": [{"fieldRef": {"fieldPath": "p"}}]}}]}},
     {"projected": {"defaultMode": 420, "sources": [
         {"serviceAccountToken": {"expirationSeconds": 3600, "path": "t"}},
         {"downwardAPI": {"items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "p"}}]}},
     ]}}),
)  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), VOLUMES)
def test_volumes_have_kubernetes_defaults(given: Object, expected: Object) -> None:
    assert defaults.fill(kube.types()["Volume"], given, NEWEST) == expected


def test_hostile_values_change_no_structure_of_a_spec() -> None:
    template = TEMPLATE.replace(
        "image: proxy", 'image: {{ annotation .ObjectMeta "image" "proxy" }}'
    )
    given = pod(APP, annotations={"image": "x\n  securityContext: {privileged: true}"})

    with pytest.raises(UserError, match="annotation image: "):
        _injector(template).inject(given, ReviewContext())


@pytest.mark.parametrize("template", ["- a", "containers: 5", "containers: [{name: {}}]"])
def test_an_invalid_spec_is_an_operator_error(template: str) -> None:
    with pytest.raises(OperatorError):
        _injector(template).inject(pod(APP), ReviewContext())


def test_a_spec_of_another_type_is_an_error_with_its_path() -> None:
    with pytest.raises(OverlayError, match="containers"):
        sidecarspec.decode_spec(19, {"containers": 5})


def test_changes_by_render_do_not_affect_other_pods() -> None:
    changing = '{{ $_ := render `{{ $_ := set .Values "name" .ObjectMeta.Name }}` }}'
    injector = _injector(
        f"containers:\n- {{name: '{{{{ .Values.name }}}}', image: x}}\n{changing}",
        values="name: proxy",
    )
    for _ in range(2):
        done = injector.inject(pod(APP), ReviewContext())
        assert [each["name"] for each in containers(done.pod)] == ["app", "proxy"]


BY_HAND = """
rewriteAppHTTPProbe: true
initContainers: [{name: istio-init, image: init}]
containers: [{name: istio-proxy, image: proxy, args: [--statusPort, "15021"]}]
imagePullSecrets: [{name: secret}]
podRedirectAnnot: {sidecar.istio.io/interceptionMode: REDIRECT, k8s.v1.cni.cncf.io/networks: cni}
"""
PROBED = container("app", readinessProbe={"httpGet": {"path": "/a", "port": 80}})
MODE = {"sidecar.istio.io/interceptionMode": "REDIRECT"}
NETWORKS = {"k8s.v1.cni.cncf.io/networks": "cni"}
METRICS = {
    "prometheus.io/port": "15020",
    "prometheus.io/path": "/stats/prometheus",
    "prometheus.io/scrape": "true",
}
TLS = {"security.istio.io/tlsMode": "istio"}


@pytest.mark.parametrize(
    ("release", "annotations", "labels", "port", "secrets"),
    [
        ("1.2", {}, {}, 15021, []),
        ("1.5", MODE, TLS, 15021, []),
        ("1.6", MODE | NETWORKS, TLS | {"istio.io/rev": "r"}, 15020, ["secret"]),
        ("1.7", METRICS | MODE | NETWORKS, TLS | {"istio.io/rev": "r"}, 15020, ["secret"]),
    ],
)
def test_kube_inject_of_1_1_to_1_7_appends_without_a_patch(
    release: str,
    annotations: dict[str, str],
    labels: dict[str, str],
    port: int,
    secrets: list[str],
) -> None:
    done = _injector(BY_HAND, release=release).inject(pod(PROBED), ReviewContext(), OWNER)
    metadata, spec = object_at(done.pod, "metadata"), object_at(done.pod, "spec")
    added = without_keys(object_at(metadata, "annotations"), "sidecar.istio.io/status")
    app, proxy = containers(done.pod)

    assert done.operations is None
    assert (added, object_at(metadata, "labels")) == (annotations, labels)
    assert (names_at(spec, "initContainers"), proxy["name"]) == (["istio-init"], "istio-proxy")
    assert names_at(spec, "imagePullSecrets") == secrets
    assert object_at(app, "readinessProbe", "httpGet") == {
        "path": "/app-health/app/readyz",
        "port": port,
    }
    assert "/app-health/app/readyz" in str(env(proxy)["ISTIO_KUBE_APP_PROBERS"])
