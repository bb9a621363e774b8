"""Objects through Go's structs and back: Go's answers, the rules one by one, and laws."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.go_fixtures import load_fixture
from podgraft import kube
from podgraft.base.jsonvalue import JSON, equal
from podgraft.golang.reflect.values import COMPLEX128
from support.corpus import assert_corpus
from support.recorded_requests import NAMES
from support.recorded_requests import load_request as review

ROWS = load_fixture("objects")
# What sigs.k8s.io/yaml puts before the text of encoding/json.
YAML_PREFIX = "error unmarshaling JSON: while decoding JSON: "
LONG = 2**31


def _describe_row(row: dict[str, Any]) -> str:
    return f"{row['type']} {json.dumps(row['object'])}"


def test_objects_are_what_go_makes_of_them() -> None:
    assert_corpus(ROWS, name=_describe_row, expected=go_answer, actual=decode_and_encode)


def go_answer(row: dict[str, Any]) -> str:
    """Go's object or error, as a text: the order of keys counts."""
    if "error" in row:
        return str(row["error"]).removeprefix(YAML_PREFIX)
    return json.dumps(row["want"])


def decode_and_encode(row: dict[str, Any]) -> str:
    type_ = kube.TYPES[row["type"]]
    try:
        decoded = kube.decode(type_, row["object"], lenient=row["yaml"])
    except kube.DecodeError as error:
        return str(error)
    return json.dumps(kube.encode(type_, decoded))


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    type: str
    given: JSON
    want: JSON


CASES = (
    Case("unknown keys go", "Container", {"name": "a", "tunnel": 1}, {"name": "a"}),
    Case("null is absence", "PodSpec", {"nodeName": None, "hostPID": None, "affinity": None}, {}),
    Case("null is the zero value where that is printed", "EnvVar", {"name": None}, {"name": ""}),
    Case("false too", "ContainerStatus", {"ready": None}, {"ready": False}),
    Case("zero too", "HTTPGetAction", {"port": None}, {"port": 0}),
    Case("empty values go", "Container", {"image": "", "tty": False, "env": [], "args": []}, {}),
    Case(
        "empty maps go",
        "ObjectMeta",
        {"labels": {}, "annotations": {"a": ""}},
        {"annotations": {"a": ""}},
    ),
    Case("a zero behind a pointer stays", "SecurityContext", {"runAsUser": 0}, {"runAsUser": 0}),
    Case(
        "false behind a pointer stays",
        "SecurityContext",
        {"privileged": False},
        {"privileged": False},
    ),
    Case(
        "an empty struct stays",
        "Volume",
        {"name": "v", "emptyDir": {}},
        {"name": "v", "emptyDir": {}},
    ),
    Case(
        "emptyDir: null leaves its name", "Volume", {"name": "v", "emptyDir": None}, {"name": "v"}
    ),
    Case("a list without omitempty stays empty", "PodSpec", {"containers": []}, {"containers": []}),
    Case(
        "keys in any case",
        "Container",
        {"NAME": "a", "imagepullpolicy": "Always"},
        {"name": "a", "imagePullPolicy": "Always"},
    ),
    Case("the last spelling wins", "Container", {"name": "a", "Name": "b"}, {"name": "b"}),
    Case(
        "folding is one letter to one",
        "Container",
        {"naß": "a", "\u017ftdin": True},
        {"stdin": True},
    ),
    Case(
        "quantities",
        "ResourceRequirements",
        {"limits": {"cpu": "2000m", "memory": "1024Mi", "x": 2}},
        {"limits": {"cpu": "2", "memory": "1Gi", "x": "2"}},
    ),
    Case(
        "a null quantity",
        "ResourceRequirements",
        {"limits": {"cpu": None}},
        {"limits": {"cpu": "0"}},
    ),
    Case(
        "times in UTC without fraction",
        "ObjectMeta",
        {"creationTimestamp": "2024-01-01T01:00:00.5+02:00"},
        {"creationTimestamp": "2023-12-31T23:00:00Z"},
    ),
    Case("the zero time", "ObjectMeta", {"creationTimestamp": "0001-01-01T00:00:00Z"}, {}),
    Case(
        "null in lists",
        "Container",
        {"args": [None, "a"], "env": [None]},
        {"args": ["", "a"], "env": [{}]},
    ),
    Case("null in maps", "ObjectMeta", {"labels": {"a": None}}, {"labels": {"a": ""}}),
    Case(
        "whole floats, as YAML has them",
        "ContainerPort",
        {"containerPort": 80.0},
        {"containerPort": 80},
    ),
    Case(
        "ports by name and number",
        "Probe",
        {"httpGet": {"port": "http"}, "periodSeconds": 1},
        {"httpGet": {"port": "http"}, "periodSeconds": 1},
    ),
    Case(
        "fieldsV1 as they are",
        "ManagedFieldsEntry",
        {"fieldsV1": {"f:x": {}, "n": 1.0}},
        {"fieldsV1": {"f:x": {}, "n": 1.0}},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_decoding_makes_objects_canonical_and_adds_nothing(case: Case) -> None:
    assert equal(kube.decode(kube.TYPES[case.type], case.given), case.want)


def unmarshal(met: str, field: str, wanted: str) -> str:
    return f"json: cannot unmarshal {met} into Go struct field {field} of type {wanted}"


QUANTITY = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
ERRORS = (
    Case(
        "text for a port",
        "Pod",
        {"spec": {"containers": [{"ports": [{"containerPort": "x"}]}]}},
        unmarshal("string", "ContainerPort.spec.containers.ports.containerPort", "int32"),
    ),
    Case(
        "a number for an annotation",
        "ObjectMeta",
        {"annotations": {"a": 1}},
        unmarshal("number", "ObjectMeta.annotations", "string"),
    ),
    Case(
        "text for a bool",
        "Container",
        {"tty": "yes"},
        unmarshal("string", "Container.tty", "bool"),
    ),
    Case(
        "too large a number",
        "ContainerPort",
        {"containerPort": LONG},
        unmarshal("number 2147483648", "ContainerPort.containerPort", "int32"),
    ),
    Case(
        "a fraction",
        "ContainerPort",
        {"containerPort": 80.5},
        unmarshal("number 80.5", "ContainerPort.containerPort", "int32"),
    ),
    Case(
        "an object for a list",
        "PodSpec",
        {"containers": {}},
        unmarshal("object", "PodSpec.containers", "[]v1.Container"),
    ),
    Case("a list for an object", "Pod", {"spec": []}, unmarshal("array", "Pod.spec", "v1.PodSpec")),
    Case(
        "text for a bool, of a promoted field",
        "Volume",
        {"emptyDir": {"medium": True}},
        unmarshal("bool", "EmptyDirVolumeSource.VolumeSource.emptyDir.medium", "v1.StorageMedium"),
    ),
    Case(
        "a whole document",
        "Pod",
        "pod",
        "json: cannot unmarshal string into Go value of type v1.Pod",
    ),
    Case("a bool for a quantity", "ResourceRequirements", {"limits": {"cpu": True}}, QUANTITY),
    Case("a list for a quantity", "ResourceRequirements", {"limits": {"cpu": [1]}}, QUANTITY),
    Case("a long quantity", "ResourceRequirements", {"limits": {"cpu": "x" * 99}}, QUANTITY),
    Case("a quantity", "ResourceRequirements", {"limits": {"cpu": "lots"}}, QUANTITY),
    Case(
        "a quantity's suffix",
        "ResourceRequirements",
        {"limits": {"cpu": "1ki"}},
        "unable to parse quantity's suffix",
    ),
    Case(
        "a port that is neither",
        "HTTPGetAction",
        {"port": True},
        unmarshal("bool", "HTTPGetAction.port", "int32"),
    ),
    Case(
        "a port above all integers, at once",
        "HTTPGetAction",
        {"port": 1e300},
        unmarshal("number 1e+300", "HTTPGetAction.port", "int32"),
    ),
    Case(
        "a value that a key in another case of letters replaces",
        "Container",
        {"image": 1, "Image": "a"},
        unmarshal("number", "Container.image", "string"),
    ),
    Case(
        "an error that ends decoding precedes earlier errors",
        "Container",
        {"name": 1, "resources": {"limits": {"cpu": "x1"}}},
        QUANTITY,
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_invalid_types_are_reported_in_go_s_terms(case: Case) -> None:
    with pytest.raises(kube.DecodeError) as caught:
        kube.check(kube.TYPES[case.type], case.given)
    assert str(caught.value) == case.want


def test_every_fault_is_found_with_its_place() -> None:
    """Go tells one; a file's author wants all, with list indices and map keys."""
    pod: JSON = {
        "metadata": {"labels": {"a/b": 1}},
        "spec": {"containers": [{"name": "ok"}, {"name": 2, "ports": [{"hostPort": "x"}]}]},
    }
    with pytest.raises(kube.DecodeError) as caught:
        kube.check(kube.POD, pod)
    assert [fault.pointer for fault in caught.value.errors] == [
        ("metadata", "labels", "a/b"),
        ("spec", "containers", "1", "name"),
        ("spec", "containers", "1", "ports", "0", "hostPort"),
    ]


def test_only_types_of_kubernetes_decode() -> None:
    with pytest.raises(TypeError, match="complex128"):
        kube.decode(COMPLEX128, 1)


LENIENT = (
    Case(
        "numbers and bools become text",
        "Container",
        {"name": 80, "args": [1, True, 1.5, 1e6]},
        {"name": "80", "args": ["1", "true", "1.5", "1e+06"]},
    ),
    Case("in maps too", "ObjectMeta", {"labels": {"a": False}}, {"labels": {"a": "false"}}),
    Case("text stays text", "EnvVar", {"name": "x", "value": "y"}, {"name": "x", "value": "y"}),
)


@pytest.mark.parametrize("case", LENIENT, ids=lambda case: case.name)
def test_yaml_is_read_leniently(case: Case) -> None:
    assert equal(kube.decode(kube.TYPES[case.type], case.given, lenient=True), case.want)


def test_yaml_is_not_read_leniently_if_go_does_not() -> None:
    env: JSON = {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": 5, "key": "k"}}}]}
    with pytest.raises(kube.DecodeError, match="SecretKeySelector"):
        kube.decode(kube.CONTAINER, env, lenient=True)


def test_overrides_are_printed_in_the_struct_s_order_with_resources() -> None:
    """Specification 14.4: the text of the overrides annotation is compared byte for byte."""
    container: JSON = {
        "securityContext": {"runAsUser": 0},
        "readinessProbe": {"periodSeconds": 3, "tcpSocket": {"port": 1}},
        "image": "auto",
        "name": "istio-proxy",
    }
    assert json.dumps(kube.encode(kube.CONTAINER, container)) == (
        '{"name": "istio-proxy", "image": "auto", "resources": {}, '
        '"readinessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 3}, '
        '"securityContext": {"runAsUser": 0}}'
    )


@pytest.mark.parametrize("minor", [33, 34])
def test_creation_times_were_printed_as_null_once(minor: int) -> None:
    meta = kube.types(minor)["ObjectMeta"]
    assert kube.encode(meta, {"name": "a"}) == (
        {"name": "a"} | ({"creationTimestamp": None} if minor < 34 else {})
    )


def test_the_keys_of_maps_are_sorted() -> None:
    encoded = kube.encode(kube.OBJECT_META, {"labels": {"b": "", "a": "", "B": ""}})
    assert json.dumps(encoded) == '{"labels": {"B": "", "a": "", "b": ""}}'


GOOD = [row["object"] for row in ROWS if row["type"] == "Pod" and "want" in row and not row["yaml"]]


@given(st.sampled_from(GOOD))
def test_decoding_twice_changes_nothing_more(pod: JSON) -> None:
    decoded = kube.decode(kube.POD, pod)
    assert kube.decode(kube.POD, decoded) is decoded


@given(st.sampled_from(GOOD))
def test_encoding_only_adds_zero_values(pod: JSON) -> None:
    encoded = kube.encode(kube.POD, pod)
    assert kube.encode(kube.POD, encoded) == encoded
    assert kube.encode(kube.POD, kube.decode(kube.POD, pod)) == encoded


@pytest.mark.parametrize("name", NAMES)
def test_pods_from_the_api_server_are_canonical_already(name: str) -> None:
    """So nothing is copied on the way of an ordinary request."""
    request = review(name).review["request"]
    assert isinstance(request, dict)
    for pod in (request["object"], request["oldObject"]):
        if isinstance(pod, dict) and pod["kind"] == "Pod":
            assert kube.decode(kube.POD, pod) is pod
