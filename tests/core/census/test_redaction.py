"""What a record contains of an object: the fields of the allow list, and tokens."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.census.redaction import (
    KeyFilter,
    ObjectTooLargeError,
    Redactor,
    has_token,
    is_token,
)
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import protojson
from podgraft.core.injectors.istio.config.proxyconfig_redaction import redact_proxy_config
from podgraft.golang.reflect import GoType, Kind
from podgraft.kube import POD

SCHEMA = protojson.schema(releases.newest())
PROXY_CONFIG = partial(redact_proxy_config, SCHEMA)
KEY = bytes(32)
KEYS = KeyFilter(frozenset({"example.com/read"}), ("*.istio.io/*",), ("secret.istio.io/*",))
MARK = "planted"
GOLDEN = Path(__file__).with_name("recorded_fields.txt")


def redact(value: Object, keys: KeyFilter = KEYS) -> Object:
    return Redactor(KEY, keys, PROXY_CONFIG).redact(value)


def fill(type_: GoType, path: tuple[str, ...] = ()) -> JSON:
    """A value of a Go type with a mark in every string, also in an unknown field."""
    match type_.kind:
        case Kind.POINTER if type_.elem:
            return fill(type_.elem, path)
        case Kind.SLICE if type_.elem:
            return [fill(type_.elem, (*path, "list"))]
        case Kind.MAP if type_.elem:
            return {"key": fill(type_.elem, (*path, "map"))}
        case Kind.STRUCT if type_.name not in {"v1.Time", "resource.Quantity"}:
            if type_.name == "intstr.IntOrString" or len(path) > 14:
                return 1
            members: Object = {"unknownField": f"{MARK}-{'-'.join(path)}-unknown"}
            for field in type_.fields:
                if field.inline:
                    inner = fill(field.type, path)
                    members |= inner if isinstance(inner, dict) else {}
                else:
                    members[field.json] = fill(field.type, (*path, field.json))
            return members
        case Kind.STRING:
            return f"{MARK}-{'-'.join(path)}"
        case _:
            return 1


def find_marks(value: JSON, path: str = "") -> set[str]:
    """The paths of the strings that were not replaced."""
    match value:
        case str():
            return {path} if MARK in value else set()
        case dict():
            return {p for key, each in value.items() for p in find_marks(each, f"{path}.{key}")}
        case list():
            return {p for each in value for p in find_marks(each, f"{path}[]")}
        case _:
            return set()


def test_only_the_fields_of_the_golden_list_remain(request: pytest.FixtureRequest) -> None:
    """Every string of every field of a pod is planted, also in unknown fields."""
    pod: Any = fill(POD)
    pod |= {"apiVersion": "v1", "kind": "Pod"}
    pod["metadata"]["labels"] = {"key": MARK, "example.com/read": MARK}
    pod["metadata"]["annotations"] = {"key": MARK, "a.istio.io/b": MARK}
    remaining = "".join(f"{path}\n" for path in sorted(find_marks(redact(pod))))
    if request.config.getoption("--update-goldens"):
        GOLDEN.write_text(remaining)
    assert remaining == GOLDEN.read_text()


def test_no_value_reference_and_free_text_is_in_the_golden_list() -> None:
    paths = GOLDEN.read_text().splitlines()
    for fragment in (
        *("unknownField", "httpHeaders[].value", ".command", ".args", "secretRef", "secretKeyRef"),
        *("secret.", "configMap", "imagePullSecrets", "hostAliases", "dnsConfig", "status"),
        *("workingDir", ".exec", "claimName", "hostname", "volumeAttributes", "annotations.key"),
    ):
        assert not [path for path in paths if f".{path}".find(fragment) >= 0], fragment


@pytest.mark.parametrize(
    ("key", "value", "remains"),
    [
        ("example.com/read", "8080", True),
        ("example.com/read", "two words, and é", False),
        ("example.com/read", "x" * 300, False),
        ("example.com/other", "8080", False),
        ("a.istio.io/inject", "true", True),
        ("secret.istio.io/inject", "true", False),
        ("sidecar.istio.io/inject", "False", True),
        ("sidecar.istio.io/inject", "my-password", False),
        ("example.com/other", "", True),
        ("example.com/read", "pgt-0123456789abcdef", False),  # a token of an author is no token
    ],
)
def test_a_value_remains_if_its_key_is_read_and_it_looks_like_a_name(
    key: str, value: str, remains: bool
) -> None:
    for kind in ("labels", "annotations"):
        redacted: Any = redact({"kind": "Pod", "metadata": {kind: {key: value}}, "spec": {}})
        found = redacted["metadata"][kind][key]
        assert (found == value) is remains
        assert remains or is_token(found)


def redact_config(text: str) -> str:
    pod: Object = {
        "kind": "Pod",
        "metadata": {"annotations": {"proxy.istio.io/config": text}},
        "spec": {},
    }
    redacted: Any = redact(pod)["metadata"]
    return redacted["annotations"]["proxy.istio.io/config"]


@pytest.mark.parametrize(
    "text",
    [
        "proxyMetadata: {A: planted}",
        "proxy_metadata: {A: planted}",
        "runtime_values: {a: planted}",
        'tracing: {lightstep: {address: "x:1", accessToken: planted}}',
        'tracing: {lightstep: {address: "x:1", access_token: planted}}',
        "tracing: {customTags: {a: {literal: {value: planted}}}}",
        "tracing: {custom_tags: {a: {header: {name: n, default_value: planted}}}}",
        "tracing: {zipkin: {address: 'http://user:planted@zipkin:9411'}}",
        "zipkinAddress: 'zipkin:9411/?key=planted'",
        "{proxyMetadata: {A: &a planted}, binaryPath: *a, caCertificatesPem: [*a]}",
        "{proxyMetadata: &m {A: planted}, runtimeValues: {<<: *m}}",
        "proxyMetadata: {A: planted}\n---\nconcurrency: 1",
        "proxyMetadata: [planted]",
        "unknownField: planted",
    ],
)
def test_no_spelling_records_a_secret_of_the_proxy(text: str) -> None:
    assert MARK not in redact_config(text).replace('"binaryPath":"planted"', "")


def fill_message(name: str, spelling: str, depth: int = 0) -> Object:
    """A message with a mark in every text."""
    message: Object = {}
    for field in SCHEMA.type(name).fields if depth < 6 else ():
        value: JSON
        if field.type in protojson.MESSAGES:
            value = fill_message(field.type, spelling, depth + 1)
        elif field.type == "string":
            value = f"{MARK} {field.name}"
        else:
            continue
        shapes: dict[str, JSON] = {"[]": [value], "map[string]": {"key": value}}
        message[getattr(field, spelling)] = shapes.get(field.shape, value)
    return message


@pytest.mark.parametrize("spelling", ["name", "json"])
def test_a_new_field_of_the_proxy_is_a_secret(spelling: str) -> None:
    """Texts with spaces are on no list, so nothing of a filled message remains."""
    text = redact_config(json.dumps(fill_message(protojson.PROXY_CONFIG, spelling)))
    assert MARK not in text
    assert has_token(text)
    # Without the form of an address, the allow list alone decides.
    plain = redact_config(
        json.dumps(fill_message(protojson.PROXY_CONFIG, spelling)).replace(f"{MARK} ", f"{MARK}-")
    )
    assert set(re.findall(rf"{MARK}-(\w+)", plain)) == {
        *("address", "availability_zone", "binary_path", "config_path", "custom_config_file"),
        *("discovery_address", "envoy_metrics_service_address", "image_type"),
        *("proxy_bootstrap_template_path", "service_cluster", "statsd_udp_address"),
        "zipkin_address",
    }


def test_other_fields_of_the_proxy_are_recorded() -> None:
    text = (
        "concurrency: 2\ndrain_duration: 5s\ninterceptionMode: TPROXY\n"
        'tracing: {zipkin: {address: "zipkin.obs:9411"}, sampling: 12.5}\n'
        "holdApplicationUntilProxyStarts: true\n"
    )
    assert json.loads(redact_config(text)) == {
        "concurrency": 2,
        "drainDuration": "5s",
        "interceptionMode": "TPROXY",
        "tracing": {"zipkin": {"address": "zipkin.obs:9411"}, "sampling": 12.5},
        "holdApplicationUntilProxyStarts": True,
    }


def test_free_text_of_the_proxy_configuration_is_redacted() -> None:
    text = "concurrency: 2\nproxyMetadata: {PASSWORD: planted}\nimage: {imageType: distroless}\n"
    pod: Object = {
        "kind": "Pod",
        "metadata": {"annotations": {"proxy.istio.io/config": text, "a.istio.io/b": '{"a": "x"}'}},
        "spec": {},
    }
    annotations: Any = redact(pod)["metadata"]
    config = annotations["annotations"]["proxy.istio.io/config"]
    assert '"concurrency":2' in config
    assert '"imageType":"distroless"' in config
    assert MARK not in config
    assert has_token(config)
    assert has_token(annotations["annotations"]["a.istio.io/b"])


NETWORKS = "k8s.v1.cni.cncf.io/networks"
VOLUMES = "sidecar.istio.io/userVolume"
MOUNTS = "sidecar.istio.io/userVolumeMount"


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (NETWORKS, "net-a, ns/net-b", "net-a, ns/net-b"),
        (
            NETWORKS,
            [{"name": "a", "namespace": "b", "interface": "net1", "ips": [MARK], "mac": MARK}],
            [{"name": "a", "namespace": "b", "interface": "net1", "ips": ["*"], "mac": "*"}],
        ),
        (
            NETWORKS,
            [{"cni-args": {"name": MARK}, "name": [MARK]}],
            [{"cni-args": {"name": "*"}, "name": ["*"]}],
        ),
        (NETWORKS, [MARK, [MARK], {"name": "two words é"}], ["*", ["*"], {"name": "*"}]),
        (NETWORKS, {"a": MARK}, {"a": "*"}),
        (
            VOLUMES,
            {"v": {"secret": {"secretName": MARK}}, "w": {"emptyDir": {"medium": "Memory"}}},
            {"v": {"secret": {"secretName": "*"}}, "w": {"emptyDir": {"medium": "Memory"}}},
        ),
        (
            VOLUMES,
            [{"name": "v", "hostPath": {"path": MARK}}],
            [{"name": "v", "hostPath": {"path": "*"}}],
        ),
        (
            MOUNTS,
            {"v": {"mountPath": "/v", "subPath": "a", "readOnly": True, "new": MARK}},
            {"v": {"mountPath": "/v", "subPath": "a", "readOnly": True, "new": "*"}},
        ),
        (MOUNTS, [MARK], ["*"]),
        ("a.istio.io/b", [{"name": MARK, "mountPath": MARK}], [{"name": "*", "mountPath": "*"}]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_names_remain_in_annotations_with_known_elements(
    key: str, value: JSON, expected: JSON
) -> None:
    """An expected ``*`` is a token."""
    text = value if isinstance(value, str) else json.dumps(value)
    keys = KeyFilter(frozenset({NETWORKS}), ("*.istio.io/*",))
    pod: Object = {"kind": "Pod", "metadata": {"annotations": {key: text}}, "spec": {}}
    metadata: Any = Redactor(KEY, keys).redact(pod)["metadata"]
    found = metadata["annotations"][key]
    assert MARK not in found
    masked = re.sub("pgt-[0-9a-f]{16}", "*", found)
    assert (masked if isinstance(expected, str) else json.loads(masked)) == expected


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [MARK]},
        {"containers": MARK},
        {"containers": [{"ports": [{"containerPort": MARK}]}]},
        {"hostNetwork": MARK},
        {"securityContext": MARK},
        {"nodeSelector": {"key": [{"deep": f"{MARK} é"}]}},
    ],
    ids=str,
)
def test_a_string_in_the_place_of_another_type_is_redacted(spec: Object) -> None:
    assert MARK not in str(redact({"kind": "Pod", "metadata": {}, "spec": spec}))


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap", "Widget"])
def test_of_an_object_without_a_go_type_only_names_remain(kind: str) -> None:
    value: Object = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "a", "annotations": {"b": MARK}},
        "data": {"password": MARK, f"{MARK} é": "x"},
        "spec": [{"deep": [MARK]}],
    }
    redacted = redact(value)
    assert find_marks(redacted) == set()
    assert MARK not in str(redacted)
    assert (redacted["kind"], redacted["apiVersion"]) == (kind, "v1")


def pod_of_replica_set(hash_: str, suffix: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"web-{hash_}-",
            "name": f"web-{hash_}-{suffix}",
            "uid": suffix,
            "labels": {"app": "web", "pod-template-hash": hash_},
            "ownerReferences": [
                {"kind": "ReplicaSet", "name": f"web-{hash_}", "uid": suffix, "controller": True}
            ],
        },
        "spec": {
            "containers": [
                {"name": "web", "volumeMounts": [{"name": f"kube-api-access-{suffix}"}]}
            ],
            "volumes": [{"name": f"kube-api-access-{suffix}"}],
        },
    }


def test_pods_of_one_workload_have_one_record() -> None:
    first, second = redact(pod_of_replica_set("6c", "x1")), redact(pod_of_replica_set("77", "y2"))
    assert first == second
    assert "kube-api-access-00000" in str(first)


def test_tokens_compare_like_their_strings_and_need_the_key() -> None:
    redactor = Redactor(KEY, KEYS)
    assert redactor.redact_text("a") == redactor.redact_text("a") != redactor.redact_text("b")
    assert Redactor(bytes(31) + b"1", KEYS).redact_text("a") != redactor.redact_text("a")
    assert redactor.redact_text("") == ""


def test_a_large_or_deep_object_is_not_recorded() -> None:
    deep: JSON = "x"
    for _ in range(70):
        deep = [deep]
    large: JSON = ["x"] * 30_000  # pyright: ignore[reportAssignmentType]
    values: tuple[Object, ...] = ({"a": large}, {"a": deep})
    for value in values:
        with pytest.raises(ObjectTooLargeError):
            redact(value)
