"""Random overlays: what is exported gives what podgraft gives, and the rest is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import yaml
from support.native_reviews import Generator, Pair, load_pair
from support.random_templates import Templates

_CONSTRAINTS = """
resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
"""


def load_template(folder: Path, template: str, fields: Sequence[str]) -> Pair:
    overlay: Object = {
        "apiVersion": "podgraft.dev/v1",
        "kind": "Overlay",
        "metadata": {"name": "sample"},
        "spec": {
            "matchConstraints": yaml.load(_CONSTRAINTS),
            "template": template,
            "setIfAbsent": [*fields],
        },
    }
    (folder / "bundle").mkdir(exist_ok=True)
    (folder / "bundle" / "overlay.yaml").write_text(yaml.dump(overlay))
    (folder / "policy.yaml").write_text("policy: enabled")
    return load_pair(folder)


def review(pair: Pair, value: Object) -> tuple[JSON, bool]:
    """The result of podgraft; a template that fails denies the pod."""
    try:
        return pair.review_with_podgraft(value)
    except AssertionError:
        return None, False


@pytest.mark.parametrize("seed", range(6))
def test_exported_templates_give_the_same_pods(tmp_path: Path, seed: int) -> None:
    templates = Templates(random.Random(seed))  # noqa: S311 - templates for a test
    exported = 0
    for number in range(12):
        template = templates.make()
        pair = load_template(tmp_path, template, ["containers", "labels"][: number % 3])
        if pair.export.refused:
            continue
        exported += 1
        generator = Generator("a/b team x/y", number)
        for value in [generator.make() for _ in range(3)]:
            # Documented: a number such as 0x10, and the text of a quantity such as 1e9, are denied.
            if value["kind"] == "Pod" and "1e9" not in str(value["spec"]):
                assert pair.review_natively(value) == review(pair, value), template
    assert exported
