"""Every command of the page about accounts and regions runs, with two regions on loopback.

``aws`` is a stand-in that makes the same requests with boto3. ``make`` is resolved, and not run.
"""

import json
import re
from collections.abc import Generator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from support.aws_account import deploy_stack, start_account_with_bucket
from support.repository_pages import ROOT, Checkout, PageCommand, make_checkout, read_steps

PAGE = (ROOT / "docs" / "accounts.md").read_text()
SECURITY = (ROOT / "docs" / "security.md").read_text()
# The first policy of that page; test_operator_permissions.py shows that the commands need it.
STATEMENTS = json.loads(re.findall(r"```json\n(.*?)```", SECURITY, re.DOTALL)[0])["Statement"]
STEPS = [step for step in read_steps(PAGE) if isinstance(step, PageCommand)]
_AWS = """\
import sys
import boto3
service, operation, *rest = sys.argv[1:]
options = {}
while rest:
    name = rest.pop(0).removeprefix("--")
    is_flag = not rest or rest[0].startswith("--")
    options[name] = True if is_flag else rest.pop(0)
assert service == "ssm"
client = boto3.client("ssm", region_name=options["region"])
if operation == "get-parameter":
    assert (options["query"], options["output"]) == ("Parameter.Value", "text")
    parameter = client.get_parameter(Name=options["name"], WithDecryption=True)
    print(parameter["Parameter"]["Value"])
elif operation == "put-parameter":
    client.put_parameter(
        Name=options["name"], Value=options["value"], Type=options["type"],
        Overwrite="overwrite" in options,
    )
else:
    sys.exit(f"unknown operation: {operation}")
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Checkout]:
    made = make_checkout(tmp_path)
    made.add_stub("aws", _AWS)
    with start_account_with_bucket("bundles-elsewhere"):
        for region in ("eu-central-1", "eu-west-1"):
            monkeypatch.setenv("AWS_DEFAULT_REGION", region)
            session: Any = botocore.session.get_session()
            deploy_stack(session, "podgraft", f"bundles-{region}")
        yield made


def test_every_command_of_the_page_works_in_order(checkout: Checkout) -> None:
    outputs: dict[str, str] = {}
    for step in STEPS:
        line = re.sub(r"\bmake deploy", "make --dry-run deploy", step.line)
        outputs[step.line] = checkout.run(replace(step, line=line))

    [listed] = [text for line, text in outputs.items() if "tokens list" in line]
    assert "prod-eu" in listed
    pushed = [text for line, text in outputs.items() if "policy push" in line]
    assert [text.count("is in force") for text in pushed] == [1, 1]


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
