"""Groups of clusters in a policy: which keys win, and what is invalid."""

import re
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base import jsonvalue
from podgraft.core import policy
from podgraft.core.policy import Policy, PolicyError
from podgraft.core.policy.document import Group
from podgraft.core.policy.keys import MAX_GROUPS, MAX_MEMBERS, apply_overrides

DIGEST = f"sha256:{1:064}"
NAMES = ("alpha", "beta", "gamma")
CLUSTERS = ("prod-eu-1", "prod-us-1", "staging")
NOTHING: dict[str, Any] = {}
KEYS: Any = st.fixed_dictionaries(
    NOTHING,
    optional={
        "bundle": st.sampled_from((f"sha256:{2:064}", f"sha256:{3:064}")),
        "policy": st.sampled_from(("enabled", "disabled")),
        "revision": st.sampled_from(("a", "b")),
        "istioRelease": st.sampled_from(("1.30", "1.31")),
        "defaultTemplates": st.sampled_from((list[str](), ["sidecar"])),
        "injectedAnnotations": st.sampled_from((NOTHING, {"a": "b"})),
        "neverInjectSelector": st.sampled_from((list[Any](), [{"matchLabels": {"a": "b"}}])),
        "ignoredNamespaces": st.sampled_from((list[str](), ["kube-system"])),
        "allows": st.sampled_from((NOTHING, {"presets": ["istio"]})),
        "census": st.sampled_from((NOTHING, {"sample": 5})),
        "features": st.fixed_dictionaries(
            NOTHING,
            optional={
                "nativeSidecars": st.booleans(),
                "platform": st.sampled_from(("", "openshift")),
                "env": st.sampled_from((NOTHING, {"A": "1"})),
            },
        ),
    },
)
GROUPS: Any = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(
        KEYS,
        st.integers(0, 2),
        st.lists(st.sampled_from(("prod-*", "*-1", "staging", "*")), max_size=2),
    ).map(lambda each: {**each[0], "order": each[1], "members": each[2]}),
    max_size=3,
)


def parse(document: Any) -> Policy:
    return policy.parse(jsonvalue.dump(document))


@given(
    KEYS, GROUPS, st.dictionaries(st.sampled_from(CLUSTERS), KEYS), st.sets(st.sampled_from(NAMES))
)
def test_groups_equal_explicit_overrides(
    base: Any, groups: Any, clusters: Any, registered: set[str]
) -> None:
    """The same policy, written out for each cluster without a group, has equal results."""
    grouped = parse({**base, "groups": groups, "clusters": clusters})
    for cluster in CLUSTERS:
        names = sorted(
            (
                name
                for name, fields in groups.items()
                if name in registered or any(fnmatchcase(cluster, m) for m in fields["members"])
            ),
            key=lambda name: (groups[name]["order"], name),
        )
        assert grouped.find_groups(cluster, registered) == tuple(names)
        document: Any = base
        for name in names:
            own = {k: v for k, v in groups[name].items() if k not in {"order", "members"}}
            document = apply_overrides(document, own)
        document = apply_overrides(document, clusters.get(cluster, {}))
        found = grouped.for_cluster(cluster, registered)
        assert _without_clusters(found) == parse(document)
    assert grouped.find_groups(None, registered) == ()
    assert _without_clusters(grouped.for_cluster(None, registered)) == parse(base)


def _without_clusters(found: Policy) -> Policy:
    from msgspec.structs import replace

    return replace(found, overrides={}, groups={}, warnings=())


PATTERNS = st.text("ab*-", min_size=1, max_size=8)


@given(PATTERNS, st.text("ab-", max_size=10))
def test_a_member_matches_as_a_pattern_of_a_shell(member: str, cluster: str) -> None:
    expected = re.fullmatch(re.escape(member).replace(r"\*", ".*"), cluster) is not None
    assert Group(name="ring", members=(member,)).contains(cluster) is expected


def test_a_member_with_many_stars_takes_linear_time() -> None:
    """A regular expression would backtrack."""
    assert not Group(name="ring", members=("*a" * 40 + "b",)).contains("a" * 100)


ERRORS: tuple[tuple[Any, str], ...] = (
    ({"Ring": NOTHING}, "/groups/Ring: invalid name of a group"),
    ({"ring": {"order": "1"}}, '/groups/ring/order: got "1"'),
    ({"ring": {"order": -1}}, "/groups/ring/order: got -1"),
    ({"ring": {"order": True}}, "/groups/ring/order: got true"),
    ({"ring": {"members": "prod"}}, "/groups/ring/members: expected a list"),
    ({"ring": {"members": ["a b"]}}, '/groups/ring/members/0: got "a b"'),
    ({"ring": {"members": [""]}}, '/groups/ring/members/0: got ""'),
    ({"ring": {"members": ["a"] * (MAX_MEMBERS + 1)}}, "/groups/ring/members: got 101 members"),
    ({"ring": {"policy": True}}, "/groups/ring/policy: got true"),
    ({"ring": {"clusters": NOTHING}}, "/groups/ring/clusters: unknown key"),
    ({"ring": {"groups": NOTHING}}, "/groups/ring/groups: unknown key"),
    ({"ring": 3}, "/groups/ring: expected a mapping"),
    (list[str](), "/groups: expected a mapping"),
    ({f"g{n}": NOTHING for n in range(MAX_GROUPS + 1)}, "/groups: got 101 groups"),
)


@pytest.mark.parametrize(("groups", "message"), ERRORS)
def test_an_invalid_group_is_an_error_with_its_place(groups: Any, message: str) -> None:
    with pytest.raises(PolicyError) as error:
        parse({"groups": groups})
    found = [str(each) for each in error.value.errors]
    assert len(found) == 1
    assert message in found[0]


def test_a_group_of_the_registry_alone_has_no_effect() -> None:
    """The registry can name a group before the policy of each injector has it."""
    read = parse({"groups": {"ring": {"policy": "disabled"}}})
    assert read.for_cluster("a", ("other",)) is read
    assert read.for_cluster("a", ("other", "ring")).policy == "disabled"


def test_a_share_of_a_group_counts_unless_the_cluster_has_its_own() -> None:
    rollout = {
        "id": "a",
        "mode": "share",
        "share": 1,
        "groups": {"ring-0": 100, "ring-1": 10},
        "clusters": {"b": 5},
        "candidate": {"revision": "next"},
    }
    groups = {"ring-0": {"order": 1}, "ring-1": {"order": 2}}
    read = parse({"groups": groups, "rollout": rollout})
    assert read.rollout is not None
    shares = {
        names: read.rollout.percentage("a", names)
        for names in ((), ("ring-0",), ("ring-1",), ("ring-0", "ring-1"))
    }
    assert shares == {(): 1, ("ring-0",): 100, ("ring-1",): 10, ("ring-0", "ring-1"): 10}
    assert read.rollout.percentage("b", ("ring-0",)) == 5
    assert read.rollout.percentage(None) == 1


def test_an_unknown_group_in_a_rollout_is_an_error() -> None:
    rollout = {"id": "a", "mode": "share", "candidate": {"revision": "n"}, "groups": {"rnig": 1}}
    read = parse({"groups": {"ring": {}}, "rollout": rollout})
    assert read.rollout is None
    [error] = read.rollout_errors
    assert str(error) == "/rollout/groups/rnig: unknown group; did you mean ring?"


def test_a_group_wins_against_a_candidate() -> None:
    """So a group that sets a key is outside of a rollout of this key."""
    rollout = {"id": "a", "mode": "share", "candidate": {"revision": "next", "policy": "disabled"}}
    read = parse({"groups": {"ring": {"revision": "own"}}, "rollout": rollout})
    assert read.rollout is not None
    candidate = read.rollout.candidate
    own = candidate.for_cluster("a", ("ring",))
    assert (own.revision, own.policy) == ("own", "disabled")
    assert candidate.for_cluster("a").revision == "next"


def test_a_candidate_cannot_set_groups() -> None:
    rollout: Any = {"id": "a", "mode": "share", "candidate": {"groups": {"ring": {}}}}
    [error] = parse({"rollout": rollout}).rollout_errors
    assert "/rollout/candidate/groups: unsupported key" in str(error)


def test_a_group_is_a_value() -> None:
    assert Group(name="a", members=("x-*",)).contains("x-1")
    assert not Group(name="a").contains("x-1")
