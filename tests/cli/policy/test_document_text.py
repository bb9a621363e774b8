"""Keys of a policy document are written as text: comments and order remain."""

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.document_text import set_cluster, set_key

NEW: Object = {"bundle": "sha256:1"}

# text, text with NEW for the cluster eu
CLUSTERS = (
    ("policy: enabled\n", "policy: enabled\nclusters:\n  eu:\n    bundle: sha256:1\n"),
    ("policy: enabled", "policy: enabled\nclusters:\n  eu:\n    bundle: sha256:1\n"),
    ("", "clusters:\n  eu:\n    bundle: sha256:1\n"),
    (
        "clusters: # b\n    us: # c\n        x: y\n# e\nz: 1\n",
        "clusters: # b\n    us: # c\n        x: y\n    eu:\n      bundle: sha256:1\n# e\nz: 1\n",
    ),
    (
        "clusters:\n  eu: {policy: disabled}\n  # of us\n  us: {policy: disabled}\n",
        "clusters:\n  eu:\n    bundle: sha256:1\n  # of us\n  us: {policy: disabled}\n",
    ),
    (
        "clusters:\n  'eu':\n    alwaysInjectSelector:\n    - matchLabels: {}\n\n  us: {}\nx: 1",
        "clusters:\n  eu:\n    bundle: sha256:1\n  us: {}\nx: 1",
    ),
    (
        "clusters: {eu: {policy: disabled}, us: {policy: enabled}} # a\npolicy: enabled\n",
        "clusters:\n  eu:\n    bundle: sha256:1\n  us:\n    policy: enabled\npolicy: enabled\n",
    ),
    ("clusters: {}\n", "clusters:\n  eu:\n    bundle: sha256:1\n"),
    (
        "clusters:\n  us: {policy: enabled}",
        "clusters:\n  us: {policy: enabled}\n  eu:\n    bundle: sha256:1\n",
    ),
)


@pytest.mark.parametrize(("text", "expected"), CLUSTERS)
def test_overrides_of_a_cluster(text: str, expected: str) -> None:
    assert set_cluster(text, "eu", NEW, "p") == expected


def test_a_document_in_flow_style_has_no_room() -> None:
    message = "p: is in flow style, so podgraft cannot write the key clusters; write one key per"
    with pytest.raises(CommandError, match=message):
        set_cluster("{policy: enabled}", "eu", NEW, "p")


def test_comments_after_a_key_belong_to_the_next_one() -> None:
    text = "a:\n- 1\n# of b\n\nb: 2\n"
    assert set_key(text, "a", [3], "p") == "a:\n- 3\n# of b\n\nb: 2\n"
