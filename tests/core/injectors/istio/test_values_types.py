"""Values of types that istiod refuses when it loads them."""

from typing import Any

import pytest

from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import mesh, protojson, validate_meshconfig
from podgraft.core.injectors.istio.config.values_types import validate_values

NEWEST = releases.newest()


def find_errors(values: Any, release: str = "1.30") -> list[tuple[str, str]]:
    faults = validate_values(releases.parse_release(release), values)
    return [(fault.pointer, fault.problem) for fault in faults]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"global": {"proxy": {"privileged": None, "resources": {"limits": {"cpu": None}}}}},
        {"global": {"tag": 1.10, "hub": "a", "unknown": {"x": 1}}, "unknown": []},
        {"global": {"proxy": {"statusPort": 15020.0, "readinessPeriodSeconds": "15"}}},
        {"global": {"proxy": {"tracer": "zipkin", "lifecycle": {"any": [1]}}}},
        {"pilot": {"rollingMaxSurge": "100%", "traceSampling": 1.5}},
        {"pilot": {"rollingMaxSurge": 1.0}, "istio_cni": {"enabled": True}},
        {"global": {"imagePullSecrets": ["a"], "meshNetworks": {"n": {}}}},
    ],
)
def test_values_that_istiod_accepts_are_valid(values: Any) -> None:
    assert find_errors(values) == []


@pytest.mark.parametrize(
    ("values", "path", "problem"),
    [
        (
            {"global": {"proxy": {"resources": {"limits": {"cpu": 2.0}}}}},
            "/global/proxy/resources/limits/cpu",
            "expected a string, got a number",
        ),
        (
            {"global": {"proxy": {"privileged": "true"}}},
            "/global/proxy/privileged",
            "expected true or false, got a string",
        ),
        ({"global": []}, "/global", "expected a mapping, got a list"),
        ({"global": {"hub": True}}, "/global/hub", "expected a string, got true or false"),
        ({"global": {"imagePullSecrets": "a"}}, "/global/imagePullSecrets", "expected a list"),
        ({"global": {"imagePullSecrets": [1]}}, "/global/imagePullSecrets/0", "expected a string"),
        ({"global": {"proxy": {"statusPort": "a"}}}, "/global/proxy/statusPort", "a number"),
        ({"global": {"proxy": {"statusPort": 1.5}}}, "/global/proxy/statusPort", "a number"),
        ({"global": {"proxy": {"statusPort": -1.0}}}, "/global/proxy/statusPort", "a number"),
        ({"global": {"proxy": {"tracer": "x"}}}, "/global/proxy/tracer", "expected one of zipkin"),
        ({"global": {"proxy": {"lifecycle": "x"}}}, "/global/proxy/lifecycle", "a mapping"),
        (
            {"pilot": {"rollingMaxSurge": True}},
            "/pilot/rollingMaxSurge",
            "integer or a string",
        ),
    ],
)
def test_values_that_istiod_rejects_are_errors(values: Any, path: str, problem: str) -> None:
    ((place, text),) = find_errors(values)
    assert place == path
    assert problem in text


def test_a_field_is_checked_in_the_releases_that_have_it() -> None:
    values = {"global": {"nativeNftables": "yes"}}
    assert not find_errors(values, "1.20")
    assert find_errors(values, "1.30")
    assert not find_errors({"global": {"hub": 5.0}}, "1.0")  # which has no values


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("trustDomain: ''", ["/trustDomain"]),
        ("trustDomain: a_b", ["/trustDomain"]),
        ("trustDomain: td.", []),
        ("trustDomainAliases: [ok, -no]", ["/trustDomainAliases/0"]),  # sorted: -no, ok
        ("serviceSettings: [{hosts: ['*.a.b', '*-a.b', a.*, '']}]", ["2", "3"]),
        ("{}", []),
    ],
)
def test_names_in_the_mesh_configuration_are_validated(text: str, paths: list[str]) -> None:
    schema = protojson.schema(NEWEST)
    config = mesh.apply_mesh_config(schema, mesh.defaults(NEWEST), text, [])
    places = [path for path, _, _ in validate_meshconfig.validate_names(NEWEST, config)]
    assert [place.endswith(path) for place, path in zip(places, paths, strict=True)] == [
        True for _ in paths
    ]


def test_istio_1_0_does_not_validate_names() -> None:
    assert not [*validate_meshconfig.validate_names(releases.parse_release("1.0"), {})]
