"""Native sidecars, and those that another webhook broke."""

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.native_sidecars import find_lost_sidecars, find_native_sidecars

NATIVE: Object = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}
LOST: Object = {"name": "proxy", "image": "proxy:1"}


def make_spec(*containers: Object) -> Object:
    elements: list[JSON] = [*containers]
    return {"initContainers": elements}


def test_native_sidecars_restart_always() -> None:
    spec = make_spec(NATIVE, {"name": "wait"}, {"name": "once", "restartPolicy": "Never"})

    assert find_native_sidecars(spec) == {"proxy"}
    assert find_native_sidecars({}) == frozenset()


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (LOST, NATIVE, ("proxy",)),
        ({**LOST, "restartPolicy": "Never"}, NATIVE, ("proxy",)),
        (NATIVE, NATIVE, ()),
        (LOST, LOST, ()),
        # the pod overrides fields of the container, before its first injection
        ({"name": "proxy", "image": "auto"}, NATIVE, ()),
        ({"name": "proxy"}, NATIVE, ()),
    ],
)
def test_a_sidecar_without_its_restart_policy_is_lost(
    before: Object, after: Object, names: tuple[str, ...]
) -> None:
    assert find_lost_sidecars(make_spec(before), make_spec(after)) == names
