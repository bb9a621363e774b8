"""Mesh and proxy configuration: defaults, layers, printing, validity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON, Object, dump
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import annotations, releases
from podgraft.core.injectors.istio.config import mesh, protojson, proxyconfig, validate_proxyconfig
from podgraft.core.injectors.istio.config.protojson import MESH_CONFIG, PROXY_CONFIG, FieldError
from podgraft.golang.json import plain

NEWEST = releases.newest()
SCHEMA = protojson.schema(NEWEST)

# Field of the built-in ProxyConfig: first minor and its value, then the next value and so on.
DEFAULTS: dict[str, dict[int, JSON]] = {
    "configPath": {0: "/etc/istio/proxy", 6: "./etc/istio/proxy"},
    "drainDuration": {0: "2s", 1: "45s"},
    "parentShutdownDuration": {0: "3s", 1: "60s", 17: None},
    "terminationDrainDuration": {0: None, 7: "5s"},
    "controlPlaneAuthPolicy": {0: None, 7: "MUTUAL_TLS"},
    "discoveryAddress": {
        0: "istio-pilot:15007",
        1: "istio-pilot:15010",
        6: "istiod.istio-system.svc:15012",
    },
    "statNameLength": {0: None, 1: 189},
    "statusPort": {0: None, 6: 15020},
    "concurrency": {0: None, 6: 2, 18: None},
    "tracing": {0: None, 6: {"zipkin": {"address": "zipkin.istio-system:9411"}}, 22: None},
    "envoyMetricsService": {0: None, 3: {}, 9: None},
    "envoyAccessLogService": {0: None, 3: {}, 9: None},
    "connectTimeout": {0: "1s", 6: None},
}
MESH_DEFAULTS: dict[str, dict[int, JSON]] = {
    "proxyListenPort": {0: 15001},
    "proxyInboundListenPort": {0: None, 18: 15006},
    "enablePrometheusMerge": {0: None, 18: True},
    "dnsRefreshRate": {0: None, 1: "5s", 14: "60s"},
    "sdsUdsPath": {0: None, 6: "unix:./etc/istio/proxy/SDS", 8: None},
    "trustDomain": {0: None, 6: "cluster.local"},
    "rootNamespace": {0: None, 1: "istio-system"},
    "inboundTrafficPolicy": {0: None, 22: {}},
}


def _value_for_release(values: dict[int, JSON], minor: int) -> JSON:
    return values[max(first for first in values if first <= minor)]


@pytest.mark.parametrize("minor", releases.KNOWN)
def test_each_release_has_its_defaults(minor: int) -> None:
    config = mesh.defaults(releases.profile(minor))
    proxy = mesh.proxy_of(config)

    assert {name: proxy.get(name) for name in DEFAULTS} == {
        name: _value_for_release(values, minor) for name, values in DEFAULTS.items()
    }
    assert {name: config.get(name) for name in MESH_DEFAULTS} == {
        name: _value_for_release(values, minor) for name, values in MESH_DEFAULTS.items()
    }


BASE: Object = {
    "trustDomain": "old",
    "trustDomainAliases": ["b", "c"],
    "connectTimeout": "10s",
    "defaultProviders": {"tracing": ["x"], "metrics": ["y"]},
    "extensionProviders": [{"name": "a", "prometheus": {}}, {"name": "b", "stackdriver": {}}],
    "localityLbSetting": {"enabled": True, "failoverPriority": ["z"]},
    "defaultConfig": {"configPath": "/a", "statusPort": 1, "proxyMetadata": {"A": "1", "B": "1"}},
}

APPLIED: tuple[tuple[str, Object], ...] = (
    ("", {}),
    ("trustDomain: new", {"trustDomain": "new"}),
    ("trustDomain:", {}),
    ("trustDomain: ''", {"trustDomain": None}),
    ("trustDomainAliases: [d, a]", {"trustDomainAliases": ["a", "b", "c", "d"]}),
    ("localityLbSetting: {enabled: false}", {"localityLbSetting": {"enabled": False}}),
    (
        "defaultProviders: {tracing: [q]}",
        {"defaultProviders": {"tracing": ["q"], "metrics": ["y"]}},
    ),
    (
        "{extensionProviders: [{name: b, envoyFileAccessLog: {path: /x}}, {name: c, sds: {}}]}",
        {
            "extensionProviders": [
                {"name": "a", "prometheus": {}},
                {"name": "b", "envoyFileAccessLog": {"path": "/x"}},
                {"name": "c", "sds": {}},
            ]
        },
    ),
    (
        "defaultConfig: {statusPort: 0, proxyMetadata: {B: '2'}, drain_duration: 1m}",
        {
            "defaultConfig": {
                "configPath": "/a",
                "drainDuration": "60s",
                "proxyMetadata": {"A": "1", "B": "2"},
            }
        },
    ),
)


def test_istiod_reads_the_default_config_by_one_name() -> None:
    assert mesh.apply_mesh_config(SCHEMA, BASE, "default_config: {statusPort: 5}", []) == BASE


def test_the_connection_timeout_had_a_lower_limit() -> None:
    problems = [
        bool(
            [
                *mesh.validate_mesh_config(
                    profile, mesh.defaults(profile) | {"connectTimeout": "31s"}
                )
            ]
        )
        for profile in (releases.profile(20, 5), releases.profile(20, 6), releases.profile(22, 0))
    ]

    assert problems == [True, False, False]


@pytest.mark.parametrize(("text", "changes"), APPLIED)
def test_a_text_is_merged_over_the_mesh(text: str, changes: Object) -> None:
    expected = {key: value for key, value in (BASE | changes).items() if value is not None}

    assert mesh.apply_mesh_config(SCHEMA, BASE, text, []) == expected


def test_an_applied_mesh_retains_the_order_of_the_proto_file() -> None:
    applied = mesh.apply_mesh_config(SCHEMA, mesh.defaults(NEWEST), "rootNamespace: x", [])
    names = [field.json for field in SCHEMA.type(MESH_CONFIG).fields]

    assert [*applied] == [name for name in names if name in applied]


BROKEN = (
    ("[]", "", "must be a mapping"),
    ("a: [", "", "line"),
    ("proxyListenPort: x", "/proxyListenPort", "x"),
    ("defaultConfig: {statusPort: x}", "/defaultConfig/statusPort", "x"),
    ("defaultConfig: 5", "/defaultConfig", "number"),
)


@pytest.mark.parametrize(("text", "path", "problem"), BROKEN)
def test_an_invalid_text_is_an_error_with_its_location(text: str, path: str, problem: str) -> None:
    found: list[FieldError] = []
    assert mesh.apply_mesh_config(SCHEMA, BASE, text, found) == BASE
    [wrong] = found
    assert wrong.pointer == path
    assert problem in wrong.problem


def test_an_invalid_field_does_not_affect_other_fields() -> None:
    found: list[FieldError] = []
    text = """
        outboundTrafficPolicy: 7
        defaultConfig: {concurrency: x, proxyMetadata: {a/b: 1, c: "2"}, statusPort: 1}
        extensionProviders: [{name: 5}, {name: a, zipkin: {port: y}}]
        proxyListenPort: 99999
    """
    config = mesh.apply_mesh_config(SCHEMA, BASE, text, found)
    assert [wrong.pointer for wrong in found] == [
        "/outboundTrafficPolicy",
        "/defaultConfig/concurrency",
        "/defaultConfig/proxyMetadata/a~1b",
        "/extensionProviders/0/name",
        "/extensionProviders/1/zipkin/port",
    ]
    assert config == BASE | {"proxyListenPort": 99999}


MERGED: tuple[tuple[Object, Object, Object], ...] = (
    # base, layer, what comes out
    ({"configPath": "/a"}, {"binaryPath": "/b"}, {"configPath": "/a", "binaryPath": "/b"}),
    ({"tracing": {"zipkin": {"address": "z"}}}, {"tracing": {"sampling": 5.0}}, {
        "tracing": {"sampling": 5.0},
    }),
    ({"serviceCluster": "a"}, {"tracingServiceName": "CANONICAL_NAME_ONLY"}, {
        "tracingServiceName": "CANONICAL_NAME_ONLY",
    }),
    ({"tracingServiceName": "CANONICAL_NAME_ONLY"}, {"serviceCluster": "a"}, {
        "serviceCluster": "a",
    }),
    ({"proxyHeaders": {"server": {"value": "s"}, "requestId": {}}}, {
        "proxyHeaders": {"server": {"value": "t"}, "xForwardedHost": {}},
    }, {"proxyHeaders": {"requestId": {}, "server": {"value": "t"}, "xForwardedHost": {}}}),
    ({"proxyHeaders": {"setCurrentClientCertDetails": {}}}, {"proxyHeaders": {}}, {
        "proxyHeaders": {},
    }),
    ({"statusPort": 5}, {"statusPort": 0}, {}),
)  # fmt: skip


@pytest.mark.parametrize(("base", "layer", "expected"), MERGED)
def test_layers_of_a_proxy_configuration_merge(
    base: Object, layer: Object, expected: Object
) -> None:
    assert proxyconfig.merge_layer(SCHEMA, base, layer) == expected


PRINTED: tuple[tuple[Object, str], ...] = (
    ({}, "{}"),
    ({"statusPort": 15020, "tracing": {}}, '{"tracing":{}}'),
    (
        {"configPath": "/foo/bar", "drainDuration": "7s", "proxyMetadata": {"foo": "barr"}},
        '{"configPath":"/foo/bar","drainDuration":"7s","proxyMetadata":{"foo":"barr"}}',
    ),
    ({"concurrency": 0}, '{"concurrency":0}'),
    ({"holdApplicationUntilProxyStarts": False}, '{"holdApplicationUntilProxyStarts":false}'),
    ({"tracing": {"sampling": 100.0}}, '{"tracing":{"sampling":100}}'),
    ({"tracing": {"sampling": 0.00001}}, '{"tracing":{"sampling":0.00001}}'),
    ({"meshId": "<&>"}, '{"meshId":"\\u003c\\u0026\\u003e"}'),
)


@pytest.mark.parametrize(("config", "text"), PRINTED)
def test_a_proxy_configuration_prints_only_changed_fields(config: Object, text: str) -> None:
    proxy = proxyconfig.merge_layer(SCHEMA, mesh.proxy_defaults(NEWEST), config)

    assert proxyconfig.to_json(mesh.proxy_defaults(NEWEST), proxy) == text


def test_the_built_in_defaults_print_nothing() -> None:
    for minor in releases.KNOWN[6:]:  # before, protoToJSON printed them all
        proxy = mesh.proxy_defaults(releases.profile(minor))
        assert proxyconfig.to_json(proxy, proxy) == "{}"


def test_1_8_prints_an_explicit_empty_map() -> None:
    for minor, text in ((8, '{"proxyMetadata":{}}'), (9, "{}")):
        profile = releases.profile(minor)
        defaults = mesh.proxy_defaults(profile)
        layer = proxyconfig.parse_layer(protojson.schema(profile), "proxyMetadata: {}")
        merged = proxyconfig.merge_layer(protojson.schema(profile), defaults, layer)
        assert proxyconfig.to_json(defaults, merged) == text


def _resource(namespace: str, labels: dict[str, JSON] | None, concurrency: int) -> Object:
    spec: Object = {"concurrency": concurrency}
    if labels is not None:
        spec["selector"] = {"matchLabels": labels}
    return {"metadata": {"namespace": namespace}, "spec": spec}


def test_resources_apply_to_the_mesh_the_namespace_and_the_workload() -> None:
    """The first at each level wins; one of another namespace, or not matching, counts nowhere."""
    root, root_late = _resource("root", None, 1), _resource("root", None, 2)
    own, other = _resource("ns", None, 3), _resource("other", None, 4)
    selected, unmatched = _resource("ns", {"a": "b"}, 5), _resource("ns", {"a": "c"}, 6)
    rooted = _resource("root", {"a": "b"}, 7)

    found = proxyconfig.select_resources(
        (other, unmatched, rooted, root, root_late, own, selected), "ns", "root", {"a": "b"}
    )

    assert found == (root, own, selected)


@pytest.mark.parametrize("selector", [{}, {"matchLabels": {}}, {"matchLabels": None}])
def test_a_resource_with_an_empty_selector_applies_to_no_pod(selector: JSON) -> None:
    """It is not the namespace's either, and does not take the place of that one."""
    empty: list[Object] = [
        {"metadata": {"namespace": namespace}, "spec": {"selector": selector}}
        for namespace in ("root", "ns")
    ]
    root, own = _resource("root", None, 1), _resource("ns", None, 2)

    assert proxyconfig.select_resources(empty, "ns", "root", {"a": "b"}) == (None, None, None)
    assert proxyconfig.select_resources((*empty, root, own), "ns", "root", {}) == (root, own, None)


def test_a_null_selector_is_no_selector() -> None:
    resource: Object = {"metadata": {"namespace": "ns"}, "spec": {"selector": None}}

    assert proxyconfig.select_resources([resource], "ns", "root", {}) == (None, resource, None)


def test_a_resource_sets_three_fields() -> None:
    spec: Object = {
        "concurrency": 0,
        "environmentVariables": {"A": "b"},
        "image": {"imageType": "debug"},
        "selector": {"matchLabels": {"a": "b"}},
    }

    assert proxyconfig.layer_from_resource(SCHEMA, {"spec": spec}) == {
        "concurrency": 0,
        "proxyMetadata": {"A": "b"},
        "image": {"imageType": "debug"},
    }


PROBLEMS = (
    ("{}", None),
    ("configPath: ''", "config path must be set"),
    ("binaryPath: ''", "binary path must be set"),
    ("serviceCluster: ''", "service cluster must be specified"),
    ("tracingServiceName: CANONICAL_NAME_ONLY", None),
    ("drainDuration: 0.5s", "only supports durations to seconds precision"),
    ("drainDuration: -1s", "greater than 1ms"),
    ("drainDuration:", None),
    ("tracing: {tlsSettings: {mode: SIMPLE, credentialName: c, privateKey: k}}", "cannot specify"),
    ("discoveryAddress: istiod", "invalid discovery address: unable to split"),
    ("discoveryAddress: istiod:0", "port number 0 must be in the range 1..65535"),
    ("discoveryAddress: istiod:70000", "port number 70000 must be in"),
    ("discoveryAddress: 'is_tiod:1'", "not a valid hostname"),
    ("discoveryAddress: '[::1]:15012'", None),
    ("discoveryAddress: '10.0.0.1:15012'", None),
    ("discoveryAddress: '10.0.0.400:15012'", "not a valid hostname"),
    ("statsdUdpAddress: x", "invalid statsd udp address"),
    ("envoyMetricsService: {address: x}", "invalid envoy metrics service address"),
    ("envoyAccessLogService: {address: 'x:1'}", None),
    ("tracing: {zipkin: {address: '$(HOST_IP):9411'}}", None),
    ("tracing: {lightstep: {address: '$(HOST_IP):1', accessToken: t}}", "lightstep address"),
    ("tracing: {lightstep: {address: 'a:1'}}", "access token"),
    ("tracing: {datadog: {}}", "invalid datadog config"),
    ("tracing: {customTags: {a: {}}}", None),
    ("tracing: {customTags: {a: {literal: {value: x}}}}", None),
    ("tracing: {customTags: {a: {header: {defaultValue: x}}}}", None),
    ("statusPort: 70000", "invalid status port: port number 70000 must be in the range 1..65535"),
    ("statusPort: 0", "invalid status port: port number 0"),
    ("proxyAdminPort: 0", "invalid proxy admin port"),
    ("privateKeyProvider: {cryptomb: {}}", "pollDelay is required"),
    ("privateKeyProvider: {qat: {pollDelay: 0s}}", "pollDelay must be non zero"),
    ("privateKeyProvider: {}", "private key provider configuration is required"),
    ("envoyAccessLogService: {address: 'a:1', tlsSettings: {mode: MUTUAL}}", None),
    ("controlPlaneAuthPolicy: INHERIT", "unrecognized control plane auth policy"),
    ("tracing: {tlsSettings: {mode: MUTUAL}}", "client certificate required for mutual tls"),
    ("tracing: {tlsSettings: {mode: MUTUAL, credentialName: c}}", None),
    ("tracing: {tlsSettings: {mode: ISTIO_MUTUAL, caCertificates: c}}", None),
    ("connectionSettings: {http2InitialStreamWindowSize: 65534}", "at least 65535"),
    ("connectionSettings: {listenerConnectionLimit: 0}", "must be positive"),
    ("connectionSettings: {listenerPerConnectionBufferLimitBytes: -1}", "not be negative"),
    ("connectionSettings: {httpIdleTimeout: -1s}", "not be negative"),
    ("connectionSettings: {httpMergeSlashes: false, httpIdleTimeout: 0s}", None),
)


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_a_proxy_configuration_is_validated(text: str, problem: str | None) -> None:
    layer = proxyconfig.parse_layer(SCHEMA, text)
    merged = proxyconfig.merge_layer(SCHEMA, mesh.proxy_defaults(NEWEST), layer)
    found = validate_proxyconfig.validate_proxy_config(NEWEST, merged)

    assert (problem or "") in "; ".join(found)
    assert bool(found) is (problem is not None)


OLD_PROBLEMS = (
    # release, text, problem; "" is valid
    ("1.8.1", "tracing: {zipkin: {address: '$(HOST_IP):9411'}}", "invalid zipkin config"),
    ("1.8.2", "tracing: {zipkin: {address: '$(HOST_IP):9411'}}", ""),
    ("1.10", "statusPort: 70000", ""),
    ("1.11", "statusPort: 70000", "invalid status port"),
    ("1.13.2", "tracing: {customTags: {a: null}}", ""),
    ("1.13.3", "tracing: {customTags: {a: null}}", "nil value for custom tag: a"),
    ("1.14", "tracing: {customTags: {a: null}}", ""),
    ("1.0", "drainDuration: 60s", ""),
    ("1.16", "drainDuration: 60s", "parent shutdown time 1m0s must be greater than drain time"),
    ("1.16", "parentShutdownDuration: 2h", "parent shutdown time 2h0m0s must be <1h0m0s"),
    ("1.17", "drainDuration: 60s", ""),
    ("1.21", "drainDuration: 2h", "drain time 2h0m0s must be <1h0m0s"),
    ("1.22", "drainDuration: 2h", ""),
    ("1.25", "tracing: {tlsSettings: {mode: SIMPLE, credentialName: 'configmap://a/b'}}", ""),
    ("1.26", "tracing: {tlsSettings: {mode: SIMPLE, credentialName: 'configmap://a/b'}}",
     "namespace must match"),
)  # fmt: skip


@pytest.mark.parametrize(("release", "text", "problem"), OLD_PROBLEMS)
def test_each_release_validates_a_proxy_configuration_by_its_rules(
    release: str, text: str, problem: str
) -> None:
    profile = releases.parse_release(release)
    schema = protojson.schema(profile)
    layer = proxyconfig.parse_layer(schema, text)
    merged = proxyconfig.merge_layer(schema, mesh.proxy_defaults(profile), layer)
    found = validate_proxyconfig.validate_proxy_config(profile, merged)

    assert problem in "; ".join(found)
    assert bool(found) is bool(problem)


def test_connection_settings_are_unknown_before_1_31() -> None:
    old = releases.profile(30)
    layer = proxyconfig.parse_layer(
        protojson.schema(old), "connectionSettings: {listenerConnectionLimit: 0}"
    )

    assert layer == {}


MESH_PROBLEMS: tuple[tuple[Object, list[str]], ...] = (
    ({}, []),
    ({"proxyListenPort": 0}, ["/proxyListenPort"]),
    ({"connectTimeout": "0s"}, ["/connectTimeout"]),
    ({"connectTimeout": "1h"}, []),
    ({"connectTimeout": "1h1ms"}, ["/connectTimeout"]),
    ({"connectTimeout": "0.0015s"}, ["/connectTimeout"]),
    # Istiod logs these.
    ({"extensionProviders": [{"prometheus": {}}, {"name": "x"}]}, []),
    ({"defaultInboundHttpRetryPolicy": {"attempts": -1, "perTryTimeout": "0.0001s"}}, [
        "/defaultInboundHttpRetryPolicy/attempts", "/defaultInboundHttpRetryPolicy/perTryTimeout",
    ]),
)  # fmt: skip


@pytest.mark.parametrize(("given", "paths"), MESH_PROBLEMS)
def test_a_mesh_configuration_is_validated(given: Object, paths: list[str]) -> None:
    config = mesh.apply_mesh_config(SCHEMA, mesh.defaults(NEWEST), dump(given), [])

    found = list(mesh.validate_mesh_config(NEWEST, config))
    assert [path for path, *_ in found] == paths
    assert all(problem and remedy for _, problem, remedy in found)


def test_1_31_has_no_inbound_retry_policy() -> None:
    known = releases.profile(31)
    text = json.dumps({"defaultInboundHttpRetryPolicy": {"attempts": -1}})
    config = mesh.apply_mesh_config(protojson.schema(known), mesh.defaults(known), text, [])

    assert [*mesh.validate_mesh_config(known, config)] == []


def test_a_proxy_configuration_of_every_release_is_valid() -> None:
    for minor in releases.KNOWN:
        known = releases.profile(minor)
        defaults = mesh.proxy_defaults(known)
        assert validate_proxyconfig.validate_proxy_config(known, defaults) == []
        assert protojson.normalize(protojson.schema(known), PROXY_CONFIG, defaults) == defaults


def test_a_proxy_configuration_needs_a_drain_duration() -> None:
    assert validate_proxyconfig.validate_proxy_config(
        NEWEST, {**mesh.proxy_defaults(NEWEST), "drainDuration": None}
    ) == ["invalid drain duration: duration must be greater than 1ms"]


RECORDED = Path(__file__).parent / "data" / "proxyconfig-1.30.3.jsonl"


@pytest.mark.parametrize(
    "row", [*map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())], ids=str
)
def test_a_proxy_configuration_is_read_as_istio_reads_it(row: dict[str, Any]) -> None:
    """What Istio 1.30.3's own packages mesh and validation/agent made of each text."""
    profile = releases.parse_release("1.30.3")
    schema = protojson.schema(profile)
    given = {proxyconfig.ANNOTATION: row["text"]}
    if "json" not in row:
        with pytest.raises(UserError) as caught:
            annotations.check_annotations(profile, given)
        assert [part for part in _go_errors(row) if part not in str(caught.value)] == []
        return
    annotations.check_annotations(profile, given)
    layer = proxyconfig.parse_layer(schema, row["text"])
    merged = proxyconfig.merge_layer(schema, mesh.proxy_defaults(profile), layer)
    assert json.loads(plain.encode(merged)) == row["json"]


def _go_errors(row: dict[str, Any]) -> set[str]:
    """The problems in Go's text, without those in podgraft's text."""
    if "invalid" in row:
        return {part.strip() for part in row["invalid"].split("\n\t* ")[1:]}
    text: str = row["parse"].split(" for enum ")[0].replace('\\"', "").replace('""', '"')
    return set() if text.startswith("yaml: ") else {text}


@pytest.mark.parametrize(
    ("minor", "mode", "error"),
    [
        (
            13,
            "NONE",
            'unknown value "NONE" for enum v1alpha1.ProxyConfig_InboundInterceptionMode; ',
        ),
        (13, "TPROXY", ""),
        (14, "NONE", ""),
    ],
)
def test_an_enum_has_the_members_of_the_release(minor: int, mode: str, error: str) -> None:
    """Istio 1.13 does not load such a mesh (found by its own injector)."""
    schema = protojson.schema(releases.profile(minor))
    errors: list[FieldError] = []
    text = f"defaultConfig: {{interceptionMode: {mode}}}"
    mesh.apply_mesh_config(schema, mesh.defaults(releases.profile(minor)), text, errors)
    assert [each.problem.startswith(error) for each in errors] == ([True] if error else [])
