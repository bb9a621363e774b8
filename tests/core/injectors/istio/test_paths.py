"""The environment in URL paths, form by form and release by release."""

from __future__ import annotations

import pytest

from podgraft.core.injectors.istio import injector, releases

CLUSTER, NETWORK = "ISTIO_META_CLUSTER_ID", "ISTIO_META_NETWORK"

CASES: tuple[tuple[str, str, dict[str, str]], ...] = (
    # Keys and values between slashes
    ("1.30", "", {}),
    ("1.30", "/", {}),
    ("1.30", "cluster/c1/net/n1", {CLUSTER: "c1", NETWORK: "n1"}),
    ("1.30", "cluster/c1/", {CLUSTER: "c1"}),
    ("1.30", "rootpage/--slash--foo--slash--bar", {"ROOTPAGE": "/foo/bar"}),
    ("1.30", "cluster", {}),
    ("1.30", "cluster/c1/net", {CLUSTER: "c1"}),
    ("1.30", "/x/a/y", {"A": "y"}),
    ("1.30", "a/1/A/2", {"A": "2"}),
    ("1.30", "a//b/2", {"A": "", "B": "2"}),
    # The older form
    ("1.30", ":ENV:net=n1:ENV:cluster=c1:ENV:rootpage=/foo/bar", {
        NETWORK: "n1", CLUSTER: "c1", "ROOTPAGE": "/foo/bar",
    }),
    ("1.30", ":ENV:a=:ENV:b:ENV:=c:ENV:d=e=f", {"A": "", "D": "e=f"}),
    # Older releases
    ("1.14", "rootpage/--slash--foo", {"ROOTPAGE": "--slash--foo"}),
    ("1.10", ":ENV:net=n1", {NETWORK: "n1"}),
    ("1.9", ":ENV:net=n1/x", {":ENV:NET=N1": "x"}),
    ("1.0", "cluster/c1", {}),
)  # fmt: skip


@pytest.mark.parametrize(("release", "tail", "expected"), CASES)
def test_a_path_sets_variables(release: str, tail: str, expected: dict[str, str]) -> None:
    assert injector.parse_environment(releases.parse_release(release), tail) == expected
