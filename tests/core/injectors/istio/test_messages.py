"""Reading mesh messages as jsonpb does, and what each release knows."""

from __future__ import annotations

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import protojson
from podgraft.core.injectors.istio.config.protojson import PROXY_CONFIG, MessageError

NEWEST = protojson.schema(releases.newest())

READ: tuple[tuple[str, Object, Object], ...] = (
    # Names, and unknown fields
    ("snake case", {"status_port": 1}, {"statusPort": 1}),
    ("camel case", {"statusPort": 1}, {"statusPort": 1}),
    ("unknown", {"nobodyKnows": 1}, {}),
    ("null", {"statusPort": None, "concurrency": None, "tracing": None}, {}),
    # Scalars
    ("number as text", {"statusPort": "15020"}, {"statusPort": 15020}),
    ("whole float", {"statusPort": 15020.0}, {"statusPort": 15020}),
    ("enum by name", {"interceptionMode": "TPROXY"}, {"interceptionMode": "TPROXY"}),
    ("enum by number", {"interceptionMode": 2}, {"interceptionMode": "NONE"}),
    ("unknown enum number", {"interceptionMode": 9}, {"interceptionMode": 9}),
    ("duration", {"drainDuration": "1m0.5s"}, {"drainDuration": "60.500s"}),
    # Wrappers keep their zeros
    ("wrapped zero", {"concurrency": 0}, {"concurrency": 0}),
    ("wrapped false", {"holdApplicationUntilProxyStarts": False}, {
        "holdApplicationUntilProxyStarts": False,
    }),
    # Messages, lists and maps
    ("empty message", {"tracing": {}}, {"tracing": {}}),
    ("nested zero", {"tracing": {"sampling": 0}}, {"tracing": {}}),
    ("double", {"tracing": {"sampling": 12.5}}, {"tracing": {"sampling": 12.5}}),
    ("map", {"proxyMetadata": {"B": "2", "A": "1"}}, {"proxyMetadata": {"A": "1", "B": "2"}}),
    ("list", {"extraStatTags": ["a", "b"]}, {"extraStatTags": ["a", "b"]}),
    ("null in a list", {"extraStatTags": [None]}, {"extraStatTags": [""]}),
    ("null in a map", {"proxyMetadata": {"A": None}}, {"proxyMetadata": {"A": ""}}),
    ("64 bits as text", {"tracing": {"stackdriver": {"maxNumberOfAttributes": 5}}}, {
        "tracing": {"stackdriver": {"maxNumberOfAttributes": "5"}},
    }),
)  # fmt: skip

ERRORS: tuple[tuple[JSON, str, str], ...] = (
    ({"statusPort": "x"}, "/statusPort", "x"),
    ({"statusPort": True}, "/statusPort", "cannot unmarshal bool into Go value of type int32"),
    ({"statusPort": 1 << 31}, "/statusPort", "cannot unmarshal number 2147483648"),
    ({"configPath": 5}, "/configPath", "cannot unmarshal number into Go value of type string"),
    ({"proxyMetadata": {"A": 1}}, "/proxyMetadata/A", "into Go value of type string"),
    ({"proxyMetadata": []}, "/proxyMetadata", "cannot unmarshal array"),
    ({"extraStatTags": "a"}, "/extraStatTags", "cannot unmarshal string"),
    ({"interceptionMode": "X"}, "/interceptionMode", "use REDIRECT, TPROXY, NONE"),
    ({"drainDuration": 5}, "/drainDuration", 'write it as "5s"'),
    ({"drainDuration": "5"}, "/drainDuration", 'missing unit in duration "5"'),
    ({"tracing": {"sampling": []}}, "/tracing/sampling", "into Go value of type float64"),
    ({"holdApplicationUntilProxyStarts": {}}, "/holdApplicationUntilProxyStarts", "object"),
    ({"tracing": {"zipkin": {"address": []}}}, "/tracing/zipkin/address", "array"),
    ({"statusPort": "x"}, "/statusPort", "invalid character 'x' looking for beginning of value"),
    ({"statusPort": "1.0"}, "/statusPort", "cannot unmarshal number 1.0 into Go value of type"),
    ({"tracing": {"sampling": "1_0"}}, "/tracing/sampling", "invalid character '_' after"),
    ([], "", "cannot unmarshal array"),
)


@pytest.mark.parametrize(("_name", "given", "expected"), READ, ids=[row[0] for row in READ])
def test_a_message_is_decoded(_name: str, given: Object, expected: Object) -> None:
    read = protojson.decode_message(NEWEST, PROXY_CONFIG, given)

    assert protojson.normalize(NEWEST, PROXY_CONFIG, read) == expected


@pytest.mark.parametrize(("given", "path", "problem"), ERRORS)
def test_an_invalid_value_is_an_error_with_its_pointer(
    given: JSON, path: str, problem: str
) -> None:
    with pytest.raises(MessageError) as caught:
        protojson.decode_message(NEWEST, PROXY_CONFIG, given)

    [wrong] = caught.value.errors
    assert wrong.pointer == path
    assert problem in wrong.problem


def test_all_errors_of_a_message_are_reported_at_once() -> None:
    given: Object = {"statusPort": "x", "extraStatTags": [1, "a", 2], "tracing": {"sampling": []}}
    with pytest.raises(MessageError) as caught:
        protojson.decode_message(NEWEST, PROXY_CONFIG, given)

    paths = ["/statusPort", "/extraStatTags/0", "/extraStatTags/2", "/tracing/sampling"]
    assert [wrong.pointer for wrong in caught.value.errors] == paths
    assert str(caught.value).count("; /") == len(paths) - 1


def test_fields_have_the_order_of_the_proto_file() -> None:
    given: Object = {"statusPort": 1, "proxyMetadata": {"A": "b"}, "configPath": "/x"}
    read = protojson.normalize(
        NEWEST, PROXY_CONFIG, protojson.decode_message(NEWEST, PROXY_CONFIG, given)
    )

    assert [*read] == ["configPath", "proxyMetadata", "statusPort"]


KNOWN: tuple[tuple[str, JSON, str, str], ...] = (
    ("connectionSettings", {}, "1.30", "1.31"),
    ("proxyHeaders", {}, "1.18", "1.19.0"),
    ("image", {}, "1.12.0", "1.12.1"),
    ("caCertificatesPem", ["x"], "1.9.0", "1.9.1"),
    ("tracingServiceName", "CANONICAL_NAME_ONLY", "1.12.9", "1.13.0"),
    ("runtimeValues", {"a": "b"}, "1.13.9", "1.14.0"),
    ("privateKeyProvider", {"cryptomb": {"pollDelay": "1s"}}, "1.13.9", "1.14.0"),
    ("fileFlushMinSizeKb", 1, "1.28", "1.29"),
)


@pytest.mark.parametrize(("field", "value", "without", "first"), KNOWN)
def test_a_release_has_its_fields(field: str, value: JSON, without: str, first: str) -> None:
    known: Object = {field: value}
    for release, expected in ((without, {}), (first, known)):
        schema = protojson.schema(releases.parse_release(release))
        assert protojson.decode_message(schema, PROXY_CONFIG, {field: value}) == expected


HEADERS: Object = {
    "metadataExchangeHeaders": {"mode": "IN_MESH"},
    "setCurrentClientCertDetails": {},
}
DELAYS: Object = {"qat": {"pollDelay": "1s", "fallback": True}}
NESTED: tuple[tuple[str, str, Object, list[str]], ...] = (
    ("1.19.0", "proxyHeaders", HEADERS, []),
    ("1.19.1", "proxyHeaders", HEADERS, ["metadataExchangeHeaders"]),
    ("1.24.0", "proxyHeaders", HEADERS, ["setCurrentClientCertDetails", "metadataExchangeHeaders"]),
    ("1.16.7", "privateKeyProvider", DELAYS, []),
    ("1.20.8", "privateKeyProvider", DELAYS, ["qat", "pollDelay"]),
    ("1.21.0", "privateKeyProvider", DELAYS, ["qat", "pollDelay", "fallback"]),
)


@pytest.mark.parametrize(("release", "field", "value", "names"), NESTED)
def test_a_release_has_its_nested_fields(
    release: str, field: str, value: Object, names: list[str]
) -> None:
    schema = protojson.schema(releases.parse_release(release))
    read = object_at(protojson.decode_message(schema, PROXY_CONFIG, {field: value}), field)

    assert [*read, *object_at(read, "qat")] == names


def test_the_last_declared_member_of_a_oneof_wins() -> None:
    given: Object = {"tracing": {"datadog": {"address": "b:2"}, "zipkin": {"address": "a:1"}}}

    assert protojson.decode_message(NEWEST, PROXY_CONFIG, given) == {
        "tracing": {"datadog": {"address": "b:2"}}
    }


def test_concurrency_is_a_plain_number_in_old_releases() -> None:
    old, new = (protojson.schema(releases.profile(minor)) for minor in (0, 8))
    given: Object = {"concurrency": 0}

    assert (
        protojson.normalize(old, PROXY_CONFIG, protojson.decode_message(old, PROXY_CONFIG, given))
        == {}
    )
    assert (
        protojson.normalize(new, PROXY_CONFIG, protojson.decode_message(new, PROXY_CONFIG, given))
        == given
    )


FORMAT: Object = {"labels": {"a": {"b": [1, None]}}}
LOGGED: Object = {
    "extensionProviders": [{"name": "a", "envoyFileAccessLog": {"logFormat": FORMAT}}]
}
MESH_READ: tuple[tuple[Object, Object], ...] = (
    (LOGGED, LOGGED),
    ({"localityLbSetting": {"distribute": [{"to": {"a": None, "b": "5"}}]}},
     {"localityLbSetting": {"distribute": [{"to": {"a": 0, "b": 5}}]}}),
    ({"configSources": [{"subscribedResources": [None, "SERVICE_REGISTRY"]}, None]},
     {"configSources": [{"subscribedResources": ["SERVICE_REGISTRY", "SERVICE_REGISTRY"]}, {}]}),
    ({"extensionProviders": [{"opencensus": {"context": [None, "B3"]}}]},
     {"extensionProviders": [{"opencensus": {"context": ["UNSPECIFIED", "B3"]}}]}),
)  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), MESH_READ)
def test_a_mesh_message_is_decoded(given: Object, expected: Object) -> None:
    assert protojson.decode_message(NEWEST, protojson.MESH_CONFIG, given) == expected


def test_a_struct_is_an_object() -> None:
    given: Object = {"extensionProviders": [{"envoyFileAccessLog": {"logFormat": {"labels": 5}}}]}

    with pytest.raises(MessageError, match=r"of type structpb\.Struct"):
        protojson.decode_message(NEWEST, protojson.MESH_CONFIG, given)
