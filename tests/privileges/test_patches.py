"""Patches that are checked once: only those that add complete containers and plain fields."""

import json
from typing import Any

import pytest

from podgraft import bundle, policy
from podgraft.bundle import privilege_check
from podgraft.injectors import PrivilegeError
from podgraft.jsonvalue import Object
from podgraft.privileges import is_self_contained, make_settings_key
from support.store_fixture import BUNDLE

SIDE: Object = {"name": "side", "securityContext": {"privileged": True}}


def encode(*operations: tuple[str, str, Any]) -> bytes:
    names = ("op", "path", "value")
    return json.dumps([dict(zip(names, each, strict=True)) for each in operations]).encode()


@pytest.mark.parametrize(
    ("op", "path", "value"),
    [
        ("add", "/metadata/annotations/a", "b"),
        ("replace", "/metadata/labels", {}),
        ("add", "/spec/containers/1", SIDE),
        ("add", "/spec/containers/-", SIDE),
        ("add", "/spec/initContainers", [SIDE]),
        ("replace", "/spec/containers/0/env/0/value", "x"),
        ("remove", "/spec/containers/0/volumeMounts/0", None),
        ("replace", "/spec/containers/0/livenessProbe/httpGet/port", 15020),
        ("add", "/spec/volumes/0", {"name": "v", "emptyDir": {}}),
        ("add", "/spec/imagePullSecrets", []),
    ],
)
def test_a_self_contained_patch(op: str, path: str, value: object) -> None:
    assert is_self_contained(encode((op, path, value)))


@pytest.mark.parametrize(
    ("op", "path", "value"),
    [
        ("replace", "/spec", {}),
        ("replace", "/spec/containers", [SIDE]),
        ("replace", "/spec/containers/0", SIDE),
        ("remove", "/spec/containers/0", None),
        ("move", "/spec/containers/0", None),
        ("add", "/spec/containers/0/securityContext", {}),
        ("remove", "/spec/containers/0/securityContext/runAsNonRoot", None),
        ("replace", "/spec/containers/0/image", "x"),
        ("replace", "/spec/containers/0/name", "x"),
        ("add", "/spec/containers/0/ports/0", {"hostPort": 1}),
        ("add", "/spec/containers/0/lifecycle", {}),
        ("add", "/spec/containers/0/livenessProbe/httpGet/host", "h"),
        ("add", "/spec/containers/0/livenessProbe", {"httpGet": {"host": "h"}}),
        ("add", "/spec/securityContext", {}),
        ("remove", "/spec/securityContext/runAsNonRoot", None),
        ("add", "/spec/hostPID", True),
        ("remove", "/spec/hostUsers", None),
        ("replace", "/spec/serviceAccountName", "x"),
        ("add", "/spec/volumes/0", {"name": "v", "hostPath": {"path": "/"}}),
        ("add", "/spec/volumes/0", {"name": "v", "image": {"reference": "i"}}),
        ("add", "/metadata/annotations/container.apparmor.security.beta.kubernetes.io~1a", "x"),
        ("add", "/status", {}),
    ],
)
def test_a_patch_that_depends_on_the_pod(op: str, path: str, value: object) -> None:
    harmless = ("add", "/metadata/annotations/a", "b")
    assert not is_self_contained(encode(harmless, (op, path, value)))


def test_an_empty_patch() -> None:
    """The second review of an injected pod changes nothing."""
    assert not is_self_contained(b"")


def pod(*containers: Object, **spec: Any) -> Object:
    return {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [*containers], **spec}}


def make_bundle(allows: str) -> bundle.Bundle:
    return bundle.compile_(BUNDLE, policy.parse(f"allows: {allows}\n"))


def test_pods_of_one_workload_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Object] = []
    find_added = privilege_check.find_added

    def count(before: Object, after: Object) -> Any:
        compared.append(after)
        return find_added(before, after)

    monkeypatch.setattr(privilege_check, "find_added", count)
    patch = encode(("add", "/spec/containers/1", SIDE), ("add", "/metadata/labels/once", "1"))
    listed, unlisted = make_bundle("{privileged: [side]}"), make_bundle("{}")
    web: Object = {"name": "web", "image": "i"}

    def check(checked: bundle.Bundle, **spec: Any) -> None:
        privilege_check.check_patched_pod(checked, pod(web, **spec), pod(web, SIDE, **spec), patch)

    check(listed)
    check(listed)
    assert len(compared) == 1
    for _ in range(2):
        with pytest.raises(PrivilegeError):
            check(unlisted)
    check(listed, securityContext={"runAsUser": 0})
    check(make_bundle("{privileged: [side]}"))
    assert len(compared) == 5


def test_a_patch_of_own_containers_is_compared_for_each_pod() -> None:
    """One patch removes a setting that only one of the pods has."""
    checked = make_bundle("{}")
    patch = encode(("replace", "/spec/containers/0/securityContext", {"capabilities": {}}))
    after: Object = {"name": "web", "securityContext": {"capabilities": {}}}
    harmless: Object = {"name": "web", "securityContext": {"capabilities": {"drop": []}}}
    harmful: Object = {"name": "web", "securityContext": {"capabilities": {"drop": ["ALL"]}}}
    privilege_check.check_patched_pod(checked, pod(harmless), pod(after), patch)
    with pytest.raises(PrivilegeError):
        privilege_check.check_patched_pod(checked, pod(harmful), pod(after), patch)


def test_the_key_has_the_settings_that_containers_inherit() -> None:
    assert make_settings_key(pod()) == b""
    keys = {make_settings_key(pod(securityContext={"runAsUser": user})) for user in (0, 1, 2**70)}
    assert len(keys) == 3
