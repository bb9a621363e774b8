"""Injection undone: what was there before is there again, and what was never injected is not
touched.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance import comparison, corpus
from core.injectors.istio import bundles
from core.injectors.istio.pods import OWNER
from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import kubeinject, uninject
from podgraft.core.injectors.istio.kubeinject import coerce_to_string
from podgraft.core.injectors.istio.pod_builder import containers
from podgraft.core.injectors.istio.uninject import remove_injection
from podgraft.core.review_context import ReviewContext
from podgraft.kube import workload, yaml
from support.effort import part

STATUS = "sidecar.istio.io/status"
CASES = [case for case in corpus.cases() if case.mode == "kube-inject"]


def is_injected(path: Path) -> bool:
    """Whether the input of a case was injected before."""
    return STATUS in path.read_text(encoding="utf-8")


INPUTS = sorted({case.folder / case.facts["input"] for case in CASES})
UNTOUCHED = [path for path in INPUTS if not is_injected(path)]
# Istio refuses the other cases.
UNDONE = [
    case
    for case in CASES
    if case.folder / case.facts["input"] in UNTOUCHED and not case.facts.get("expected_error")
]
PROBES = ("readinessProbe", "livenessProbe", "startupProbe")


def remove_sidecars(text: str) -> str:
    return uninject.uninject(text).text


def normalize_stream(text: str) -> list[JSON]:
    """The stream's documents as typed objects read them, with every probe's port a number.

    The sidecar receives only the number: no field keeps the name of the port.
    """
    return [_normalize_document(each) for each in yaml.load_all(text)]


def _normalize_document(document: JSON) -> JSON:
    if not isinstance(document, dict):
        return document
    if "items" in document:
        return [_normalize_document(each) for each in objects_at(document, "items")]
    place = workload.find_pod_template_path(document, workload.ALL_KINDS)
    if place is None:
        return document
    pod = kube.encode(kube.POD, coerce_to_string(kube.POD, workload.pod_of(document, place)))
    assert isinstance(pod, dict)
    for container in containers(pod) + containers(pod, "initContainers"):
        _number_ports(container)
    metadata = coerce_to_string(kube.OBJECT_META, object_at(document, "metadata"))
    around = workload.with_pod(
        document | {"metadata": metadata}, place, {"metadata": {}, "spec": {}}
    )
    return {"around": around, "pod": pod}


def _number_ports(container: Object) -> None:
    numbers = {port.get("name"): port["containerPort"] for port in objects_at(container, "ports")}
    holders = [object_at(container, key) for key in PROBES]
    holders += [
        object_at(object_at(container, "lifecycle"), key) for key in ("preStop", "postStart")
    ]
    for holder in holders:
        for kind in ("httpGet", "tcpSocket"):
            action = object_at(holder, kind)
            if isinstance(name := action.get("port"), str):
                action["port"] = numbers.get(name, name)


def assert_same(got: str, expected: str) -> None:
    ours, theirs = normalize_stream(got), normalize_stream(expected)
    assert len(ours) == len(theirs)
    found = [d for pair in zip(ours, theirs, strict=True) for d in comparison.differences(*pair)]
    assert not found


@pytest.mark.skipif(not CASES, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("case", part(UNDONE, by=3), ids=str)
def test_kube_inject_is_undone(case: corpus.Case) -> None:
    text = (case.folder / case.facts["input"]).read_text(encoding="utf-8")
    injected = kubeinject.inject(corpus.injector(case), text).text

    assert_same(remove_sidecars(injected), text)


@pytest.mark.skipif(not CASES, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("path", UNTOUCHED, ids=str)
def test_an_input_that_was_never_injected_is_copied(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert remove_sidecars(text) == text


RELEASES = ("1.20", "1.24", "1.28", "1.30", "1.32")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("path", sorted(bundles.SAMPLE.parent.glob("input.*.yaml")), ids=str)
def test_the_pods_of_the_samples_are_restored(path: Path, release: str) -> None:
    text = path.read_text(encoding="utf-8")
    injected = kubeinject.inject(bundles.sample(release), text).text

    assert_same(remove_sidecars(injected), text)


@pytest.mark.parametrize(
    ("status", "label", "remains"),
    [
        ({"containers": ["istio-proxy"]}, "default", False),  # 1.9 and 1.10 record no revision
        ({"containers": ["istio-proxy"]}, "", False),
        ({"containers": ["istio-proxy"]}, "canary", True),
        ({"containers": ["istio-proxy"], "revision": "default"}, "default", True),
    ],
)
def test_the_label_of_the_default_revision_is_removed(
    status: Object, label: str, *, remains: bool
) -> None:
    metadata: Object = {
        "labels": {"app": "web", "istio.io/rev": label},
        "annotations": {STATUS: json.dumps(status)},
    }
    injected: Object = {
        "metadata": metadata,
        "spec": {"containers": [{"name": "web"}, {"name": "istio-proxy"}]},
    }

    restored = remove_injection(injected, "web")

    assert ("istio.io/rev" in object_at(object_at(restored, "metadata"), "labels")) is remains


NAMES = st.sampled_from(["app", "web", "worker"])
PORTS = st.integers(min_value=1, max_value=14999)


def actions(port: int, scheme: str) -> st.SearchStrategy[Object]:
    """What a probe may do, at one port."""
    found: list[Object] = [
        {"tcpSocket": {"port": port}},
        {"grpc": {"port": port, "service": "s"}},
        {"httpGet": {"path": "/<x>", "port": port, "scheme": scheme}},
        {"exec": {"command": ["true"]}},
    ]
    return st.sampled_from(found)


ACTIONS = st.tuples(PORTS, st.sampled_from(["HTTP", "HTTPS"])).flatmap(lambda each: actions(*each))


def some_entries(whole: Object) -> st.SearchStrategy[Object]:
    """Maps with some of the entries of ``whole``."""
    return st.sets(st.sampled_from(sorted(whole))).map(lambda keys: {k: whole[k] for k in keys})


@st.composite
def deployments(draw: st.DrawFn) -> Object:
    """Deployments with all that injection changes: probes, metrics, labels, volumes, contexts."""
    listed: list[JSON] = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        probes = draw(st.dictionaries(st.sampled_from(PROBES), ACTIONS))
        listed.append({"name": name, "image": "i", **probes})
    named: Object = {"app": draw(NAMES)}
    labels = named | draw(some_entries({"version": "v1", "tier": "back"}))
    said: Object = {"prometheus.io/port": "9102", "prometheus.io/path": "/m", "note": "kept"}
    scrapes: Object = {"prometheus.io/scrape": draw(st.sampled_from(["true", "false"]))}
    annotations = draw(some_entries(said | scrapes))
    spec: Object = {"containers": listed, "volumes": [{"name": "data", "emptyDir": {}}]}
    if draw(st.booleans()):
        spec["initContainers"] = [{"name": "first", "image": "i"}]
        spec["securityContext"] = {"runAsUser": 1}
    metadata: Object = {"labels": labels, "annotations": annotations}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "x"}},
        "spec": {"template": {"metadata": metadata, "spec": spec}},
    }


@given(deployments(), st.sampled_from(RELEASES), st.booleans())
def test_uninject_restores_the_original_pod(document: Object, release: str, native: bool) -> None:
    text = yaml.dump(document, sort_keys=False)
    injected = kubeinject.inject(bundles.sample(release, native=native), text).text

    assert_same(remove_sidecars(injected), text)
    assert remove_sidecars(remove_sidecars(injected)) == remove_sidecars(injected)


def pod(annotations: Object, **spec: JSON) -> Object:
    return {"metadata": {"name": "p", "annotations": annotations}, "spec": {**spec}}


def status(**lists: JSON) -> str:
    return json.dumps(lists)


APP: Object = {"name": "app", "image": "i"}
PROXY: Object = {"name": "istio-proxy", "image": "proxy"}


STATUSES = (
    # 1.0 and 1.8, 1.9, since 1.11
    status(version="4c", initContainers=["istio-init"], containers=["istio-proxy"], volumes=["v"]),
    status(initContainers=["istio-init"], containers=["istio-proxy"], volumes=["v"]),
    status(
        initContainers=["istio-init"],
        containers=["istio-proxy"],
        volumes=["v"],
        imagePullSecrets=None,
        revision="canary",
    ),
)


@pytest.mark.parametrize("text", STATUSES)
def test_every_form_of_the_status_is_parsed(text: str) -> None:
    injected = pod(
        {STATUS: text, "istio.io/rev": "canary"},
        containers=[APP, PROXY],
        initContainers=[{"name": "istio-init"}],
        volumes=[{"name": "v"}, {"name": "data"}],
    )
    after = remove_injection(injected, "p")

    assert after["spec"] == {"containers": [APP], "volumes": [{"name": "data"}]}
    kept = {} if "canary" in text else {"annotations": {"istio.io/rev": "canary"}}
    assert after["metadata"] == {"name": "p", **kept}


LEGACY = pod(
    {},
    containers=[APP, PROXY],
    initContainers=[{"name": "istio-init"}, {"name": "enable-core-dump"}],
    volumes=[{"name": "istio-envoy"}, {"name": "istio-certs"}],
)


def test_without_a_status_legacy_names_identify_an_injection() -> None:
    assert remove_injection(LEGACY, "p")["spec"] == {"containers": [APP]}


@pytest.mark.parametrize("missing", ["initContainers", "volumes"])
def test_a_user_proxy_does_not_identify_an_injection(missing: str) -> None:
    spec = {key: each for key, each in object_at(LEGACY, "spec").items() if key != missing}
    own: Object = {**LEGACY, "spec": spec}

    assert remove_injection(own, "p") is own


def _overridden_pod(own: Object, *, native: bool = False) -> Object:
    document: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [APP, own]},
    }
    injector = bundles.sample("1.30", native=native)
    done = injector.inject(document, ReviewContext(), OWNER)
    return remove_injection(done.pod, "p")


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("image", ["auto", "mine:1"])
def test_a_container_of_the_user_is_restored(image: str, native: bool) -> None:
    own: Object = {"name": "istio-proxy", "image": image, "env": [{"name": "A", "value": "b"}]}

    assert containers(_overridden_pod(own, native=native)) == [APP, own]


def test_an_unreadable_overrides_annotation_is_an_error() -> None:
    document = pod({STATUS: "{}", "proxy.istio.io/overrides": "{"}, containers=[APP])

    with pytest.raises(UserError, match=r"proxy\.istio\.io/overrides"):
        remove_injection(document, "p")


def test_a_null_instead_of_a_probe_stays_null() -> None:
    empty: Object = {"livenessProbe": None, "lifecycle": {"preStop": None}}
    unset: Object = {"readinessProbe": None, "lifecycle": None}
    document = {"apiVersion": "v1", "kind": "Pod"} | pod(
        {}, containers=[APP | {"name": "a"} | empty, APP | {"name": "b"} | unset]
    )
    injected = kubeinject.inject(bundles.sample(), json.dumps(document)).text

    for text in (injected, remove_sidecars(injected)):
        (after,) = [each for each in yaml.load_all(text) if isinstance(each, dict)]
        by_name = {each["name"]: each for each in containers(after)}
        assert by_name["a"].items() >= empty.items()
        assert by_name["b"].items() >= unset.items()


def test_the_last_element_of_a_name_is_removed() -> None:
    """Releases that do not merge append a pull secret that is there already."""
    secrets: list[JSON] = [{"name": "own"}, {"name": "shared"}, {"name": "shared"}]
    document = pod(
        {STATUS: status(imagePullSecrets=["shared"])}, containers=[APP], imagePullSecrets=secrets
    )

    assert object_at(remove_injection(document, "p"), "spec")["imagePullSecrets"] == secrets[:2]


DERIVED: tuple[tuple[Object, str, str, str], ...] = (
    # labels before, the label, a value that injection derives, one that it does not
    ({}, "security.istio.io/tlsMode", "istio", "disabled"),
    ({"app": "web"}, "service.istio.io/canonical-name", "web", "shop"),
    ({"app": "a", "app.kubernetes.io/name": "b"}, "service.istio.io/canonical-name", "b", "a"),
    ({}, "service.istio.io/canonical-name", "owner", "p"),
    ({"app": "x" * 63 + "y"}, "service.istio.io/canonical-name", "x" * 63, "x"),
    ({"version": "v1"}, "service.istio.io/canonical-revision", "v1", "latest"),
    ({}, "service.istio.io/canonical-revision", "latest", "v1"),
    ({}, "topology.istio.io/network", "n1", "n2"),
)


@pytest.mark.parametrize(("labels", "label", "derived", "other"), DERIVED)
def test_a_label_is_removed_only_with_the_derived_value(
    labels: Object, label: str, derived: str, other: str
) -> None:
    proxy: Object = {"name": "istio-proxy", "env": [{"name": "ISTIO_META_NETWORK", "value": "n1"}]}
    for value, after in ((derived, labels), (other, {**labels, label: other})):
        document = pod({STATUS: status(containers=["istio-proxy"])}, containers=[APP, proxy])
        object_at(document, "metadata")["labels"] = {**labels, label: value}
        got = remove_injection(document, "owner")
        assert object_at(object_at(got, "metadata"), "labels") == after


NETWORKS = "k8s.v1.cni.cncf.io/networks"
EXCLUDED = "traffic.sidecar.istio.io/excludeInboundPorts"
PORT = "status.sidecar.istio.io/port"
CNI: tuple[tuple[Object, Object], ...] = (
    ({NETWORKS: "istio-cni"}, {}),
    ({NETWORKS: "alt, default/istio-cni"}, {NETWORKS: "alt"}),
    ({NETWORKS: '[{"name": "alt"}, {"name": "istio-cni", "namespace": "default"} ]'},
     {NETWORKS: '[{"name": "alt"} ]'}),
    ({NETWORKS: "alt"}, {NETWORKS: "alt"}),
    ({EXCLUDED: "15020"}, {}),
    ({EXCLUDED: "80,15020"}, {EXCLUDED: "80"}),
    ({EXCLUDED: "80"}, {EXCLUDED: "80"}),
    ({EXCLUDED: "99", PORT: "99"}, {PORT: "99"}),
    ({"sidecar.istio.io/interceptionMode": "REDIRECT"}, {}),
    ({"sidecar.istio.io/interceptionMode": "TPROXY"},
     {"sidecar.istio.io/interceptionMode": "TPROXY"}),
)  # fmt: skip


@pytest.mark.parametrize(("said", "before"), CNI)
def test_annotations_for_the_cni_plugin_are_removed(said: Object, before: Object) -> None:
    added: Object = {STATUS: status(initContainers=["istio-validation"])}
    got = remove_injection(pod(said | added, containers=[APP]), "p")

    assert object_at(object_at(got, "metadata"), "annotations") == before


def test_scrape_targets_are_restored() -> None:
    told = '{"scrape":"","path":"/m","port":"1","targets":[{"port":"1","path":"/m"}]}'
    proxy: Object = {
        "name": "istio-proxy",
        "env": [{"name": "ISTIO_PROMETHEUS_ANNOTATIONS", "value": told}],
    }
    said: Object = {
        STATUS: status(containers=["istio-proxy"]),
        "prometheus.io/port": "15020",
        "prometheus.io/path": "/stats/prometheus",
        "prometheus.io/scrape": "true",
    }
    got = remove_injection(pod(said, containers=[APP, proxy]), "p")

    expected = {"prometheus.istio.io/scrape-targets": "1:/m"}
    assert object_at(object_at(got, "metadata"), "annotations") == expected


def test_only_the_group_of_the_proxy_is_removed() -> None:
    for group, after in ((1337, {"runAsUser": 1}), (7, {"runAsUser": 1, "fsGroup": 7})):
        context: Object = {"runAsUser": 1, "fsGroup": group}
        document = pod({STATUS: "{}"}, containers=[APP], securityContext=context)
        assert object_at(remove_injection(document, "p"), "spec")["securityContext"] == after


SERVICE = "# kept\nkind: Service\napiVersion: v1\nmetadata:   {name: x}\n"
INJECTED = yaml.dump({"apiVersion": "v1", "kind": "Pod", **LEGACY}, sort_keys=False)


def test_other_documents_of_a_stream_are_copied_byte_for_byte() -> None:
    got = remove_sidecars(f"{SERVICE}---\n{INJECTED}---\n{SERVICE}")

    assert got.startswith(f"{SERVICE}---\n")
    assert got.endswith(f"---\n{SERVICE}---\n")
    assert "istio-proxy" not in got


@given(st.lists(st.sampled_from([SERVICE, "a: 1\n", "# c\n", "---\n", "kind: Pod"]), max_size=4))
def test_a_stream_without_injected_pods_is_the_same_text(parts: list[str]) -> None:
    text = "\n---\n".join(parts)

    assert remove_sidecars(text) == text


VERSIONS = ("v1", "apps/v1", "extensions/v1beta1", "example.com/v1")


@pytest.mark.parametrize("kind", sorted(workload.ALL_KINDS))
@pytest.mark.parametrize("version", VERSIONS)
def test_every_kind_of_workload_is_supported(version: str, kind: str) -> None:
    bare: Object = {"apiVersion": version, "kind": kind, "metadata": {"name": "w"}}
    place = workload.ALL_KINDS[kind]
    document = workload.with_pod(bare, place, {**LEGACY})
    listed: Object = {"apiVersion": "v1", "kind": "List", "items": [document]}

    for text in (yaml.dump(document), yaml.dump(listed)):
        assert "istio-proxy" in text
        assert "istio-proxy" not in remove_sidecars(text)
        assert "name: app" in remove_sidecars(text)
