"""What happens to a pod after the overlays: cluster, Prometheus, probes, status, order."""

from __future__ import annotations

import copy
import json

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import releases, status, template_injection
from podgraft.core.injectors.istio.config import config_map, mesh, protojson
from podgraft.core.injectors.istio.pod_builder import PodBuilder
from podgraft.core.injectors.istio.postprocess import cluster, probes, prometheus

from .pods import container, env, pod, proxy_of

NEWEST = releases.newest()
PROXY = container("istio-proxy")
APP = container("app")


# Cluster and network

VALUES = config_map.parse_values(
    '{"global": {"network": "vn", "multiCluster": {"clusterName": "vc"}}}', []
)
NO_VALUES = config_map.parse_values("{}", [])
C, N = cluster.CLUSTER_ID, cluster.NETWORK

ENVIRONMENTS: tuple[
    tuple[config_map.Values, dict[str, str], dict[str, str], dict[str, str]], ...
] = (
    # values, URL, labels, environment
    (NO_VALUES, {}, {}, {}),
    (VALUES, {}, {}, {C: "vc", N: "vn"}),
    (VALUES, {C: "uc", N: "un", "X": "y"}, {}, {C: "uc", N: "un", "X": "y"}),
    (VALUES, {C: "", N: ""}, {}, {C: "vc", N: "vn"}),
    (NO_VALUES, {C: ""}, {}, {C: ""}),
    (VALUES, {N: "un"}, {cluster.NETWORK_LABEL: "ln"}, {C: "vc", N: "ln"}),
    (VALUES, {}, {cluster.NETWORK_LABEL: ""}, {C: "vc"}),
    (VALUES, {N: "un"}, {cluster.NETWORK_LABEL: ""}, {C: "vc", N: "un"}),
)


@pytest.mark.parametrize(("values", "url", "labels", "expected"), ENVIRONMENTS)
def test_cluster_and_network_have_an_order_of_precedence(
    values: config_map.Values, url: dict[str, str], labels: dict[str, str], expected: dict[str, str]
) -> None:
    assert cluster.cluster_environment(values, url, labels) == expected


def test_the_environment_moves_to_the_end_in_order() -> None:
    proxy = container("istio-proxy", env=[{"name": N, "value": "old"}, {"name": "A", "value": "a"}])
    draft = PodBuilder.from_pod(pod(APP, proxy))

    cluster.set_environment(NEWEST, draft, {N: "n", C: "c"})

    assert [*env(proxy_of(draft)).items()] == [("A", "a"), (C, "c"), (N, "n")]
    assert env(proxy) == {N: "old", "A": "a"}


def test_a_network_labels_the_pod() -> None:
    draft = PodBuilder.from_pod(pod(APP))

    cluster.set_label(draft, {N: "n"})

    assert draft.labels == {cluster.NETWORK_LABEL: "n"}


# Prometheus


def _mesh(**fields: JSON) -> protojson.Message:
    return mesh.defaults(NEWEST) | fields


MERGED: dict[str, JSON] = {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": "15020",
    "prometheus.io/path": "/stats/prometheus",
}

PROMETHEUS: tuple[tuple[dict[str, JSON], dict[str, JSON] | None, Object | None], ...] = (
    # annotations, annotations after, environment value
    ({}, MERGED, None),
    ({"prometheus.io/scrape": "true", "prometheus.io/port": "80"}, MERGED,
     {"scrape": "true", "path": "", "port": "80"}),
    ({"prometheus_io_port": "080", "x": "y"}, {**MERGED, "x": "y"},
     {"scrape": "", "path": "", "port": "080"}),
    ({"prometheus.io/path": "/<m>"}, MERGED, {"scrape": "", "path": "/<m>", "port": ""}),
    # Disabled
    ({"prometheus.io/scrape": "f", "prometheus.io/port": "80"}, None, None),
    ({"prometheus.istio.io/merge-metrics": "false"}, None, None),
    # Done before
    ({"prometheus.io/port": "15020", "prometheus.io/path": "/m"}, None, None),
    # Targets
    ({"prometheus.istio.io/scrape-targets": " 80:/a , ,81 ", "prometheus.io/port": "9"}, MERGED,
     {"scrape": "", "path": "/a", "port": "80",
      "targets": [{"port": "80", "path": "/a"}, {"port": "81", "path": "/metrics"}]}),
    ({"prometheus.istio.io/scrape-targets": "80,:/a"}, MERGED, None),
)  # fmt: skip


@pytest.mark.parametrize(("given", "expected", "value"), PROMETHEUS)
def test_scrape_annotations_move_to_the_agent(
    given: dict[str, JSON], expected: dict[str, JSON] | None, value: Object | None
) -> None:
    draft = PodBuilder.from_pod(pod(APP, PROXY, annotations=given))

    prometheus.merge_metrics(NEWEST, draft, _mesh())

    assert draft.annotations == (given if expected is None else expected)
    written = env(proxy_of(draft)).get(prometheus.ENV)
    assert (written and json.loads(str(written))) == value


def test_the_mesh_and_the_pod_can_disable_and_enable_merging() -> None:
    off = _mesh(enablePrometheusMerge=False)
    silent, loud = (
        PodBuilder.from_pod(pod(PROXY)),
        PodBuilder.from_pod(pod(PROXY, annotations={prometheus.MERGE: "true"})),
    )

    prometheus.merge_metrics(NEWEST, silent, off)
    prometheus.merge_metrics(NEWEST, loud, off)

    assert silent.annotations == {}
    assert loud.annotations == {**MERGED, prometheus.MERGE: "true"}


def test_without_a_sidecar_annotations_change_all_the_same() -> None:
    draft = PodBuilder.from_pod(pod(APP, annotations={"prometheus.io/port": "80"}))

    prometheus.merge_metrics(NEWEST, draft, mesh.with_proxy(_mesh(), {}))

    assert draft.annotations == {**MERGED, "prometheus.io/port": "0"}


PORTS: tuple[tuple[dict[str, JSON], str], ...] = (
    # annotation, message
    ({"prometheus.io/port": "x"}, 'invalid prometheus scrape configuration: invalid port "x"'),
    ({"prometheus.io/port": "0"}, 'invalid port "0"'),
    ({"prometheus.io/port": "65536"}, 'invalid port "65536"'),
    ({"prometheus.io/port": "015020"}, "port 015020 conflicts with agent port"),
    ({"prometheus.io/port": "15090"}, "port 15090 is reserved for Istio (Envoy metrics)"),
    ({"prometheus.istio.io/scrape-targets": "80,15001"},
     "invalid prometheus scrape targets: target port 15001 is reserved for Istio"),
)  # fmt: skip


@pytest.mark.parametrize(("given", "message"), PORTS)
def test_ports_of_the_agent_cannot_be_scraped_since_1_31(
    given: dict[str, JSON], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        prometheus.merge_metrics(
            NEWEST, PodBuilder.from_pod(pod(PROXY, annotations=given)), _mesh()
        )
    assert message in str(caught.value)

    older = PodBuilder.from_pod(pod(PROXY, annotations=given))
    prometheus.merge_metrics(releases.profile(30), older, _mesh())
    assert older.annotations["prometheus.io/port"] == "15020"


def test_before_1_13_only_the_usual_spelling_counts() -> None:
    draft = PodBuilder.from_pod(pod(PROXY, annotations={"prometheus_io_port": "80"}))

    prometheus.merge_metrics(releases.profile(12), draft, _mesh())

    assert draft.annotations == {**MERGED, "prometheus_io_port": "80"}
    assert env(proxy_of(draft)) == {}


SECURE = (("9443", "9443"), ("0", None), ("", None))


@pytest.mark.parametrize(("port", "announced"), SECURE)
def test_the_secure_port_is_annotated(port: str, announced: str | None) -> None:
    proxy = container("istio-proxy", env=[{"name": prometheus.SECURE_PORT_ENV, "value": port}])
    draft, told = (
        PodBuilder.from_pod(pod(proxy)),
        PodBuilder.from_pod(pod(proxy, annotations={"prometheus_istio_io_secure_port": "1"})),
    )

    prometheus.set_secure_port(NEWEST, draft)
    prometheus.set_secure_port(NEWEST, told)

    assert draft.annotations.get(prometheus.SECURE_PORT) == announced
    assert prometheus.SECURE_PORT not in told.annotations


# Probes

HTTP: Object = {"httpGet": {"path": "/ip", "port": 8000, "scheme": "HTTPS", "host": "h"}}


def _make_rewriter(minor: int = releases.NEWEST, *, tcp: bool = True) -> probes.ProbeRewriter:
    return probes.ProbeRewriter(profile=releases.profile(minor), mesh_port=15020, tcp=tcp)


def _rewrite(draft: PodBuilder, rewriting: probes.ProbeRewriter | None = None) -> Object | None:
    probes.rewrite_probes(draft, proxy_of(draft), rewriting or _make_rewriter())
    text = env(proxy_of(draft)).get(probes.ENV)
    return None if text is None else json.loads(str(text))


def _collect(given: Object, minor: int, *, tcp: bool = True) -> list[str]:
    return [*(_rewrite(PodBuilder.from_pod(given), _make_rewriter(minor, tcp=tcp)) or {})]


PROBES: tuple[tuple[Object, Object | None, Object], ...] = (
    # probe, the agent's probe, the kubelet's probe
    ({**HTTP, "timeoutSeconds": 3, "periodSeconds": 9},
     {"httpGet": {"path": "/ip", "port": 8000, "host": "h", "scheme": "HTTPS"},
      "timeoutSeconds": 3},
     {"httpGet": {"path": "/app-health/app/livez", "port": 15020, "scheme": "HTTP", "host": "h"},
      "timeoutSeconds": 3, "periodSeconds": 9}),
    ({"httpGet": {"port": "web"}}, {"httpGet": {"port": 81}},
     {"httpGet": {"port": 15020, "path": "/app-health/app/livez"}}),
    ({"httpGet": {"port": "nowhere"}}, None,
     {"httpGet": {"port": 15020, "path": "/app-health/app/livez"}}),
    ({"httpGet": {"port": ""}}, None,
     {"httpGet": {"port": 15020, "path": "/app-health/app/livez"}}),
    ({"httpGet": {"port": 15020, "path": "/x"}}, None,
     {"httpGet": {"port": 15020, "path": "/app-health/app/livez"}}),
    ({"tcpSocket": {"port": 90}}, {"tcpSocket": {"port": 90}},
     {"httpGet": {"port": 15020, "path": "/app-health/app/livez"}}),
    ({"grpc": {"port": 91, "service": "s"}}, {"grpc": {"port": 91, "service": "s"}},
     {"httpGet": {"port": 15020, "path": "/app-health/app/livez"}}),
    ({"exec": {"command": ["true"]}}, None, {"exec": {"command": ["true"]}}),
)  # fmt: skip


@pytest.mark.parametrize(("probe", "prober", "redirected"), PROBES)
def test_a_probe_is_redirected_to_the_agent(
    probe: Object, prober: Object | None, redirected: Object
) -> None:
    ports: list[JSON] = [{"name": "web", "containerPort": 80}, {"name": "web", "containerPort": 81}]
    ports.append({"name": "", "containerPort": 82})
    given = pod(container("app", ports=ports, livenessProbe=probe), PROXY)
    before = copy.deepcopy(given)
    draft = PodBuilder.from_pod(given)

    collected = _rewrite(draft)

    assert collected == (None if prober is None else {"/app-health/app/livez": prober})
    assert draft.containers[0]["livenessProbe"] == redirected
    assert given == before


def test_releases_differ_in_handlers_and_init_containers() -> None:
    lifecycle: Object = {
        "preStop": {"httpGet": {"port": 1}},
        "postStart": {"tcpSocket": {"port": 2}},
    }
    run: Object = {"preStop": {"exec": {"command": ["x"]}}}
    others = (container("b", lifecycle=lifecycle), container("c", lifecycle=run))
    given = pod(PROXY, *others, init=(container("a", startupProbe=HTTP),))

    keys = {
        minor: [*(_rewrite(PodBuilder.from_pod(given), _make_rewriter(minor)) or {})]
        for minor in (18, 24, 25)
    }

    handlers = ["/app-lifecycle/b/poststartz", "/app-lifecycle/b/prestopz"]
    assert keys == {
        18: [],
        24: ["/app-health/a/startupz"],
        25: ["/app-health/a/startupz", *handlers],
    }


def test_releases_differ_in_kinds_of_probes() -> None:
    tcp: Object = {"tcpSocket": {"port": 1}}
    grpc: Object = {"grpc": {"port": 1}}
    given = pod(PROXY, container("a", livenessProbe=tcp, readinessProbe=grpc))

    assert _collect(given, 12, tcp=False) == []
    assert _collect(given, 12) == ["/app-health/a/livez"]
    assert _collect(given, 13) == ["/app-health/a/livez", "/app-health/a/readyz"]


def test_the_port_annotation_applies_to_the_kubelet_only() -> None:
    for text, port in (("15099", 15099), ("x", 0)):
        draft = PodBuilder.from_pod(
            pod(container("app", livenessProbe=HTTP), PROXY, annotations={probes.STATUS_PORT: text})
        )
        assert _rewrite(draft) is not None
        probe = object_at(draft.containers[0], "livenessProbe")
        assert object_at(probe, "httpGet")["port"] == port


OLD = '{"/app-health/app/livez":{"httpGet":{"port":1}},"/x":{}}'
REINJECTED: tuple[tuple[int, str | None, dict[str, int | None] | None], ...] = (
    # release, text of the entry, keys after
    (30, OLD, {"/app-health/app/livez": 1, "/x": None, "/app-health/app/readyz": 8000}),
    (30, None, {"/app-health/app/readyz": 8000, "/app-health/app/livez": 8000}),
    (26, None, None),
    (30, "{", None),
    (30, "[]", None),
    (16, OLD, None),
)


@pytest.mark.parametrize(("minor", "entry", "expected"), REINJECTED)
def test_probes_of_an_earlier_injection_take_precedence(
    minor: int, entry: str | None, expected: dict[str, int | None] | None
) -> None:
    listed: list[JSON] = [] if entry is None else [{"name": probes.ENV, "value": entry}]
    given = pod(
        container("app", livenessProbe=HTTP, readinessProbe=HTTP),
        container("istio-proxy", env=listed),
        annotations={status.ANNOTATION: "{}"},
    )
    draft = PodBuilder.from_pod(given)

    probes.rewrite_probes(draft, proxy_of(draft), _make_rewriter(minor))

    entries = objects_at(proxy_of(draft), "env")
    if minor < 17:
        assert len(entries) == 2
    elif expected is None:
        assert entries == listed
    else:
        found = json.loads(str(entries[0]["value"]))
        ports = {path: each.get("httpGet", {}).get("port") for path, each in found.items()}
        assert ports == expected
        assert [*found] == sorted(found)


WANTED: tuple[tuple[dict[str, JSON], bool, bool], ...] = (
    ({}, True, True),
    ({}, False, False),
    ({probes.REWRITE: "F"}, True, False),
    ({probes.REWRITE: "1"}, False, True),
    ({probes.REWRITE: "maybe"}, True, True),
)


@pytest.mark.parametrize(("annotations", "default", "expected"), WANTED)
def test_the_pod_can_disable_probe_rewriting(
    annotations: dict[str, JSON], default: bool, expected: bool
) -> None:
    assert probes.should_rewrite(annotations, default) is expected


# Status

TEMPLATE = pod(PROXY, init=(container("istio-init"), container("x"))) | {"metadata": {}}

STATUS_TEXTS = (
    (32, "", '"revision":"default"}'),
    (11, "canary", '"revision":"canary"}'),
    (10, "canary", '"imagePullSecrets":null}'),
)


@pytest.mark.parametrize(("minor", "revision", "end"), STATUS_TEXTS)
def test_the_status_lists_the_objects_of_the_templates(minor: int, revision: str, end: str) -> None:
    text = status.to_json(releases.profile(minor), status.make_status(TEMPLATE), revision)

    assert text.startswith(
        '{"initContainers":["istio-init","x"],"containers":["istio-proxy"],"volumes":null'
    )
    assert text.endswith(end)
    assert status.parse_status({status.ANNOTATION: text}) == status.make_status(TEMPLATE)


@pytest.mark.parametrize("text", ["", "x", "[]", "null"])
def test_an_invalid_status_is_ignored(text: str) -> None:
    assert status.parse_status({status.ANNOTATION: text}) is None


# Order

V, I, D, P = "istio-validation", "istio-init", "enable-core-dump", "istio-proxy"  # noqa: E741

ORDERS: tuple[tuple[int, bool, list[str], list[str], list[str], list[str]], ...] = (
    # release, hold, containers, init containers, both after
    (30, False, [P, "a", "b"], [I, "x", V, D], ["a", "b", P], [V, "x", I, D]),
    (30, True, ["a", P, "b"], [], [P, "a", "b"], []),
    (30, False, ["a"], ["x", D, P, I, V], ["a"], [I, V, P, D, "x"]),
    (18, False, ["a"], ["x", P, V, I], ["a"], [V, "x", P, I]),
    (30, False, [P, "a", P], [], ["a", P], []),
)


@pytest.mark.parametrize(("minor", "hold", "listed", "init", "after", "init_after"), ORDERS)
def test_istios_containers_move_to_their_positions(
    minor: int,
    hold: bool,
    listed: list[str],
    init: list[str],
    after: list[str],
    init_after: list[str],
) -> None:
    draft = PodBuilder.from_pod(pod(*map(container, listed), init=tuple(map(container, init))))

    template_injection.reorder_containers(releases.profile(minor), draft, hold=hold)

    assert [each["name"] for each in draft.containers] == after
    assert [each["name"] for each in draft.init_containers] == init_after
