"""Complete injections with the sample and with small templates."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InvalidDocumentsError, OperatorError, UserError
from podgraft.core.injectors.istio.pod_builder import (
    containers,
    find_by_name,
    find_sidecar,
    pod_annotations,
    pod_labels,
)
from podgraft.core.policy import InjectValueSyntax
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch
from podgraft.kube.workload_owner import WorkloadRef
from support.effort import scaled

from . import bundles
from .pods import OWNER, container, env, pod

REQUEST = ReviewContext(namespace="ns")
APP = container("app", image="app", ports=[{"containerPort": 80, "name": "web"}])


def _names(listed: list[Object]) -> list[JSON]:
    return [each["name"] for each in listed]


def _proxy(injection: istio.Injection) -> Object:
    found = find_sidecar(bundles.sample().profile, injection.pod)
    assert found is not None
    return found


# The sample

PODS = (
    pod(APP),
    pod(APP, container("other"), init=(container("first"),)),
    pod(APP, annotations={"prometheus.io/scrape": "true", "prometheus.io/port": "80"}),
    pod(container("app", livenessProbe={"httpGet": {"port": "web"}}, ports=[])),
    pod(APP, annotations={"sidecar.istio.io/interceptionMode": "TPROXY"}),
    pod(APP, annotations={"proxy.istio.io/config": "concurrency: 3"}),
    pod(APP, labels={"topology.istio.io/network": "n1"}),
    pod(APP, annotations={"sidecar.istio.io/nativeSidecar": "true"}),
)


@pytest.mark.parametrize("given_", PODS, ids=lambda each: json.dumps(each["metadata"])[:40])
def test_an_injected_pod_is_not_changed_by_injecting_it_again(given_: Object) -> None:
    injector = bundles.sample()
    before = copy.deepcopy(given_)
    once = injector.inject(given_, REQUEST)
    twice = injector.inject(once.pod, REQUEST)

    assert patch.diff(twice.base, twice.pod) == []
    assert given_ == before


def test_a_sidecar_is_injected_with_volumes_and_metadata() -> None:
    done = bundles.sample().inject(pod(APP), REQUEST)

    assert _names(containers(done.pod)) == ["app", "istio-proxy"]
    assert _names(containers(done.pod, "initContainers")) == ["istio-init"]
    assert done.templates == ("sidecar",)
    assert (done.added.init_containers, done.added.containers) == (
        ("istio-init",),
        ("istio-proxy",),
    )
    assert "istio-token" in done.added.volumes
    assert done.image == "registry.example.com/mesh/proxyv2:1.30.3"
    assert done.warnings == ()
    assert jsonvalue.equal(patch.apply(pod(APP), done.mutation.patch), done.pod)


def test_templates_read_the_pod_as_in_go() -> None:
    proxy = _proxy(bundles.sample().inject(pod(APP, container("other")), REQUEST))

    assert env(proxy)["ISTIO_META_POD_PORTS"] == '[{"name":"web","containerPort":80}]'
    assert env(proxy)["ISTIO_META_APP_CONTAINERS"] == "app,other"
    assert env(proxy)["PROXY_CONFIG"] == (
        '{"drainDuration":"30s","proxyMetadata":{"ISTIO_META_DNS_CAPTURE":"true"}}\n'
    )
    assert env(proxy)["ISTIO_META_OWNER"] == "kubernetes://apis/v1/namespaces/ns/pods/app"


def test_a_native_sidecar_is_an_init_container() -> None:
    done = bundles.sample(native=True).inject(pod(APP, init=(container("first"),)), REQUEST)

    names = _names(containers(done.pod, "initContainers"))
    assert names == ["istio-init", "istio-proxy", "first"]
    assert _names(containers(done.pod)) == ["app"]


def test_the_users_proxy_moves_to_the_list_of_the_template() -> None:
    mine = container("istio-proxy", image="auto", args=["mine"])
    done = bundles.sample(native=True).inject(pod(APP, mine), REQUEST)

    proxy = find_by_name(containers(done.pod, "initContainers"), "istio-proxy")
    assert proxy is not None
    assert (proxy["args"], proxy["image"]) == (["mine"], done.image)
    assert _names(containers(done.pod)) == ["app"]


def test_unknown_fields_of_the_pod_are_preserved() -> None:
    given_ = pod({**APP, "future": {"a": [1.5, None]}}) | {"future": True}
    done = bundles.sample().inject(given_, REQUEST)

    assert done.pod["future"] is True
    assert containers(done.pod)[0]["future"] == {"a": [1.5, None]}


def test_the_empty_status_that_kube_apiserver_sends_remains() -> None:
    done = bundles.sample().inject({**pod(APP), "status": {}}, REQUEST)

    assert done.pod["status"] == {}
    assert "status" not in bundles.sample().inject(pod(APP), REQUEST).pod


def test_an_empty_list_of_init_containers_is_not_printed() -> None:
    """As by a template for istio-cni, which needs no istio-init."""
    template = "spec:\n  initContainers: []\n  containers:\n  - {name: istio-proxy, image: p}\n"
    done = bundles.template_injector(template).inject(pod(APP), REQUEST)
    assert "initContainers" not in object_at(done.pod, "spec")


def test_a_pod_without_a_namespace_gets_that_of_the_request() -> None:
    given_ = pod(APP)
    object_at(given_, "metadata").pop("namespace")
    done = bundles.sample().inject(given_, REQUEST)

    assert object_at(done.base, "metadata")["namespace"] == "ns"
    assert "/metadata/namespace" not in [each["path"] for each in done.mutation.patch]


def test_the_urls_environment_reaches_the_proxy() -> None:
    injector = bundles.sample()
    request = ReviewContext(environment=injector.parse_environment("cluster/c1/net/n1/x/y"))
    done = injector.inject(pod(APP), request)

    assert [*env(_proxy(done)).items()][-3:] == [
        ("ISTIO_META_CLUSTER_ID", "c1"), ("ISTIO_META_NETWORK", "n1"), ("X", "y"),
    ]  # fmt: skip
    assert pod_labels(done.pod)["topology.istio.io/network"] == "n1"


# Templates

TWO = """
policy: enabled
defaultTemplates: [a]
aliases: {both: [a, b]}
injectedAnnotations: {injected: "yes"}
templates:
  sidecar: "spec: {hostname: by-hand}"
  a: "spec: {containers: [{name: istio-proxy, image: a}], hostname: a}"
  b: "spec: {hostname: b, containers: [{name: extra, image: b}]}"
"""
CHOSEN = (
    # annotation, templates, hostname
    (None, ("a",), "a"),
    ("b", ("b",), "b"),
    (" a , b ", ("a", "b"), "b"),
    ("b,a", ("b", "a"), "a"),
    ("both", ("a", "b"), "b"),
    ("a,a", ("a", "a"), "a"),
)


PLAIN = istio.IstiodEnvironment(release="1.30")


def _two_template_injector(around: istio.IstiodEnvironment = PLAIN) -> istio.Injector:
    return istio.compile_(istio.Documents(config=TWO), around)


@pytest.mark.parametrize(("said", "templates", "hostname"), CHOSEN)
def test_a_pod_can_select_its_templates(
    said: str | None, templates: tuple[str, ...], hostname: str
) -> None:
    annotations: dict[str, JSON] = {} if said is None else {"inject.istio.io/templates": said}
    done = _two_template_injector().inject(pod(APP, annotations=annotations), REQUEST)

    assert done.templates == templates
    assert object_at(done.pod, "spec")["hostname"] == hostname
    assert pod_annotations(done.pod)["injected"] == "yes"


@pytest.mark.parametrize("said", ["", "c", "a,,b"])
def test_an_unknown_template_in_the_annotation_is_a_user_error(said: str) -> None:
    given_ = pod(APP, annotations={"inject.istio.io/templates": said})

    with pytest.raises(UserError, match="not found; have a, b, sidecar"):
        _two_template_injector().inject(given_, REQUEST)


@pytest.mark.parametrize(("said", "count"), [("a," * 100 + "b", 101), ("both," * 50 + "both", 102)])
def test_a_pod_with_too_many_templates_is_a_user_error(said: str, count: int) -> None:
    given_ = pod(APP, annotations={"inject.istio.io/templates": said})

    with pytest.raises(UserError, match=f"templates: selects {count} templates; select at most"):
        _two_template_injector().inject(given_, REQUEST)


def test_the_policy_can_replace_defaults_and_annotations() -> None:
    said = replace(PLAIN, default_templates=("both",), injected_annotations={"x": "y"})
    done = _two_template_injector(said).inject(pod(APP), REQUEST)

    assert done.templates == ("a", "b")
    assert "injected" not in pod_annotations(done.pod)
    assert pod_annotations(done.pod)["x"] == "y"


def test_kube_inject_has_one_default_and_no_alias() -> None:
    done = _two_template_injector().inject(pod(APP), REQUEST, OWNER)

    assert done.templates == ("sidecar",)
    assert "injected" not in pod_annotations(done.pod)
    with pytest.raises(UserError, match='"both" not found'):
        _two_template_injector().inject(
            pod(APP, annotations={"inject.istio.io/templates": "both"}), REQUEST, OWNER
        )


def test_an_unknown_default_template_is_an_operator_error() -> None:
    injector = istio.compile_(
        istio.Documents(config="templates: {a: ''}"), istio.IstiodEnvironment(release="1.30")
    )

    with pytest.raises(OperatorError, match='"sidecar" not found; have a'):
        injector.inject(pod(APP), REQUEST)


def test_a_pod_that_does_not_merge_is_a_user_error() -> None:
    injector = bundles.template_injector("spec: {imagePullSecrets: [{name: a}]}")

    with pytest.raises(UserError, match="does not fit the pod"):
        injector.inject({**pod(APP), "spec": {"imagePullSecrets": [{}]}}, REQUEST)


def test_a_merge_key_that_go_prints_can_be_missing() -> None:
    injector = bundles.template_injector("spec: {volumes: [{name: a, emptyDir: {}}]}")

    injection = injector.inject({**pod(APP), "spec": {"volumes": [{"emptyDir": {}}]}}, REQUEST)

    named: Object = {"name": "a", "emptyDir": {}}
    assert object_at(injection.pod, "spec")["volumes"] == [named, {"name": "", "emptyDir": {}}]


NO_PODS = ({"spec": 5}, {"metadata": {"labels": {"a": 1}}}, {"spec": {"containers": [{"name": 5}]}})


@pytest.mark.parametrize("given_", NO_PODS, ids=str)
def test_a_template_that_is_not_a_pod_is_a_user_error(given_: Object) -> None:
    with pytest.raises(UserError, match="expected a "):
        bundles.sample().inject(given_, REQUEST, OWNER)


# The modes and releases that read the pod's proxy configuration

SEEN = """
metadata:
  annotations:
    mesh: "{{ .MeshConfig.DefaultConfig.StatusPort }}"
    proxy: "{{ .ProxyConfig.StatusPort }}"
    concurrency: "{{ .ProxyConfig.Concurrency.GetValue }}"
spec:
  containers: [{name: istio-proxy, image: x}]
"""
SEEING = (
    # workload of kube-inject, annotation, mesh's port, proxy's port, concurrency
    (None, "statusPort: 5", "1", "5", "7"),
    (None, "concurrency: 0", "1", "1", "0"),
    (OWNER, "statusPort: 5", "5", "5", "7"),
)


@pytest.mark.parametrize(("owner", "text", "port", "own", "concurrency"), SEEING)
def test_each_mode_and_release_reads_the_annotation_its_way(
    owner: WorkloadRef | None, text: str, port: str, own: str, concurrency: str
) -> None:
    mesh = "defaultConfig: {statusPort: 1, concurrency: 7}"
    injector = bundles.template_injector(SEEN, mesh=mesh)
    given_ = pod(APP, annotations={"proxy.istio.io/config": text})
    found = pod_annotations(injector.inject(given_, ReviewContext(), owner).pod)

    assert (found["mesh"], found["proxy"], found["concurrency"]) == (port, own, concurrency)
    assert found["prometheus.io/port"] == port


def _resource(namespace: str, concurrency: int, **labels: str) -> Object:
    spec: Object = {"concurrency": concurrency}
    if labels:
        spec["selector"] = {"matchLabels": {**labels}}
    return {"metadata": {"namespace": namespace, "name": "x"}, "spec": spec}


RESOURCES: tuple[tuple[str | None, dict[str, JSON], str], ...] = (
    # annotation, labels, concurrency
    (None, {}, "2"),
    ("concurrency: 3", {}, "3"),
    ("concurrency: 3", {"a": "b"}, "4"),
)


@pytest.mark.parametrize(("said", "labels", "expected"), RESOURCES)
def test_resources_are_merged_below_and_above_the_annotation(
    said: str | None, labels: dict[str, JSON], expected: str
) -> None:
    injector = istio.compile_(
        istio.Documents(
            config=json.dumps({"templates": {"sidecar": SEEN}}),
            proxy_configs=(
                _resource("istio-system", 1),
                _resource("ns", 2),
                _resource("ns", 4, a="b"),
                _resource("other", 5),
            ),
        ),
        istio.IstiodEnvironment(release="1.30"),
    )
    annotations: dict[str, JSON] = {} if said is None else {"proxy.istio.io/config": said}
    done = injector.inject(pod(APP, annotations=annotations, labels=labels), REQUEST)

    assert pod_annotations(done.pod)["concurrency"] == expected


# What comes and goes with releases

DATA = (
    # release, template of an annotation, value; None fails
    ("1.32", "{{ .ProxyInitImage }}", "/proxyv2:"),
    ("1.30", "{{ .ProxyInitImage }}", None),
    ("1.27", "{{ .NativeSidecars }}", "false"),
    ("1.26", "{{ .NativeSidecars }}", None),
    ("1.22", "{{ .InboundTrafficPolicyMode }}", "passthrough"),
    ("1.21", "{{ .InboundTrafficPolicyMode }}", None),
    ("1.22", "{{ .DeploymentMeta.Labels }}", None),
    ("1.21", "{{ .DeploymentMeta.Labels }}", "map[a:b]"),
    ("1.11", "{{ .DeploymentMeta.OwnerReferences }}{{ len .ObjectMeta.OwnerReferences }}", "[]1"),
    ("1.11", "{{ .DeploymentMeta.ManagedFields }}", "[]"),
    (
        "1.10.4",
        "{{ with .DeploymentMeta }}{{ len .OwnerReferences }}{{ len .ManagedFields }}{{ end }}",
        "11",
    ),
    ("1.21", "{{ .CompliancePolicy }}x", "x"),
    ("1.20", "{{ .ProxyUID }}", "1337"),
    ("1.19", "{{ .ProxyUID }}", None),
    ("1.17", "{{ .EstimatedConcurrency }}", "2"),
    ("1.18", "{{ .EstimatedConcurrency }}", None),
    ("1.13", "{{ .ProxyImage }}", "/proxyv2:"),
    ("1.12", "{{ .ProxyImage }}", None),
    ("1.13", '{{ render "{{ .ObjectMeta.Name }}{{ upper `x` }}" }}', "appX"),
    ("1.13", '{{ render "{{ .Nowhere }}" }}-{{ render "{{" }}', "-"),
    ("1.25", "{{ .Spec.Resources }}", "nil"),
)


@pytest.mark.parametrize(("release", "text", "expected"), DATA)
def test_template_data_comes_with_releases(release: str, text: str, expected: str | None) -> None:
    template = f"metadata:\n  annotations:\n    x: '{text}'"
    if expected is None:
        with pytest.raises(OperatorError, match="can't evaluate field"):
            bundles.template_injector(template, release=release).inject(pod(APP), REQUEST)
        return
    given = pod(APP, labels={"a": "b"})
    owner: Object = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u"}
    given["metadata"] = {
        **object_at(given, "metadata"),
        "ownerReferences": [owner],
        "managedFields": [{"manager": "m"}],
    }
    done = bundles.template_injector(template, release=release).inject(given, REQUEST)

    assert expected in pod_annotations(done.pod)["x"]


EXPRESSIONS = (
    ("{{ protoToJSON .MeshConfig.DefaultProviders }}", "{}"),
    ("{{ protoToJSON .MeshConfig.GetCa }}", "{}"),
    ("{{ protoToJSON .MeshConfig.DefaultProviders }}", "{}"),
    ("{{ formatDuration .ProxyConfig.DrainDuration }}", "45s"),
    ("{{ .ProxyConfig.DrainDuration.AsDuration }}", "45s"),
    ("{{ .ProxyConfig.DrainDuration.AsDuration.Minutes }}", "0.75"),
    ("{{ .ProxyConfig.DrainDuration.AsDuration.Milliseconds }}", "45000"),
    ("{{ .ProxyConfig.DrainDuration.Seconds }}", "45"),
    ("{{ .ProxyConfig.GetTracing.GetZipkin.GetAddress }}", "zipkin.istio-system:9411"),
    ("{{ .ProxyConfig.GetTracing.GetDatadog.GetAddress }}", ""),
    ("{{ .ProxyConfig.GetServiceCluster }}", "istio-proxy"),
    ("{{ .ProxyConfig.ControlPlaneAuthPolicy }}", "MUTUAL_TLS"),
    ("{{ .MeshConfig.EnableAutoMtls.Value }}", "true"),
    ('{{ directory "/a/b" }}{{ directory "b" }}', "/a/"),
    ('{{ strdict "a" "1" "b" | toJSON }}', '{"a":"1","b":""}'),
    ('{{ kubevirtInterfaces "x" }}', "x"),
    ('{{ env "NOWHERE" "else" }}', "else"),
)


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_messages_and_functions_are_reached_from_templates(text: str, expected: str) -> None:
    injector = bundles.template_injector(
        f"metadata:\n  annotations:\n    x: '{text}'", release="1.18"
    )

    assert pod_annotations(injector.inject(pod(APP), REQUEST).pod)["x"] == expected


def test_other_values_have_no_protojson() -> None:
    with pytest.raises(OperatorError, match="x is no protobuf message"):
        bundles.template_injector('{{ protoToJSON "x" }}').inject(pod(APP), REQUEST)


ESTIMATES: tuple[tuple[str, dict[str, JSON], str, str], ...] = (
    # ProxyConfig.concurrency, annotations, values, estimate
    ("concurrency: 5", {}, "{}", "5"),
    ("concurrency: 0", {"sidecar.istio.io/proxyCPULimit": "2500m"}, "{}", "3"),
    ("concurrency: 0", {"sidecar.istio.io/proxyCPU": "1"}, "{}", "1"),
    ("concurrency: 0", {"sidecar.istio.io/proxyCPULimit": "x", "sidecar.istio.io/proxyCPU": "1"},
     "{}", "2"),
    ("concurrency: 0", {},
     '{"global": {"proxy": {"resources": {"limits": {"cpu": "4"}, "requests": {"cpu": "1"}}}}}',
     "4"),
    ("concurrency: 0", {}, '{"global": {"proxy": {"resources": {"requests": {"cpu": "1"}}}}}', "1"),
    ("concurrency: -1", {}, '{"global": {"proxy": {"resources": {"limits": {"cpu": "4"}}}}}', "4"),
    ("concurrency: -1", {"sidecar.istio.io/proxyCPU": "3"}, "{}", "3"),
    ("statsUdpAddress: 'a:1'", {"sidecar.istio.io/proxyCPU": "3"}, "{}", "2"),
    ("concurrency: 0", {}, "{}", "2"),
)  # fmt: skip


@pytest.mark.parametrize(("config", "annotations", "values", "expected"), ESTIMATES)
def test_old_releases_estimate_concurrency(
    config: str, annotations: dict[str, JSON], values: str, expected: str
) -> None:
    injector = bundles.template_injector(
        "metadata: {annotations: {x: '{{ .EstimatedConcurrency }}'}}", release="1.17", values=values
    )
    given_ = pod(APP, annotations={**annotations, "proxy.istio.io/config": config})

    assert pod_annotations(injector.inject(given_, REQUEST).pod)["x"] == expected


def test_a_field_that_the_releases_kubernetes_lacks_is_dropped() -> None:
    template = "spec: {resources: {limits: {cpu: 2000m}}, containers: [{name: a, nobody: knows}]}"
    old, new = (
        bundles.template_injector(template, release=release).inject(pod(APP), REQUEST).pod
        for release in ("1.24", "1.25")
    )

    assert "resources" not in object_at(old, "spec")
    assert object_at(new, "spec")["resources"] == {"limits": {"cpu": "2"}}
    assert find_by_name(containers(new), "a") == {"name": "a"}


NATIVE = """
spec:
  {{ $native := env "ENABLE_NATIVE_SIDECARS" "false" -}}
  {{ if eq $native "true" }}initContainers{{ else }}containers{{ end }}:
  - name: istio-proxy
    image: x
    securityContext: {runAsUser: 1337}
"""


def _native_injector(release: str, *, native: bool = True) -> istio.Injector:
    config = json.dumps({"templates": {"sidecar": NATIVE}})
    around = istio.IstiodEnvironment(release=release, native_sidecars=native)
    return istio.compile_(istio.Documents(config=config), around)


MOVED = (
    # release, annotation, whether the user's proxy moves to the list of the template
    ("1.24", "true", True),
    ("1.24", "false", False),
    ("1.24", "yes", True),
    ("1.23", "false", True),
    ("1.18", "true", False),
)


@pytest.mark.parametrize(("release", "said", "moved"), MOVED)
def test_the_native_sidecar_annotation_applies_since_1_24(
    release: str, said: str, moved: bool
) -> None:
    given_ = pod(
        APP,
        container("istio-proxy", args=["mine"]),
        annotations={"sidecar.istio.io/nativeSidecar": said},
    )
    done = _native_injector(release).inject(given_, REQUEST)

    assert ("istio-proxy" not in _names(containers(done.pod))) is moved


@pytest.mark.parametrize(
    ("release", "user"),
    [("1.22.0", "1337"), ("1.22.1", "5"), ("1.20.6", "1337"), ("1.20.7", "5"), ("1.23.0", "5")],
)
def test_the_init_container_follows_the_users_id(release: str, user: str) -> None:
    template = """
spec:
  initContainers: [{name: istio-init, args: [-u, "1337"]}]
  containers: [{name: istio-proxy, image: x}]
"""
    mine = container("istio-proxy", securityContext={"runAsUser": 5})
    done = bundles.template_injector(template, release=release).inject(pod(APP, mine), REQUEST)

    assert containers(done.pod, "initContainers")[0]["args"] == ["-u", user]


OPENSHIFT = (
    # release, workload of kube-inject, the proxy's id, whether the id of the sidecar stays
    ("1.24", None, "1000629999", False),
    ("1.23.1", None, "1000629999", False),
    ("1.23.0", None, "1000629999", True),
    ("1.24", OWNER, "1337", True),
)


@pytest.mark.parametrize(("release", "owner", "uid", "kept"), OPENSHIFT)
def test_openshift_sets_the_ids_of_the_proxy(
    release: str, owner: WorkloadRef | None, uid: str, kept: bool
) -> None:
    template = "metadata: {annotations: {uid: '{{ .ProxyUID }}'}}"
    annotations: Object = {"openshift.io/sa.scc.uid-range": "1000620000/10000"}
    injector = istio.compile_(
        istio.Documents(
            config=json.dumps({"templates": {"sidecar": template}}),
            namespaces={"ns": {"metadata": {"name": "ns", "annotations": annotations}}},
        ),
        istio.IstiodEnvironment(release=release, platform="openshift"),
    )
    context: Object = {"runAsUser": 7, "privileged": False}
    given_ = pod(
        container("app", securityContext=context), container("istio-proxy", securityContext=context)
    )
    done = injector.inject(given_, REQUEST, owner)
    proxy = find_by_name(containers(done.pod), "istio-proxy")

    assert containers(done.base) == containers(given_)  # the ids go by the patch
    assert pod_annotations(done.pod)["uid"] == uid
    assert proxy is not None
    assert ("runAsUser" in object_at(proxy, "securityContext")) is kept


TCP = (("1.11", None, False), ("1.12", None, True), ("1.12", False, False), ("1.19", False, True))


@pytest.mark.parametrize(("release", "said", "rewritten"), TCP)
def test_some_releases_can_skip_tcp_probes(
    release: str, said: bool | None, rewritten: bool
) -> None:
    config = json.dumps({"templates": {"sidecar": "spec: {containers: [{name: istio-proxy}]}"}})
    values = json.dumps({"sidecarInjectorWebhook": {"rewriteAppHTTPProbe": True}})
    injector = istio.compile_(
        istio.Documents(config=config, values=values),
        istio.IstiodEnvironment(release=release, rewrite_tcp_probes=said),
    )
    probe: Object = {"tcpSocket": {"port": 1}}
    done = injector.inject(pod(container("app", livenessProbe=probe)), REQUEST)

    assert (containers(done.pod)[0]["livenessProbe"] != probe) is rewritten


# Compiling


def test_all_errors_of_all_documents_are_reported_at_once() -> None:
    documents = istio.Documents(
        config="policy: 5\ntemplates: {a: '{{', b: '{{ nofunc }}'}",
        values="global: {tag: '0.8'}",
        mesh="defaultConfig: {statusPort: x}",
        proxy_configs=(
            {"metadata": {"namespace": "n", "name": "p"}, "spec": {"concurrency": "x"}},
        ),
    )

    with pytest.raises(InvalidDocumentsError) as caught:
        istio.compile_(documents, istio.IstiodEnvironment())

    assert [(fault.document, fault.pointer) for fault in caught.value.errors] == [
        ("config", "/policy"),
        ("values", "/global/tag"),
        ("mesh", "/defaultConfig/statusPort"),
        ("ProxyConfig n/p", "/spec/concurrency"),
        ("config", "/templates/a"),
        ("config", "/templates/b"),
    ]


def test_before_1_14_a_template_need_not_parse_until_it_runs() -> None:
    config = "templates: {sidecar: '', broken: '{{ nofunc }}'}"
    injector = istio.compile_(
        istio.Documents(config=config), istio.IstiodEnvironment(release="1.13")
    )

    assert injector.inject(pod(APP), REQUEST).templates == ("sidecar",)
    with pytest.raises(OperatorError, match='function "nofunc" not defined'):
        injector.inject(pod(APP, annotations={"inject.istio.io/templates": "broken"}), REQUEST)


RELEASES = (
    # release of the policy, tag, effective release
    ("1.13", "1.30.3", "1.13.9"),
    ("1.13.2", "1.30.3", "1.13.2"),
    (None, "1.24.3", "1.24.3"),
    (None, "1.24", "1.24.6"),
    (None, "latest", "1.32.0"),
    ("1.99", "", "1.32.0"),
    ("HEAD", "1.24.3", "1.32.0"),
)


@pytest.mark.parametrize(("said", "tag", "expected"), RELEASES)
def test_the_release_comes_from_the_policy_or_the_tag(
    said: str | None, tag: str, expected: str
) -> None:
    documents = istio.Documents(config="{}", values=json.dumps({"global": {"tag": tag}}))
    injector = istio.compile_(documents, istio.IstiodEnvironment(release=said))

    assert injector.profile.release == expected


def test_rules_come_from_configuration_and_release() -> None:
    config = """
policy: disabled
templates: {sidecar: ""}
neverInjectSelector: [{matchLabels: {a: b}}, {matchExpressions: [{key: a, operator: Wrong}]}]
alwaysInjectSelector: [{matchExpressions: [{key: c, operator: Exists}]}]
"""
    new, old, oldest = (
        istio.compile_(istio.Documents(config=config), istio.IstiodEnvironment(release=release))
        for release in ("1.30", "1.8", "1.0")
    )

    assert (new.config.rules.policy, len(new.config.rules.never), len(new.config.rules.always)) == (
        "disabled",
        1,
        1,
    )
    assert [(fault.pointer, fault.document) for fault in new.config.warnings] == [
        ("/neverInjectSelector/1/matchExpressions/0/operator", "config")
    ]
    assert (new.config.rules.inject_values, old.config.rules.inject_values) == (
        InjectValueSyntax.STRICT, InjectValueSyntax.YAML,
    )  # fmt: skip
    assert (new.config.rules.honors_label, old.config.rules.honors_label) == (True, False)
    assert (len(new.config.rules.ignored_namespaces), len(old.config.rules.ignored_namespaces)) == (
        4,
        2,
    )
    assert (oldest.config.rules.never, oldest.config.rules.always) == ((), ())


def test_warnings_describe_annotations_without_effect() -> None:
    given_ = pod(
        APP,
        annotations={
            "proxy.istio.io/config": "proxyMetadata: {ISTIO_META_DNS_AUTO_ALLOCATE: a}",
            "traffic.sidecar.istio.io/kubevirtInterfaces": "net1",
        },
    )
    object_at(given_, "spec")["dnsPolicy"] = "None"
    dns, deprecated, allocate = bundles.sample().inject(given_, REQUEST).warnings

    assert dns.startswith('dnsPolicy is "None", not "ClusterFirst": ')
    assert deprecated == (
        "annotation traffic.sidecar.istio.io/kubevirtInterfaces is deprecated; "
        "use istio.io/reroute-virtual-interfaces"
    )
    assert allocate == (
        "ISTIO_META_DNS_AUTO_ALLOCATE in annotation proxy.istio.io/config has no effect"
    )


WORDS = st.text(st.characters(codec="utf-8"), max_size=12)


@settings(max_examples=scaled(60, by=2), deadline=None)
@given(st.dictionaries(WORDS, WORDS, max_size=4), st.dictionaries(WORDS, WORDS, max_size=3))
def test_any_annotations_and_labels_are_injected_or_rejected(
    annotations: dict[str, JSON], labels: dict[str, JSON]
) -> None:
    """Never an operator error, never another exception, and the patch always applies."""
    given_ = pod(APP, annotations=annotations, labels=labels)
    try:
        done = bundles.sample().inject(given_, REQUEST)
    except UserError:
        return

    assert jsonvalue.equal(patch.apply(given_, done.mutation.patch), done.pod)


def test_a_template_that_changes_the_values_changes_them_for_one_pod_alone() -> None:
    template = """
metadata:
  labels:
    seen: "{{ .Values.global.count | default 0 }}"
    {{- $_ := set .Values.global "count" (add1 (.Values.global.count | default 0)) }}
    now: "{{ .Values.global.count }}"
"""
    injector = bundles.template_injector(template, values="global: {hub: h}")
    for _ in range(2):
        labels = pod_labels(injector.inject(pod(APP), REQUEST).pod)
        assert (labels["seen"], labels["now"]) == ("0", "1")
