"""Kinds of change: operations and paths, with the names that injection added and without values."""

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.kube.patch.kinds import compute_kind, find_changes

APP: JSON = {"name": "app", "env": [{"name": "A", "value": "secret"}]}
POD: JSON = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [APP]}}


def pod(*containers: JSON, **fields: JSON) -> JSON:
    return {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": list(containers), **fields}}


PROXY: JSON = {"name": "istio-proxy", "image": "proxy:1"}
CASES: tuple[tuple[str, JSON, JSON, tuple[str, ...]], ...] = (
    ("equal", pod(APP), pod(dict(APP)), ()),  # pyright: ignore[reportArgumentType]
    (
        "an added container",
        pod(APP, PROXY),
        pod(APP, {"name": "istio-proxy", "image": "proxy:2", "args": ["a"]}),
        (
            "add spec.containers[istio-proxy].args",
            "replace spec.containers[istio-proxy].image",
        ),
    ),
    (
        "a container of the author, which has no name in the log",
        pod(APP),
        pod(
            {"name": "app", "env": [{"name": "A", "value": "other"}, {"name": "DD", "value": "x"}]}
        ),
        ("add spec.containers[*].env[DD]", "replace spec.containers[*].env[*].value"),
    ),
    ("a new container", pod(APP), pod(APP, PROXY), ("add spec.containers[istio-proxy]",)),
    ("a removed container", pod(APP, PROXY), pod(APP), ("remove spec.containers[istio-proxy]",)),
    ("another order", pod(APP, PROXY), pod(PROXY, APP), ("move spec.containers",)),
    ("a list of values", pod(APP, a=["x"]), pod(APP, a=["y"]), ("replace spec.a",)),
    ("equal lists of values", pod(APP, a=["x"]), pod(APP, a=["x"]), ()),
    ("repeated names", pod(APP, APP), pod(APP), ("replace spec.containers",)),
    ("another type", pod(APP, a=1), pod(APP, a="1"), ("replace spec.a",)),
    ("true is not 1", pod(APP, a=True), pod(APP, a=1), ("replace spec.a",)),
    ("a null", pod(APP, a=None), pod(APP), ("remove spec.a",)),
    (
        "a key with a slash",
        {"metadata": {"annotations": {}}},
        {"metadata": {"annotations": {"example.com/a": "secret"}}},
        ("add metadata.annotations[example.com/a]",),
    ),
    ("a key that is no name", {"a": {}}, {"a": {"secret key\n": 1}}, ("add a[*]",)),
    (
        "a name that is no name",
        {"a": []},
        {"a": [{"name": "two words; and more"}]},
        ("add a[*]",),
    ),
    (
        "mounts by path",
        {"m": [{"mountPath": "/a", "name": "v"}, {"mountPath": "/b", "name": "v"}]},
        {"m": [{"mountPath": "/a", "name": "w"}, {"mountPath": "/b", "name": "v"}]},
        ("replace m[/a].name",),
    ),
    ("the complete object", {"a": 1}, [], ("replace /",)),
)


@pytest.mark.parametrize(("name", "before", "after", "lines"), CASES, ids=[c[0] for c in CASES])
def test_lines(name: str, before: JSON, after: JSON, lines: tuple[str, ...]) -> None:
    assert find_changes(POD, before, after) == lines, name


def test_no_line_has_a_value() -> None:
    for _, before, after, _ in CASES:
        assert "secret" not in " ".join(find_changes(POD, before, after))


def test_the_kind_does_not_depend_on_values_and_order() -> None:
    first = find_changes(POD, pod(APP, PROXY), pod(APP, {"name": "istio-proxy", "image": "2"}))
    other = find_changes(POD, pod(APP, PROXY), pod(APP, {"name": "istio-proxy", "image": "3"}))
    assert compute_kind(first) == compute_kind(other)
    assert compute_kind(["b", "a"]) == compute_kind(["a", "b"]) == "7e18f737311b"
    assert compute_kind(["a"]) != compute_kind(["b"])


def test_ignored_lines_are_left_out() -> None:
    lines = frozenset({"replace spec.a"})
    assert find_changes(POD, pod(a=1, b=1), pod(a=2, b=2), lines) == ("replace spec.b",)
