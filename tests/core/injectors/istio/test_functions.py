"""Istio's template functions on values that templates hand them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.render import functions, multus, otel
from podgraft.golang.errors import LimitExceededError
from podgraft.golang.reflect import STRING_MAP, Slice, Value, slice_of

CONTAINERS = slice_of(kube.CONTAINER)

PORTS: list[Object] = [
    {"name": "app", "ports": [
        {"containerPort": 80},
        {"containerPort": 53, "protocol": "UDP"},
        {"containerPort": 53, "protocol": "TCP"},
        {"containerPort": 9, "protocol": "SCTP"},
        {"containerPort": 80},
    ]},
    {"name": "istio-proxy", "ports": [{"containerPort": 15090}]},
    {"name": "portless"},
]  # fmt: skip


NEWEST = releases.newest()


def _containers(raw: list[Object]) -> Slice:
    return CONTAINERS.convert(raw)


def _map(raw: dict[str, str] | None) -> Value:
    return STRING_MAP.convert(raw)


def test_ports_are_limited_to_those_that_envoy_supports() -> None:
    assert functions.include_inbound_ports(NEWEST, _containers(PORTS)) == "80,53,80,15090"
    assert functions.application_ports(NEWEST, _containers(PORTS)) == "80,53,80"
    assert functions.include_inbound_ports(NEWEST, _containers([])) == ""


def test_istio_1_0_listed_ports_of_every_protocol() -> None:
    oldest = releases.parse_release("1.0.3")
    both = _containers([{"ports": [{"containerPort": 53, "protocol": "UDP"}]}])

    assert functions.include_inbound_ports(oldest, both) == "53"


EXCLUDED = (
    (15020.0, "", "15020"),
    (15020.0, "80,443", "80,443,15020"),
    ("15020", " 80 , ,443 ", "80,443,15020"),
    ("15020", "80, 15020", "80,15020,15020"),
    ("15020", "80,15020 ,15020", "80,15020 ,15020"),
    (" 0 ", "80, ,443", "80, ,443"),
    ("", "80, ", "80, "),
)


@pytest.mark.parametrize(("port", "excluded", "expected"), EXCLUDED)
def test_the_status_port_is_excluded_once(port: Value, excluded: str, expected: str) -> None:
    assert functions.exclude_inbound_port(port, excluded) == expected


DEFAULTS = (("", 1, 1), (None, 1, 1), (0, 1, 0), (False, 1, False), ("x", 1, "x"))


@pytest.mark.parametrize(("value", "default", "expected"), DEFAULTS)
def test_a_default_replaces_only_a_missing_value(
    value: Value, default: Value, expected: Value
) -> None:
    assert functions.value_or_default(value, default) is expected


NOVERB = "%!(NOVERB)%!(EXTRA string=, string=y)"
WIDTHS = (
    (-(1 << 63), "x", "x"),
    ((1 << 63) - 1, "x", "x"),
    (-(1 << 63), "x\ny", f"x\n{NOVERB}"),
    ((1 << 63) - 1, "x\ny\n", f"x\n{NOVERB}\n{NOVERB[:-2]})"),
    (-3, "x\ny", "x\n   y"),
)


@pytest.mark.parametrize(("spaces", "text", "expected"), WIDTHS)
def test_a_width_above_the_limit_of_fmt_prints_its_error_text(
    spaces: int, text: str, expected: str
) -> None:
    assert functions.indent(spaces, text) == expected


def test_an_indentation_has_a_limit() -> None:
    with pytest.raises(LimitExceededError, match="longer than the limit"):
        functions.indent(1_000_000, "\n" * 100)


def test_an_annotation_replaces_its_default() -> None:
    meta = kube.OBJECT_META.convert({"annotations": {"a": "", "b": "x"}})

    found = [
        functions.annotation(meta, *row) for row in (("a", 5), ("b", 5), ("c", 5.0), ("c", None))
    ]

    assert found == ["", "x", "5", "<nil>"]


def test_maps_print_sorted_and_escaped() -> None:
    assert functions.to_json(_map({"b": "<", "a": "é"})) == '{"a":"é","b":"\\u003c"}'
    assert functions.to_json(_map(None)) == "{}"
    assert (
        functions.to_json_map(_map({"a": "1"}), _map({"a": "2", "b": "3"})) == '{"a":"2","b":"3"}'
    )


def test_a_port_prints_in_the_order_of_its_struct() -> None:
    port = kube.TYPES["ContainerPort"].convert(
        {"protocol": "TCP", "containerPort": 80, "name": "<"}
    )

    assert functions.struct_to_json(port) == (
        '{"name":"\\u003c","containerPort":80,"protocol":"TCP"}'
    )
    assert functions.struct_to_json(None) == "{}"


def test_yaml_sorts_keys_and_ends_its_lines() -> None:
    given = {"b": [1.0, {"c": "yes"}], "a": {"e": None, "d": 2.5}}

    assert functions.to_yaml(given) == 'a:\n  d: 2.5\n  e: null\nb:\n- 1\n- c: "yes"\n'


NIL: tuple[tuple[JSON, JSON], ...] = (
    (None, None),
    ({}, {}),
    ([], []),
    ({"a": None}, None),
    ({"a": None, "b": 1.0}, {"b": 1.0}),
    ({"a": {"b": {"c": None}}, "d": {}}, {"d": {}}),
    ([None, [None], [], "x"], [[], "x"]),
    ("x", "x"),
)


@pytest.mark.parametrize(("value", "expected"), NIL)
def test_nulls_and_containers_of_only_nulls_are_omitted(value: JSON, expected: JSON) -> None:
    assert functions.omit_nil(value) == expected


def test_omitting_keys_does_not_change_the_map() -> None:
    given = _map({"a": "1", "b": "2", "c": "3"})

    assert dict(functions.omit(given, "a", "c", "x").items()) == {"b": "2"}
    assert len(given) == 3


NETWORKS = (
    # release, existing, network, result
    ("1.30", "", "default/istio-cni", "default/istio-cni"),
    ("1.30", "a", "default/istio-cni", "a, default/istio-cni"),
    ("1.30", "a, default/istio-cni", "default/istio-cni", "a, default/istio-cni"),
    ("1.30", '[{"name": "a"}]', "default/istio-cni",
     '[{"name": "a"}, {"name": "istio-cni", "namespace": "default"}]'),
    ("1.30", '[\n {"name": "a"}\n]\n', "n", '[\n {"name": "a"}\n, {"name": "n"}]\n'),
    ("1.30", '[{"name": "istio-cni", "namespace": "default"}]', "default/istio-cni",
     '[{"name": "istio-cni", "namespace": "default"}]'),
    ("1.30", '[{"name": "istio-cni"}]', "default/istio-cni",
     '[{"name": "istio-cni"}, {"name": "istio-cni", "namespace": "default"}]'),
    ("1.30", "[]", "n", '[, {"name": "n"}]'),
    ("1.30", "[bad]", "n", "[bad]"),
    ("1.30", '["a"]', "n", '["a"]'),
    ("1.30", '{"a": []}', "n", '{"a": []}'),
    ("1.25", "a", "default/istio-cni", "a, default/istio-cni"),
    ("1.25.0", '[{"name": "a"}]', "ns/n", '[{"name": "a"}, {"name": "ns/n"}]'),
    ("1.25.1", '[{"name": "a"}]', "ns/n", '[{"name": "a"}, {"name": "n", "namespace": "ns"}]'),
    ("1.24.4", '[{"name": "a"}]', "ns/n", '[{"name": "a"}, {"name": "n", "namespace": "ns"}]'),
    ("1.23.5", '[{"name": "a"}]', "ns/n", '[{"name": "a"}, {"name": "ns/n"}]'),
    ("1.9", "istio-cni", "istio-cni", "istio-cni"),
    ("1.8", "istio-cni", "istio-cni", "istio-cni, istio-cni"),
    ("1.8", '[{"name": "istio-cni"}]', "istio-cni",
     '[{"name": "istio-cni"}, {"name": "istio-cni"}]'),
)  # fmt: skip


@pytest.mark.parametrize(("release", "existing", "network", "expected"), NETWORKS)
def test_a_multus_network_is_added(
    release: str, existing: str, network: str, expected: str
) -> None:
    assert multus.append_network(releases.parse_release(release), existing, network) == expected


ENRICHING: Object = {
    "extensionProviders": [
        {
            "name": "otel",
            "opentelemetry": {"serviceAttributeEnrichment": "OTEL_SEMANTIC_CONVENTIONS"},
        }
    ]
}
WORD = "resource.opentelemetry.io/service."
APP: Object = {"name": "app", "image": "hub/app:1.2"}

ATTRIBUTES: tuple[tuple[dict[str, str], dict[str, str], str, list[Object], str], ...] = (
    # annotations, labels, namespace, containers, value
    ({}, {}, "ns", [APP],
     "service.namespace=ns,service.version=1.2,service.instance.id=ns.$(POD_NAME).app"),
    ({}, {"app.kubernetes.io/version": "v9"}, "", [APP],
     "service.version=v9,service.instance.id=.$(POD_NAME).app"),
    ({f"{WORD}namespace": "n", f"{WORD}version": "v", f"{WORD}instance.id": "i"}, {}, "ns", [APP],
     "service.namespace=n,service.version=v,service.instance.id=i"),
    ({}, {}, "ns", [APP, APP], "service.namespace=ns,service.instance.id=ns.$(POD_NAME).app"),
    ({}, {}, "ns", [], "service.namespace=ns"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "labels", "namespace", "containers", "expected"), ATTRIBUTES)
def test_resource_attributes(
    said: dict[str, str],
    labels: dict[str, str],
    namespace: str,
    containers: list[Object],
    expected: str,
) -> None:
    listed: list[Mapping[str, JSON]] = [*containers]

    assert otel.resource_attributes(ENRICHING, said, labels, namespace, listed) == expected
    assert otel.resource_attributes({}, said, labels, namespace, listed) == ""


IMAGES = (
    ("app", ""),
    ("app:1.2", "1.2"),
    ("hub:5000/app", ""),
    ("hub:5000/app:1.2@sha256:0f", "1.2@sha256:0f"),
    ("app@sha256:0f", "sha256:0f"),
)


@pytest.mark.parametrize(("image", "version"), IMAGES)
def test_the_version_of_an_image_is_its_tag_and_digest(image: str, version: str) -> None:
    assert otel.image_version(image) == version
