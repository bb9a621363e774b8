"""The check of a patched pod, which omits what it has checked before."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from podgraft import kube
from podgraft.kube import decoding
from podgraft.kube.decode_errors import DecodeError

POD: dict[str, Any] = {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}


@pytest.fixture(autouse=True)
def _empty_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_VALID_PATCHES", "_VALID_VALUES"):
        monkeypatch.setattr(decoding, name, decoding.LRUCache[Any, Any](limit=8))


def find_error(after: dict[str, Any], patch: bytes) -> str:
    """The error of the check, or an empty text."""
    try:
        kube.check_patched(kube.POD, POD, after, patch)
    except DecodeError as error:
        return str(error)
    return ""


def find_complete_error(after: dict[str, Any]) -> str:
    """The error of the check of all new values."""
    before: dict[str, Any] = POD
    try:
        kube.check(
            kube.POD,
            {key: decoding._added_values(before.get(key), after[key]) for key in after},  # pyright: ignore[reportPrivateUsage]
        )
    except DecodeError as error:
        return str(error)
    return ""


VARIABLES = [{"name": f"N{number}", "value": str(number)} for number in range(4)]
WRONG_VARIABLES = [{"name": "N1", "value": 5}, "text", {"name": 3}]
PROBE = {"httpGet": {"path": "/", "port": 80}}


def make_container(random: Random) -> Any:
    """A container of shared parts, of which one can be wrong."""
    container: dict[str, Any] = {
        "name": random.choice(["proxy", "init", "log"]),
        "image": random.choice(["proxy:1", "proxy:2"]),
        "env": random.sample(VARIABLES, random.randrange(4)),
    }
    if random.randrange(2):
        container["readinessProbe"] = PROBE
    match random.randrange(12):
        case 0:
            container["image"] = 7
        case 1:
            container["env"] = [*container["env"], random.choice(WRONG_VARIABLES)]
        case 2:
            container["env"] = {"name": "N1"}
        case 3:
            container["readinessProbe"] = {"httpGet": PROBE}
        case _:
            pass
    return container


@pytest.mark.parametrize("seed", range(5))
def test_earlier_pods_change_no_result(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same pods each time
    web = POD["spec"]["containers"][0]
    shared = [make_container(random) for _ in range(6)]
    failures = 0
    for number in range(300):
        added = [
            random.choice([random.choice(shared), make_container(random)])
            for _ in range(random.randrange(3))
        ]
        after = {"spec": {"containers": [web, *added], "volumes": [{"name": f"v{number % 3}"}]}}
        error = find_error(after, str(number).encode())
        assert error == find_complete_error(after)
        failures += bool(error)
    assert 20 < failures < 280


def test_only_new_parts_are_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy: dict[str, Any] = {"name": "proxy", "image": "proxy:1", "env": VARIABLES}
    web = POD["spec"]["containers"][0]
    assert not find_error({"spec": {"containers": [web, proxy]}}, b"1")
    checked: list[Any] = []

    def record(_: object, raw: object) -> None:
        checked.append(raw)

    monkeypatch.setattr(decoding, "check", record)
    other = {**proxy, "image": "proxy:2"}
    assert not find_error({"spec": {"containers": [web, other]}}, b"2")
    assert checked == [{"spec": {"containers": [{"image": "proxy:2"}]}}]
    checked.clear()
    assert not find_error({"spec": {"containers": [web, other]}}, b"2")
    assert not checked
