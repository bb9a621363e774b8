"""The problems of groups that policy check reports, and where explain says that keys come from."""

from typing import Any

import pytest

from podgraft.base import jsonvalue
from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.document_check import find_group_problems
from podgraft.core import policy

RING = {"order": 1, "members": ["prod-1", "prod-2"], "revision": "canary"}
CASES: tuple[tuple[str, Any, Any, list[str]], ...] = (
    ("a group alone", {"a": RING}, {}, []),
    (
        "an override that equals its group",
        {"a": RING},
        {"prod-1": {"revision": "canary"}, "prod-2": {"revision": "other"}},
        [
            (
                "/clusters/prod-1/revision: equals the value of group a; "
                "remove it, and the group decides"
            )
        ],
    ),
    (
        "a feature that equals its group",
        {"a": {"members": ["prod-*"], "features": {"platform": "openshift"}}},
        {"prod-1": {"features": {"platform": "openshift", "nativeSidecars": True}}},
        [
            (
                "/clusters/prod-1/features/platform: equals the value of group a; "
                "remove it, and the group decides"
            )
        ],
    ),
    (
        "the value of a group that loses",
        {"a": {**RING, "order": 0}, "b": {**RING, "revision": "b"}},
        {"prod-1": {"revision": "canary"}},
        [],
    ),
    (
        "two groups with the same order",
        {"a": RING, "b": {**RING, "revision": "b"}},
        {},
        [
            (
                "/groups/b/order: cluster prod-1 is in a and b, which set revision differently "
                "with the same order; give the group that wins a higher order"
            )
        ],
    ),
    ("the same value", {"a": RING, "b": RING}, {}, []),
    ("another order", {"a": RING, "b": {**RING, "order": 2, "revision": "b"}}, {}, []),
    (
        "the cluster decides",
        {"a": {**RING, "members": ["prod-1"]}, "b": {**RING, "revision": "b"}},
        {"prod-1": {"revision": "c"}},
        [],
    ),
)


@pytest.mark.parametrize(("groups", "clusters", "expected"), [c[1:] for c in CASES])
def test_problems_of_groups_have_their_place(
    groups: Any, clusters: Any, expected: list[str]
) -> None:
    read = policy.parse(jsonvalue.dump({"groups": groups, "clusters": clusters}))
    assert [str(each) for each in find_group_problems(read)] == expected


def test_each_key_states_its_origin() -> None:
    document: Any = {
        "revision": "a",
        "groups": {
            "canary": {"order": 2, "revision": "b", "features": {"platform": "x"}},
            "ring": {"members": ["prod-*"], "policy": "disabled", "revision": "c"},
        },
        "clusters": {"prod-eu-7": {"policy": "enabled"}},
    }
    read = policy.parse(jsonvalue.dump(document))
    assert read.find_origins("prod-eu-7", ("canary",)) == {
        "policy": "cluster prod-eu-7",
        "revision": "group canary",
        "features.platform": "group canary",
    }
    assert read.find_origins("staging") == {}


@pytest.mark.parametrize(
    ("documents", "text", "refused"),
    [
        (1, "groups: {a: {}}", True),
        (1, "policy: enabled", False),
        (1, "policy: 7", False),
        (2, "groups: {a: {}}", False),
    ],
)
def test_an_earlier_function_gets_no_groups(documents: int, text: str, refused: bool) -> None:
    owner = stacks.Owner(stack="s", bucket="b", bundle_prefix="bundles/", documents=documents)
    if not refused:
        stacks.check_reader(owner, text)
        return
    with pytest.raises(CommandError, match="the function of stack s reads no groups; deploy"):
        stacks.check_reader(owner, text)
