"""The key rollout of the policy document: all errors, separately; and the law of promotion."""

from collections.abc import Iterator
from random import Random

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core import policy
from podgraft.core.policy import Policy
from podgraft.core.policy.rollout import BucketUnit, Needs, Rollout, RolloutMode
from podgraft.core.policy.rollout_reader import make_promoted
from podgraft.kube import yaml
from support.effort import scaled

DIGEST = "sha256:" + "41ab" * 16
WHOLE = f"""
bundle: sha256:{"9f2c" * 16}
policy: enabled
features: {{platform: openshift, env: {{A: "1"}}}}
rollout:
  id: 2026-11-22
  mode: share
  share: 5
  clusters: {{dev: 100, prod-eu: 0.29}}
  by: namespace
  candidate: {{bundle: "{DIGEST}", istioRelease: "1.31", features: {{platform: ""}}}}
  needs: {{reviews: 200, workloads: 10, minutes: 15}}
  reason: probes of gRPC services
"""


def parse_rollout(text: str) -> Rollout:
    rollout = policy.parse(text).rollout
    assert rollout is not None
    return rollout


def test_every_key_is_read() -> None:
    candidate = Policy(
        bundle=DIGEST,
        policy="enabled",
        istio_release="1.31",
        features=policy.Features(platform="", env={"A": "1"}),
    )
    assert parse_rollout(WHOLE) == Rollout(
        id="2026-11-22",
        mode=RolloutMode.SHARE,
        share=5,
        clusters={"dev": 100, "prod-eu": 0.29},
        by=BucketUnit.NAMESPACE,
        candidate=candidate,
        needs=Needs(reviews=200, workloads=10, minutes=15),
        reason="probes of gRPC services",
    )


def test_defaults() -> None:
    found = parse_rollout("rollout: {id: a, mode: shadow, candidate: {policy: enabled}}")
    assert (found.share, found.clusters, found.by) == (0, {}, BucketUnit.WORKLOAD)
    assert (found.needs, found.reason) == (Needs(), "")


@pytest.mark.parametrize("text", ["", "policy: enabled", "rollout:", "rollout: null"])
def test_a_document_can_have_no_rollout(text: str) -> None:
    found = policy.parse(text)
    assert (found.rollout, found.rollout_errors) == (None, ())


VALID: Object = {"id": "a", "mode": "share", "candidate": {"policy": "enabled"}}
PERCENTAGE = "use a number from 0 to 100 with at most two decimals"
ID = 'use at most 63 lower-case letters, digits, "-", and "."'
ERRORS: tuple[tuple[str, str], ...] = (
    ("id: null", "/rollout/id: is missing; name the attempt, for example 2026-11-22-probes"),
    ("mode: null", "/rollout/mode: is missing; use shadow, share, or paused"),
    ("candidate: null", "/rollout/candidate: is missing; add the keys that differ"),
    ("id: Hotfix 1", f'/rollout/id: got "Hotfix 1"; {ID}'),
    ("id: -a", f'/rollout/id: got "-a"; {ID}'),
    ("id: a.", f'/rollout/id: got "a."; {ID}'),
    (f"id: {'a' * 64}", f'/rollout/id: got "{"a" * 59}…; {ID}'),
    ("id: 5", f"/rollout/id: got 5; {ID}"),
    ("mode: canary", '/rollout/mode: got "canary"; use shadow, share, or paused'),
    ("mode: [share]", '/rollout/mode: got ["share"]; use shadow, share, or paused'),
    ("share: 0.001", f"/rollout/share: got 0.001; {PERCENTAGE}"),
    ("share: -1", f"/rollout/share: got -1; {PERCENTAGE}"),
    ("share: 100.01", f"/rollout/share: got 100.01; {PERCENTAGE}"),
    ("share: true", f"/rollout/share: got true; {PERCENTAGE}"),
    ("share: 5 %", f'/rollout/share: got "5 %"; {PERCENTAGE}'),
    ("clusters: {dev: 101}", f"/rollout/clusters/dev: got 101; {PERCENTAGE}"),
    (
        "clusters: [dev]",
        (
            "/rollout/clusters: expected a mapping, got a list; "
            "write key: value, one a line, or {} for none"
        ),
    ),
    ("by: pod", '/rollout/by: got "pod"; use workload or namespace'),
    ("candidate: {}", "/rollout/candidate: must not be empty; add the keys that differ"),
    (
        "candidate: {clusters: {}}",
        (
            "/rollout/candidate/clusters: unsupported key; "
            "remove it, the candidate is the same for all clusters"
        ),
    ),
    (
        "candidate: {rollout: {}}",
        (
            "/rollout/candidate/rollout: unsupported key; "
            "remove it, the candidate is the same for all clusters"
        ),
    ),
    (
        "candidate: {revision: null}",
        "/rollout/candidate/revision: must not be null; write the default value",
    ),
    (
        "candidate: {features: {platform: null}}",
        "/rollout/candidate/features/platform: must not be null; write the default value",
    ),
    (
        "candidate: {bundle: 5}",
        "/rollout/candidate/bundle: got 5; use sha256: and 64 hexadecimal digits",
    ),
    ("candidate: {polcy: a}", "/rollout/candidate/polcy: unknown key; did you mean policy?"),
    ("needs: {reviews: -1}", "/rollout/needs/reviews: got -1; use an integer of 0 or more"),
    ("needs: {reviews: 0.5}", "/rollout/needs/reviews: got 0.5; use an integer of 0 or more"),
    ("needs: {workloads: true}", "/rollout/needs/workloads: got true; use an integer of 0 or more"),
    (
        "needs: {minutes: 10081}",
        "/rollout/needs/minutes: got 10081; use an integer from 0 to 10080",
    ),
    (
        "needs: {owners: 1}",
        "/rollout/needs/owners: unknown key; supported keys: reviews, workloads, minutes",
    ),
    (
        f"reason: {'a' * 201}",
        "/rollout/reason: must be one line of at most 200 characters; write a shorter reason",
    ),
    (
        'reason: "a\\nb"',
        "/rollout/reason: must be one line of at most 200 characters; write a shorter reason",
    ),
    ("shares: 5", "/rollout/shares: unknown key; did you mean share?"),
)


@pytest.mark.parametrize(("change", "error"), ERRORS, ids=str)
def test_an_error_is_separate_from_those_of_the_document(change: str, error: str) -> None:
    override = yaml.load(change)
    assert isinstance(override, dict)
    rollout: Object = {**VALID, **override}
    text = yaml.dump({"policy": "enabled", "rollout": rollout})
    found = policy.parse(text)
    assert list(map(str, found.rollout_errors)) == [error]
    assert (found.rollout, found.policy) == (None, "enabled")


def test_all_errors_are_reported() -> None:
    found = policy.parse("rollout: {id: A, mode: b, candidate: {bundle: 5, policy: 6}, share: 101}")
    assert [error.pointer for error in found.rollout_errors] == [
        "/rollout/id",
        "/rollout/mode",
        "/rollout/share",
        "/rollout/candidate/bundle",
        "/rollout/candidate/policy",
    ]


def test_a_rollout_that_is_no_mapping_is_one_error_per_missing_key() -> None:
    assert [error.pointer for error in policy.parse("rollout: 5").rollout_errors] == ["/rollout"]


def test_a_cluster_has_no_rollout() -> None:
    with pytest.raises(policy.PolicyError, match="/clusters/dev/rollout: unknown key"):
        policy.parse("clusters: {dev: {rollout: {}}}")


def test_warnings_of_the_candidate_are_warnings_of_the_document() -> None:
    text = yaml.dump({"rollout": {**VALID, "candidate": {"policy": "on"}, "clusters": {"a b": 1}}})
    found = policy.parse(text)
    assert [warning.pointer for warning in found.warnings] == [
        "/rollout/clusters/a b",
        "/rollout/candidate/policy",
    ]
    assert found.rollout_errors == ()


# The law of promotion

VALUES: dict[str, tuple[JSON, ...]] = {
    "bundle": (f"sha256:{'0f' * 32}", DIGEST),
    "policy": ("enabled", "disabled"),
    "revision": ("a", "b"),
    "istioRelease": ("1.30", "1.31"),
    "ignoredNamespaces": ([], ["shop"]),
    "injectValues": ("yaml", "strict"),
    "neverInjectSelector": ([], [{"matchLabels": {"a": "b"}}]),
    "allows": ({}, {"privileged": ["a"]}),
    "features": (
        {},
        {"platform": "openshift"},
        {"platform": "", "nativeSidecars": True},
        {"env": {"A": "b"}, "rewriteTCPProbes": False},
    ),
}


def make_keys(random: Random, chance: float) -> Object:
    return {key: random.choice(VALUES[key]) for key in VALUES if random.random() < chance}


def make_documents(count: int, seed: int = 17) -> Iterator[Object]:
    random = Random(seed)  # noqa: S311 — reproducible
    for _ in range(count):
        document = make_keys(random, 0.5)
        document["clusters"] = {name: make_keys(random, 0.4) for name in ("dev", "prod")}
        candidate = make_keys(random, 0.5) or {"policy": "enabled"}
        document["rollout"] = {**VALID, "candidate": candidate}
        yield document


def test_promotion_changes_nothing_for_pods_with_the_candidate() -> None:
    for document in make_documents(scaled(2000)):
        rollout = parse_rollout(yaml.dump(document))
        promoted = policy.parse(yaml.dump(make_promoted(document)))
        assert promoted.rollout is None
        for cluster in (None, "dev", "prod", "unknown"):
            expected = rollout.candidate.for_cluster(cluster)
            found = promoted.for_cluster(cluster)
            assert selectors_apart(found) == selectors_apart(expected)


def selectors_apart(found: Policy) -> object:
    """The fields of a policy; compiled selectors compare by identity."""
    fields = {name: getattr(found, name) for name in found.__struct_fields__}
    fields["never"] = None if found.never is None else len(found.never)
    fields["clusters"] = {name: selectors_apart(each) for name, each in found.clusters.items()}
    return fields
