"""What a result must not contain."""

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core.trial.flaws import find_flaws, is_image_reference

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    "image",
    [
        "nginx",
        "nginx:1.25",
        "library/nginx",
        "docker.io/istio/proxyv2:1.30.3",
        "localhost:5000/a/b_c/d__e/f--g:Tag_1.2-x",
        "[2001:db8::1]:5000/a",
        f"gcr.io/a/b@{DIGEST}",
        f"gcr.io/a/b:1@{DIGEST}",
        "Registry.Example.com/app",
    ],
)
def test_images_that_runtimes_accept(image: str) -> None:
    assert is_image_reference(image)


@pytest.mark.parametrize(
    "image",
    [
        "",
        " ",
        "/proxyv2:1",
        "a/",
        "a//b",
        "a:",
        "a b",
        "a:b:c",
        "App",
        "a/B",
        "a@sha256:12",
        "<no value>/proxyv2:1",
        "https://a/b",
        "a:1\n",
    ],
)
def test_images_that_no_runtime_accepts(image: str) -> None:
    assert not is_image_reference(image)


def test_flaws_of_the_original_object_are_not_reported() -> None:
    spec = {"containers": [{"name": "a", "image": "A"}]}
    before = {"kind": "Pod", "metadata": {"annotations": {"a": "<nil>"}}, "spec": spec}
    assert not [*find_flaws(before, before)]  # pyright: ignore[reportArgumentType]
    after = {**before, "metadata": {"annotations": {"a": "<nil>", "b": "x <nil> y"}}}
    (flaw,) = find_flaws(before, after)  # pyright: ignore[reportArgumentType]
    assert flaw.path == "/metadata/annotations/b"


SIDECAR: Object = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}
APP: Object = {"name": "web", "image": "web:1"}


def make_pod(*init_containers: Object) -> Object:
    return {"kind": "Pod", "spec": {"initContainers": [*init_containers], "containers": [APP]}}


@pytest.mark.parametrize(
    ("container", "is_broken"),
    [
        (SIDECAR, False),
        ({**SIDECAR, "image": "proxy:2"}, False),
        ({"name": "proxy", "image": "proxy:1"}, True),
        ({**SIDECAR, "restartPolicy": None}, True),
        ({**SIDECAR, "restartPolicy": "Never"}, True),
    ],
)
def test_a_native_sidecar_that_becomes_an_init_container_is_a_flaw(
    container: Object, is_broken: bool
) -> None:
    before = make_pod({"name": "wait", "image": "wait:1"}, SIDECAR)
    after = make_pod({"name": "wait", "image": "wait:1"}, container)
    flaws = [flaw.problem for flaw in find_flaws(before, after)]

    assert flaws == (
        ["removes restartPolicy: Always of the native sidecar proxy, so the pod never starts"]
        if is_broken
        else []
    )
