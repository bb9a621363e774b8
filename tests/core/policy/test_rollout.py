"""The selection of a rollout: golden buckets, and the laws of the formula for many workloads."""

import subprocess
from collections.abc import Mapping
from functools import cache
from itertools import combinations, pairwise

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core import policy
from podgraft.core.policy.rollout import (
    BUCKETS,
    BucketUnit,
    Rollout,
    RolloutMode,
    Track,
    compute_bucket,
    count_buckets,
)
from podgraft.kube.workload_owner import root_workload
from support.effort import IS_LONG, scaled

HOTFIX = "2026-11-22-hotfix-probes"
ENVOY = "2026-11-29-envoy"
LONGEST = ("x" * 63, "y" * 100, "z" * 63, "ReplicaSet/" + "w" * 253)
# Part of the contract: another formula would assign all workloads of a running rollout again.
GOLDEN: Mapping[tuple[str, str, str, str], int] = {
    (HOTFIX, "prod-eu", "shop", "Deployment/web"): 223,
    (HOTFIX, "prod-eu", "shop", "Deployment/cart"): 9991,
    (HOTFIX, "prod-eu", "shop", "StatefulSet/db"): 7611,
    (HOTFIX, "prod-us", "shop", "Deployment/web"): 6156,
    (ENVOY, "prod-eu", "shop", "Deployment/web"): 2960,
    (HOTFIX, "prod-eu", "batch", "CronJob/report"): 454,
    (HOTFIX, "", "default", "Pod/probe"): 5236,
    (HOTFIX, "prod-eu", "shop", ""): 5118,
    ("a", "", "", ""): 5997,
    ("a", "b", "c", "d"): 5960,
    (ENVOY, "prod-eu", "batch", "CronJob/report"): 6834,
    (ENVOY, "", "default", "Pod/probe"): 946,
    ("1.31", "dev_1", "kube-system", "DaemonSet/node-agent"): 2604,
    ("1.31", "staging", "kube-system", "DaemonSet/node-agent"): 6583,
    ("1.31", "staging", "team-a", "Rollout/api"): 8148,
    ("1.31", "staging", "team-b", "Rollout/api"): 3839,
    ("1.31", "staging", "team-a", "DeploymentConfig/front"): 7360,
    ("1.31", "staging", "team-a", "Job/migrate"): 7976,
    ("1.31", "prod", "übung", "Deployment/größe"): 2143,
    LONGEST: 1021,
}
PERCENTAGES = (
    *(0, 0.01, 0.02, 0.07, 0.1, 0.29, 0.57, 0.58, 1, 1.15, 2, 4.35, 5, 8.2, 10, 17.01),
    *range(20, 100, 5),
    *(28.99, 57.01, 64.1, 99.01, 99.5, 99.98, 99.99, 100),
)
WORKLOADS = 100_000
IDS = tuple(f"2026-11-{day:02}-attempt" for day in range(1, scaled(20, by=5) + 1))


@pytest.mark.parametrize(("names", "bucket"), GOLDEN.items(), ids=str)
def test_a_bucket_never_changes(names: tuple[str, str, str, str], bucket: int) -> None:
    assert compute_bucket(*names) == bucket


@pytest.mark.parametrize("names", GOLDEN, ids=str)
def test_a_shell_computes_the_same_bucket(names: tuple[str, str, str, str]) -> None:
    command = "printf '%s\\0%s\\0%s\\0%s' \"$@\" | sha256sum | cut -c1-16"
    shell = subprocess.run(
        ["bash", "-c", command, "bash", *names], capture_output=True, check=True, text=True
    )
    assert int(shell.stdout, 16) % BUCKETS == compute_bucket(*names)


def test_half_a_surrogate_pair_has_a_bucket() -> None:
    assert 0 <= compute_bucket("a", "b", "\ud800", "d") < BUCKETS


def test_each_percentage_selects_its_buckets_exactly() -> None:
    for hundredths in range(10_001):
        assert count_buckets(hundredths / 100) == hundredths
        assert count_buckets(float(f"{hundredths / 100:.2f}")) == hundredths


@cache
def buckets(id_: str) -> tuple[int, ...]:
    """The buckets of 100,000 workloads in 40 namespaces of 5 clusters."""
    return tuple(
        compute_bucket(id_, f"cluster-{n % 5}", f"team-{n % 40}", f"Deployment/app-{n}")
        for n in range(WORKLOADS)
    )


def make_rollout(id_: str = HOTFIX, share: float = 5, **keys: object) -> Rollout:
    fields = {"id": id_, "mode": RolloutMode.SHARE, "share": share, "candidate": policy.Policy()}
    return Rollout(**{**fields, **keys})  # pyright: ignore[reportArgumentType]


def test_the_pods_of_a_workload_share_a_bucket() -> None:
    """Sticky: neither names and hashes of pods nor the order of keys matter."""
    rollout = make_rollout()
    for number in range(scaled(WORKLOADS, by=20)):
        name, hash_ = f"app-{number}", f"{number:x}"
        owner: Object = {"kind": "ReplicaSet", "name": f"{name}-{hash_}", "controller": True}
        pods: list[Object] = [
            {
                "generateName": f"{name}-{hash_}-",
                "labels": {"pod-template-hash": hash_},
                "ownerReferences": [owner],
            },
            {
                "ownerReferences": [dict(reversed(owner.items()))],
                "labels": {"pod-template-hash": hash_, "app": "web"},
                "generateName": f"{name}-{hash_}-",
                "name": f"{name}-{hash_}-x7k2p",
            },
        ]
        roots = {root_workload("Pod", pod) for pod in pods}
        assert roots == {f"Deployment/{name}"}
        found = {rollout.find_bucket("dev", "shop", root) for root in roots}
        assert found == {compute_bucket(HOTFIX, "dev", "shop", f"Deployment/{name}")}


def test_a_higher_percentage_never_removes_a_workload() -> None:
    rollouts = [make_rollout(share=p) for p in sorted(PERCENTAGES)[:: 1 if IS_LONG else 4]]
    selected = [
        {n for n, bucket in enumerate(buckets(HOTFIX)) if rollout.selects(bucket, "c")}
        for rollout in rollouts
    ]
    assert all(lower <= higher for lower, higher in pairwise(selected))
    if IS_LONG:
        assert all(a <= b for a, b in combinations(selected, 2))


def test_a_percentage_selects_its_part_of_any_workloads() -> None:
    """Uniform: chi-squared over 100 cells is below the 0.999 quantile for 99 degrees of freedom."""
    for id_ in IDS:
        cells = [0] * 100
        for bucket in buckets(id_):
            cells[bucket // 100] += 1
        expected = WORKLOADS / 100
        assert sum((cell - expected) ** 2 / expected for cell in cells) < 148.23


def test_two_rollouts_select_independently() -> None:
    """The overlap at 5 % is within five standard deviations of 0.25 %."""
    chance = 0.05**2
    deviation = (WORKLOADS * chance * (1 - chance)) ** 0.5
    for first, second in list(combinations(IDS, 2))[:60]:
        pairs = zip(buckets(first), buckets(second), strict=True)
        overlap = sum(1 for left, right in pairs if left < 500 and right < 500)
        assert abs(overlap - WORKLOADS * chance) < 5 * deviation


@pytest.mark.parametrize(
    ("cluster", "expected"), [("dev", 100), ("prod-eu", 0), ("prod-us", 5), (None, 5)]
)
def test_a_cluster_can_have_another_percentage(cluster: str | None, expected: float) -> None:
    rollout = make_rollout(clusters={"dev": 100, "prod-eu": 0})
    assert rollout.percentage(cluster) == expected
    assert [rollout.selects(bucket, cluster) for bucket in (0, 499, 500, 9999)] == [
        bucket < expected * 100 for bucket in (0, 499, 500, 9999)
    ]


def test_workloads_of_a_namespace_can_change_together() -> None:
    rollout = make_rollout(by=BucketUnit.NAMESPACE)
    found = {rollout.find_bucket("prod-eu", "shop", f"Deployment/{n}") for n in range(9)}
    assert found == {5118}


@pytest.mark.parametrize(
    ("value", "mode", "share", "track"),
    [
        (f"{HOTFIX}/candidate", RolloutMode.SHARE, 5, Track.CANDIDATE),
        (f"{HOTFIX}/stable", RolloutMode.SHARE, 5, Track.STABLE),
        (f"{HOTFIX}/candidate", RolloutMode.PAUSED, 5, Track.CANDIDATE),
        (f"{HOTFIX}/candidate", RolloutMode.SHADOW, 5, None),
        (f"{HOTFIX}/candidate", RolloutMode.SHARE, 0, None),
        (f"{ENVOY}/candidate", RolloutMode.SHARE, 5, None),
        (f"{HOTFIX}/Candidate", RolloutMode.SHARE, 5, None),
        (f"{HOTFIX}/candidate/", RolloutMode.SHARE, 5, None),
        ("candidate", RolloutMode.SHARE, 5, None),
        (["candidate"], RolloutMode.SHARE, 5, None),
        (None, RolloutMode.SHARE, 5, None),
    ],
    ids=str,
)
def test_an_annotation_selects_the_track_of_a_second_pass(
    value: str, mode: RolloutMode, share: float, track: Track | None
) -> None:
    rollout = make_rollout(share=share, mode=mode)
    assert rollout.find_track({"annotations": {policy_annotation(): value}}, "c") is track


def policy_annotation() -> str:
    return "podgraft.dev/rollout"


@pytest.mark.parametrize("metadata", [{}, {"annotations": None}, {"annotations": []}], ids=str)
def test_a_pod_without_the_annotation_is_new(metadata: Object) -> None:
    assert make_rollout().find_track(metadata, "c") is None
