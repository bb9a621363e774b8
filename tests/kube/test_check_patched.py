"""The check of a patched pod, whose errors are those of the added values."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from podgraft import kube
from podgraft.kube import decoding

POD: dict[str, Any] = {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}


def find_error(after: dict[str, Any]) -> str:
    """The error of the check, or an empty text."""
    try:
        kube.check_patched(kube.POD, POD, after)
    except kube.DecodeError as error:
        return str(error)
    return ""


def find_complete_error(after: dict[str, Any]) -> str:
    """The error of all added values, without msgspec."""
    before: dict[str, Any] = POD
    try:
        kube.decode(
            kube.POD,
            {key: decoding._added_values(before.get(key), after[key]) for key in after},  # pyright: ignore[reportPrivateUsage]
        )
    except kube.DecodeError as error:
        return str(error)
    return ""


VARIABLES = [{"name": f"N{number}", "value": str(number)} for number in range(4)]
WRONG_VARIABLES = [{"name": "N1", "value": 5}, "text", {"name": 3}]
PROBE = {"httpGet": {"path": "/", "port": 80}}


def make_container(random: Random) -> Any:
    """A container, of which one part can be wrong, or right in an unusual form."""
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
        case 4:
            container["ports"] = [{"containerPort": 80.0}]
        case 5:
            container["Tty"] = "text"
        case 6:
            container["new"] = "a field of a later release"
        case _:
            pass
    return container


@pytest.mark.parametrize("seed", range(5))
def test_errors_are_those_of_the_added_values(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same pods each time
    web = POD["spec"]["containers"][0]
    failures = 0
    for number in range(300):
        added = [make_container(random) for _ in range(random.randrange(3))]
        after = {"spec": {"containers": [web, *added], "volumes": [{"name": f"v{number % 3}"}]}}
        error = find_error(after)
        assert error == find_complete_error(after)
        failures += bool(error)
    assert 20 < failures < 280


def test_shared_values_are_not_decoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pod in an unusual form has that form also after the patch."""
    checked: list[Any] = []

    def record(_: object, raw: object) -> None:
        checked.append(raw)

    monkeypatch.setattr(decoding, "decode", record)
    proxy = {"name": "proxy", "new": "a field of a later release"}
    assert not find_error({"spec": {"containers": [POD["spec"]["containers"][0], proxy]}})
    assert checked == [{"spec": {"containers": [proxy]}}]
