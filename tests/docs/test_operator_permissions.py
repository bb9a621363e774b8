"""The IAM policies of docs/security.md allow what the commands call, and nothing else."""

import json
import re
from collections.abc import Generator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.client import BaseClient

from podgraft.cli import main
from podgraft.cli.policy import prune_command
from support.aws_account import start_account_with_bucket
from support.machines import LaterMachine, use_machine
from support.store_fixture import BUNDLE

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
BUCKET = "bundles-of-operators"
STACK = ("--config", "stack:podgraft-dev")
INJECTOR = ("--injector", "istio", *STACK)
POLICIES: list[Any] = [
    json.loads(text)["Statement"] for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
]
READING = {"diff": 1, "history": 0, "pull": 0, "prune": 0}  # and their exit statuses

# An action, its resource, and the prefix of a listing.
Call = tuple[str, str, str]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[list[Call]]:
    """What the commands call; an account with a stack, a bundle, and a policy."""
    made: list[Call] = []
    original: Any = vars(BaseClient)["_make_api_call"]

    def record(client: Any, operation: str, parameters: Mapping[str, Any]) -> Any:
        made.append(describe_call(client.meta.service_model.service_name, operation, parameters))
        return original(client, operation, parameters)

    monkeypatch.chdir(tmp_path)
    (tmp_path / "bundle").mkdir()
    for name, content in BUNDLE.items():
        (tmp_path / "bundle" / name).write_bytes(content)
    Path("policy.yaml").write_text("policy: enabled\n")
    with start_account_with_bucket(BUCKET, documents=2):
        monkeypatch.setattr(BaseClient, "_make_api_call", record)
        yield made


def describe_call(service: str, operation: str, parameters: Mapping[str, Any]) -> Call:
    """The action of a request, and the resource as the policies of the page name it."""
    prefix = f"arn:aws:{service}:REGION:ACCOUNT:"
    match service, operation:
        case "s3", "ListObjectsV2":
            return "s3:ListBucket", "arn:aws:s3:::BUCKET", parameters["Prefix"]
        case "s3", _:
            return f"s3:{operation}", f"arn:aws:s3:::BUCKET/{parameters['Key']}", ""
        case "cloudformation", _:
            return f"{service}:{operation}", f"{prefix}stack/{parameters['StackName']}/id", ""
        case "cloudwatch", _:
            return f"{service}:{operation}", "*", ""
        case "logs", "StartQuery":
            group = f"log-group:{parameters['logGroupName']}:*"
            return f"{service}:{operation}", f"{prefix}{group}", ""
        case "logs", _:
            return f"{service}:{operation}", "*", ""
        case _:
            names = parameters.get("Names") or [""]
            name = parameters.get("Name") or parameters.get("Path", names[0]).rstrip("/")
            return f"{service}:{operation}", f"{prefix}parameter{name}", ""


def find_statement(statements: list[Any], call: Call) -> str | None:
    """The statement that allows a call."""
    action, resource, listed = call
    for statement in statements:
        condition = statement.get("Condition", {}).get("StringLike", {}).get("s3:prefix", "*")
        resources = statement["Resource"]
        if (
            action in statement["Action"]
            and any(
                fnmatchcase(resource, each)
                for each in ([resources] if isinstance(resources, str) else resources)
            )
            and fnmatchcase(listed, condition)
        ):
            return statement["Sid"]
    return None


def allowed_actions(statements: list[Any]) -> set[tuple[str, str]]:
    return {(each["Sid"], action) for each in statements for action in each["Action"]}


def run_policy_commands() -> None:
    assert main(["policy", "push", ".", *INJECTOR]) == 0
    Path("policy.yaml").write_text("policy: disabled\n")
    assert main(["policy", "diff", ".", *INJECTOR]) == 1
    assert main(["policy", "push", ".", *INJECTOR]) == 0
    assert main(["policy", "history", *INJECTOR]) == 0
    assert main(["policy", "pull", "pulled", *INJECTOR]) == 0
    assert main(["policy", "rollback", "1", *INJECTOR]) == 0


def find_none(_: object) -> frozenset[str]:
    return frozenset()


def run_commands_that_delete() -> None:
    run_policy_commands()
    with pytest.MonkeyPatch.context() as patch, use_machine(LaterMachine(31)):
        # The bundle of all versions, which no version mentions any more, and 31 days later.
        patch.setattr(prune_command, "find_mentioned", find_none)
        assert main(["policy", "prune", "--yes", *INJECTOR]) == 0
    assert main(["policy", "delete", "--yes", *INJECTOR]) == 0


def run_token_commands() -> None:
    cluster = ("--cluster", "prod-eu", *STACK)
    assert main(["tokens", "issue", "--output", "first", *cluster]) == 0
    assert main(["tokens", "rotate", "--output", "second", *cluster]) == 0
    assert main(["tokens", "allow", "CN=prod-eu,O=clusters", *cluster]) == 0
    assert main(["tokens", "forbid", "CN=prod-eu,O=clusters", *cluster]) == 0
    assert main(["tokens", "list", *STACK]) == 0
    assert main(["fleet", "adopt", *STACK]) == 0
    # A version that does not count, as another writer leaves it: the versions before are read.
    session: Any = botocore.session.get_session()
    pointer = {"Name": "/podgraft-dev/callers", "Value": '{"serial": 1}', "Overwrite": True}
    session.create_client("ssm").put_parameter(Type="String", **pointer)
    assert main(["tokens", "allow", "CN=prod-eu,O=clusters", *cluster]) == 0
    assert main(["tokens", "list", *STACK]) == 0
    assert main(["fleet", "adopt", "--finish", *STACK]) == 0


def make_guarded_stack() -> None:
    """Name a log group and a guard in the owner of the prefix, without the recorded clients."""
    session: Any = botocore.session.get_session()
    group = "podgraft-dev-WebhookLogs-1"
    session.create_client("logs").create_log_group(logGroupName=group)
    owner = {"stack": "podgraft-dev", "bucket": BUCKET, "bundlePrefix": "bundles/"}
    value = json.dumps({**owner, "logGroup": group, "guard": "arn:guard"})
    session.create_client("ssm").put_parameter(
        Name="/podgraft-dev/stack", Value=value, Type="String", Overwrite=True
    )


def run_rollout_commands() -> None:
    rollout = ("policy", "rollout")
    assert main(["policy", "push", ".", *INJECTOR]) == 0
    Path("policy.yaml").write_text("policy: disabled\n")
    assert main([*rollout, "start", ".", "--id", "a", *INJECTOR]) == 0
    for words in (["status"], ["step", "5"], ["pause"], ["who", "--got"], ["step", "5"]):
        assert main([*rollout, *words, *INJECTOR]) == 0, words
    assert main([*rollout, "abort", "--reason", "a", *INJECTOR]) == 0
    assert main([*rollout, "release", *INJECTOR]) == 0
    assert main([*rollout, "start", ".", "--shadow", "--id", "b", *INJECTOR]) == 0
    assert main([*rollout, "promote", *INJECTOR]) == 0


def run_commands_for_all_injectors() -> None:
    run_rollout_commands()
    assert main(["policy", "rollout", "abort", "--all", "--reason", "a", *INJECTOR]) == 0
    assert main(["policy", "rollout", "release", "--all", *INJECTOR]) == 0


@pytest.mark.parametrize("group", ["podgraft-dev-WebhookLogs-1X", "/aws/lambda/podgraft-dev"])
def test_the_policy_allows_the_log_of_sam_and_of_terraform(group: str) -> None:
    statements = [each for policy in POLICIES for each in policy]
    call = describe_call("logs", "StartQuery", {"logGroupName": group})
    assert find_statement(statements, call) == "ReadLog"
    other = describe_call("logs", "StartQuery", {"logGroupName": f"other-{group}"})
    assert find_statement(statements, other) is None


def test_the_policies_of_rollouts_allow_the_commands(calls: list[Call]) -> None:
    make_guarded_stack()
    calls.clear()
    run_commands_for_all_injectors()
    used: set[tuple[str, str]] = set()
    statements = POLICIES[0] + POLICIES[4] + POLICIES[3]
    for call in calls:
        statement = find_statement(statements, call)
        assert statement is not None, call
        used.add((statement, call[0]))
    # The stack of the test has no alias.
    expected = allowed_actions(POLICIES[3] + POLICIES[4]) - {("ReadAlias", "lambda:GetAlias")}
    # Each action of both brakes has its own statement, and that of all injectors is the wider one.
    assert expected - used == {("ReadBrakeOfAll", "ssm:GetParameter")}


@pytest.mark.parametrize(
    ("statements", "run"),
    [
        (POLICIES[0], run_policy_commands),
        (POLICIES[1], run_token_commands),
        (POLICIES[0] + POLICIES[2], run_commands_that_delete),
    ],
    ids=["policy", "tokens", "delete"],
)
def test_a_policy_of_the_page_allows_the_commands_and_nothing_else(
    statements: list[Any], run: Any, calls: list[Call]
) -> None:
    run()
    used: set[tuple[str, str]] = set()
    for call in calls:
        statement = find_statement(statements, call)
        assert statement is not None, call
        used.add((statement, call[0]))
    assert used == allowed_actions(statements)


def test_a_denial_needs_what_the_page_names(calls: list[Call]) -> None:
    """It takes a lock: Parameter Store has no conditional update."""
    run_policy_commands()
    calls.clear()
    digest = f"sha256:{0:064}"
    assert main(["policy", "deny", digest, "--reason", "a", *STACK]) == 0
    assert main(["policy", "undeny", digest, *STACK]) == 0
    further = {call for call in calls if find_statement(POLICIES[0], call) is None}
    name = "arn:aws:ssm:REGION:ACCOUNT:parameter/podgraft-dev/denied"
    assert further == {
        ("ssm:PutParameter", name, ""),
        ("ssm:PutParameter", f"{name}/lock", ""),
        ("ssm:DeleteParameter", f"{name}/lock", ""),
    }
    assert "`ssm:PutParameter` on `PREFIX/denied` and `PREFIX/denied/lock`" in PAGE
    assert "`ssm:DeleteParameter` on the latter" in PAGE


def test_reading_commands_need_no_action_that_writes(calls: list[Call]) -> None:
    run_policy_commands()
    calls.clear()
    Path("policy.yaml").write_text("policy: disabled\n")
    arguments = {
        "diff": (".",),
        "pull": ("again",),
    }
    for command, status in READING.items():
        assert main(["policy", command, *arguments.get(command, ()), *INJECTOR]) == status
        assert f"`{command}`" in PAGE
    actions = {action for action, _, _ in calls}
    assert not {action for action in actions if "Put" in action or "Delete" in action}
