"""Values that msgspec accepts also decode, and the values of real pods are such values."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.go_fixtures import load_fixture
from podgraft import kube
from podgraft.base.jsonvalue import JSON, object_at
from podgraft.golang.reflect import GoType
from podgraft.kube import decoding, usual_values
from podgraft.kube.usual_values import is_usual
from support.recorded_requests import NAMES
from support.recorded_requests import load_request as review

POD: dict[str, Any] = {
    "metadata": {
        "name": "web",
        "creationTimestamp": "2026-02-28T23:59:59Z",
        "labels": {"app": "web"},
        "managedFields": [
            {"manager": "m", "time": "2026-12-31T00:00:00Z", "fieldsV1": {"f:spec": {".": {}}}}
        ],
        "ownerReferences": [{"name": "web", "controller": True}],
    },
    "spec": {
        "nodeSelector": None,
        "terminationGracePeriodSeconds": 30,
        "securityContext": {"runAsUser": 0},
        "volumes": [{"name": "v", "emptyDir": {"medium": "", "sizeLimit": "1.5Gi"}}],
        "containers": [
            {
                "name": "web",
                "args": ["a"],
                "ports": [{"containerPort": 80}],
                "resources": {"limits": {"cpu": "100m"}, "requests": {"memory": "128Mi"}},
                "readinessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 5},
                "livenessProbe": {"tcpSocket": {"port": 80}},
                "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
            }
        ],
    },
}
OTHERS: tuple[JSON, ...] = (
    *(None, True, False, 0, -1, 2**31 - 1, 2**31, 2**63, 2**64, 10**400, 80.0, 1.5, 1e300),
    *("", "x", "80", "1e3", " 100m", "+5", ".", "1Kib", "0.0000000001", "9" * 40),
    *("2026-02-30T00:00:00Z", "2026-02-28T24:00:00Z", "2026-02-28T23:59:59.5+01:00", "0001-01-01"),
    *([], {}, [None], {"": None}, ["x"], [{}], {"name": 1}, {"Name": "x", "name": 5}, {"NAME": 5}),
)


def does_decode(type_: GoType, raw: JSON) -> bool:
    try:
        kube.decode(type_, raw)
    except kube.DecodeError:
        return False
    return True


def list_places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all members and elements."""
    keys: list[Any] = [*value] if isinstance(value, dict) else [*range(len(value))]
    places: list[tuple[Any, ...]] = []
    for key in keys:
        places.append((*path, key))
        if isinstance(value[key], dict | list):
            places += list_places(value[key], (*path, key))
    return places


def replace_at(pod: dict[str, Any], path: tuple[Any, ...], value: JSON) -> None:
    parent: Any = pod
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value


def test_what_go_rejects_is_not_usual() -> None:
    rows = [row for row in load_fixture("objects") if not row["yaml"]]
    usual = [row for row in rows if is_usual(kube.TYPES[row["type"]], row["object"])]
    assert not [row for row in usual if "error" in row]
    assert 100 < len(usual) < len(rows)


def test_every_replaced_value_that_is_usual_decodes() -> None:
    counts = {True: 0, False: 0}
    for place in list_places(POD):
        for other in OTHERS:
            pod = copy.deepcopy(POD)
            replace_at(pod, place, other)
            accepted = is_usual(kube.POD, pod)
            counts[accepted] += 1
            assert not accepted or does_decode(kube.POD, pod), (place, other)
    assert counts[True] > 400
    assert counts[False] > 500


@pytest.mark.parametrize("key", ["Name", "image2", "name "])
def test_other_keys_are_not_usual(key: str) -> None:
    assert is_usual(kube.CONTAINER, {"name": "web"})
    assert not is_usual(kube.CONTAINER, {"name": "web", key: "x"})


@given(st.from_regex(usual_values._QUANTITY, fullmatch=True))  # pyright: ignore[reportPrivateUsage]
def test_usual_quantities_decode(text: str) -> None:
    resources: JSON = {"limits": {"cpu": text}}
    assert is_usual(kube.TYPES["ResourceRequirements"], resources)
    assert does_decode(kube.TYPES["ResourceRequirements"], resources)


@given(st.from_regex(usual_values._TIME, fullmatch=True))  # pyright: ignore[reportPrivateUsage]
def test_usual_times_decode(text: str) -> None:
    assert is_usual(kube.OBJECT_META, {"creationTimestamp": text})
    assert does_decode(kube.OBJECT_META, {"creationTimestamp": text})


@pytest.mark.parametrize("text", ["1\n", "\u0661", "1 ", "", "1m2"])
def test_texts_around_a_quantity_are_not_usual(text: str) -> None:
    assert not is_usual(kube.TYPES["ResourceRequirements"], {"limits": {"cpu": text}})


def test_all_types_have_usual_values() -> None:
    for name in kube.TYPES:
        assert is_usual(kube.TYPES[name], None), name


def test_recorded_pods_are_usual() -> None:
    """Otherwise each pod would be decoded after a failed conversion."""
    pods = [object_at(review(name).review, "request", "object") for name in NAMES]
    pods = [pod for pod in pods if pod.get("kind") == "Pod" and does_decode(kube.POD, pod)]
    assert len(pods) > 10
    assert [pod for pod in pods if not is_usual(kube.POD, pod)] == []


def test_the_first_checks_do_without_msgspec(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its types take 9 ms, which the first request in an environment must not wait for."""
    asked: list[JSON] = []

    def record(_: GoType, raw: JSON) -> bool:
        asked.append(raw)
        return True

    monkeypatch.setattr(decoding, "_CHECK_COUNTS", {})
    monkeypatch.setattr(usual_values, "is_usual", record)
    for _ in range(4):
        kube.check(kube.POD, POD)
    assert not asked
    kube.check(kube.POD, POD)
    assert asked == [POD]


@pytest.mark.parametrize("seed", range(4))
def test_checks_have_the_errors_of_decoding(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same pods each time
    places = list_places(POD)
    for _ in range(200):
        pod = copy.deepcopy(POD)
        replace_at(pod, random.choice(places), random.choice(OTHERS))
        assert find_check_error(pod) == find_decode_error(pod)


def find_check_error(pod: JSON) -> str:
    try:
        kube.check(kube.POD, pod)
    except kube.DecodeError as error:
        return str(error)
    return ""


def find_decode_error(pod: JSON) -> str:
    try:
        kube.decode(kube.POD, pod)
    except kube.DecodeError as error:
        return str(error)
    return ""
