"""Changes of single keys in the text of a policy: all other lines remain, byte for byte."""

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.rollout.text import (
    is_in_flow_style,
    promote,
    read_rollout,
    remove_rollout,
    set_rollout,
)
from podgraft.core import policy
from podgraft.kube import yaml

ROLLOUT: Object = {"id": "a", "mode": "share", "share": 5, "candidate": {"revision": "b"}}
BLOCK = yaml.dump({"rollout": ROLLOUT})
TEXTS = (
    "",
    "policy: enabled\n",
    "policy: enabled  # all\n\n# The end.\n",
    "# The start.\n---\npolicy: enabled\n",
    "clusters:\n  dev:\n    # indented\n    policy: disabled\n",
    "ignoredNamespaces:\n- a\n- b\n",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_rollout_is_added_and_removed_as_lines(text: str) -> None:
    changed = set_rollout(text, ROLLOUT)
    assert changed == text + BLOCK
    assert read_rollout(changed) == ROLLOUT
    assert remove_rollout(changed) == text


@pytest.mark.parametrize("after", ["", "# About the policy.\npolicy: enabled\n"])
def test_a_rollout_between_other_keys_is_replaced(after: str) -> None:
    before = "revision: a\n"
    text = before + BLOCK + "  # indented\n\n" + after
    other: Object = {**ROLLOUT, "share": 6}
    assert set_rollout(text, other) == before + yaml.dump({"rollout": other}) + "\n" + after
    assert remove_rollout(text) == before + "\n" + after


def test_a_text_without_a_line_end() -> None:
    assert set_rollout("policy: enabled", ROLLOUT) == "policy: enabled\n" + BLOCK


def test_promotion_changes_the_keys_of_the_candidate_only() -> None:
    text = "# a\nrevision: a  # old\n# b\npolicy: enabled\n" + BLOCK
    assert promote(text) == "# a\nrevision: b\n# b\npolicy: enabled\n"
    assert policy.parse(promote(text)) == policy.parse("policy: enabled\nrevision: b")


def test_promotion_merges_features() -> None:
    rollout: Object = {**ROLLOUT, "candidate": {"features": {"platform": "b"}}}
    text = set_rollout("features: {platform: a, nativeSidecars: true}\n", rollout)
    found = policy.parse(promote(text)).features
    assert (found.platform, found.native_sidecars) == ("b", True)


@pytest.mark.parametrize(
    "text", ["{rollout: {id: a}}", '"rollout": {id: a}\n', "? rollout\n: {id: a}\n"]
)
def test_other_styles_are_refused(text: str) -> None:
    assert is_in_flow_style(text)
    with pytest.raises(CommandError, match="/rollout: unsupported flow style; write one key per"):
        remove_rollout(text)


def test_a_rollout_in_flow_style_on_one_line_can_be_removed() -> None:
    assert remove_rollout("policy: enabled\nrollout: {id: a}\n") == "policy: enabled\n"


@pytest.mark.parametrize("text", ["", "rollout:\n", "policy: enabled\n", BLOCK])
def test_block_style_is_supported(text: str) -> None:
    assert not is_in_flow_style(text)
