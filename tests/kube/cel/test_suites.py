"""What kube-apiserver makes of the policies and rules that others published, with their objects.

- The 1,220 distinct expressions of 600 policies: kubescape's library (fc2fb67), Gatekeeper's
  (5c441fb6), kolteq's (d4aa775), kyverno/policies (b9c4317c) and kyverno/kyverno (111e07bb), there
  also those in ClusterPolicies, ValidatingPolicies, and MutatingPolicies; and podgraft's samples.
  Each has the variables of its policy, and an object of its suite for which most have a value.
- 731 of the 734 rules of apiextensions-apiserver 0.37.2 (TestValidationExpressions), each with its
  object; ``object`` replaces ``self``. The cost of the other three differs each time in Go.

Compared is the same as in test_policies.py.
"""

import json
from collections import Counter
from collections.abc import Iterator

from kube.cel.test_policies import REASONS, Row, World, find_difference
from oracle.cel import record

LINES = [json.loads(line) for line in record.SUITES.read_text().splitlines()]
ROWS = [line for line in LINES if "expression" in line]


def answer_all() -> Iterator[tuple[Row, Row]]:
    """Each row, and what podgraft makes of it with the objects and variables before it."""
    head: Row = {"values": {}}
    world = World(head)
    for line in LINES:
        if "expression" in line:
            yield line, world.answer(line)
        else:
            head = line if "values" in line else {**head, "variables": [], **line}
            world = World(head)


def test_expressions_of_others_are_compiled_and_evaluated_as_in_kubernetes() -> None:
    differences = [
        (row, ours, difference)
        for row, ours in answer_all()
        if (difference := find_difference(row, ours))
    ]
    found = [
        f"{difference}: {row}\n  {ours}"
        for row, ours, difference in differences
        if not any(text.search(row["expression"]) for text in REASONS.values())
    ]

    assert found == []
    assert len(differences) == 1


def test_the_fixture_has_refusals_errors_and_values() -> None:
    kinds = Counter(next(k for k in ("refused", "error", "value") if k in row) for row in ROWS)

    assert kinds["value"] > 1_900
    assert min(kinds.values()) > 100
