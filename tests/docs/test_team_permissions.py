"""A team can get the permissions for its own injector only, as docs/fleet.md states."""

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "docs" / "security.md").read_text()
# The first policy of that page; test_operator_permissions.py shows that the commands need it.
STATEMENTS = json.loads(re.findall(r"```json\n(.*?)```", SECURITY, re.DOTALL)[0])["Statement"]


@pytest.mark.parametrize(
    ("injector", "is_allowed"), [("payments", True), ("istio", False), ("payments-eu", False)]
)
def test_a_policy_for_another_injector_allows_only_that_injector(
    injector: str, is_allowed: bool
) -> None:
    """As the page states: istio is replaced in the ARNs and in the condition."""
    resources = {
        (action, statement["Resource"].replace("istio", "payments"))
        for statement in STATEMENTS
        for action in statement["Action"]
    }
    assert sum("payments" in resource for _, resource in resources) == 4
    wanted = (
        (
            "ssm:PutParameter",
            f"arn:aws:ssm:REGION:ACCOUNT:parameter/podgraft-dev/{injector}/policy",
        ),
        ("s3:PutObject", f"arn:aws:s3:::BUCKET/bundles/{injector}/digest/mesh.yaml"),
    )
    for action, resource in wanted:
        allowed = any(a == action and fnmatchcase(resource, r) for a, r in resources)
        assert allowed is is_allowed


def test_a_policy_for_an_injector_cannot_issue_tokens() -> None:
    token = "arn:aws:ssm:REGION:ACCOUNT:parameter/podgraft-dev/auth/prod-eu"
    for statement in STATEMENTS:
        assert not fnmatchcase(token, statement["Resource"])
