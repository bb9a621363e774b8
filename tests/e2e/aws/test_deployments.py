"""Versions of the deployed function: the probe compares two, and the cleanup finds the old ones.

ministack has no CodeDeploy: the probe runs here, with the Lambda of ministack.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from e2e.aws.cloud import Stack
from e2e.aws.operator import issue, local, podgraft, remote
from probe import Clients, Settings, make_handler


@dataclass
class CodeDeploy:
    """The reports of hooks."""

    statuses: list[str] = field(default_factory=list[str])

    class exceptions:  # noqa: N801 - as in botocore
        LifecycleEventAlreadyCompletedException = KeyError

    def put_lifecycle_event_hook_execution_status(self, **arguments: Any) -> None:
        """Accept a report."""
        self.statuses.append(arguments["status"])


class Time:
    """The context of an invocation."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the timeout."""
        return 900_000


def publish(stack: Stack, function: str) -> str:
    """Publish another version of the function; its number."""
    client = stack.cloud.client("lambda")
    client.update_function_configuration(FunctionName=function, Description="another version")
    version = client.publish_version(FunctionName=function)["Version"]
    # SnapStart takes a snapshot first. CloudFormation waits for it, too.
    waiter = client.get_waiter("published_version_active")
    waiter.wait(FunctionName=function, Qualifier=version, WaiterConfig={"Delay": 1})
    return version


def test_two_versions_respond_alike(
    stack: Stack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    podgraft(stack, "push", local(policy), *remote(stack, "probed"))
    issue(stack, "probed", tmp_path / "token")
    function, _, alias = stack.outputs["FunctionAlias"].rpartition(":")
    new = publish(stack, function)
    codedeploy = CodeDeploy()
    clients = Clients(lambda_=stack.cloud.client("lambda"), codedeploy=codedeploy, s3=None)
    settings = Settings(
        stack=stack.name, function=function, alias=alias, new_version=f"{function}:{new}"
    )
    capsys.readouterr()
    event = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "e-1"}
    make_handler(lambda: settings, clients)(event, Time())
    line = json.loads(capsys.readouterr().out)
    assert codedeploy.statuses == ["Succeeded"], f"{line}\n{stack.logs()}"
    assert (line["new"], line["reviews"] > 0) == (new, True)
    client = stack.cloud.client("lambda")
    client.delete_function(FunctionName=function, Qualifier=new)


def test_the_cleanup_leaves_new_versions(stack: Stack) -> None:
    function = stack.outputs["FunctionAlias"].rpartition(":")[0]
    client = stack.cloud.client("lambda")
    names = [each["FunctionName"] for each in client.list_functions()["Functions"]]
    [cleanup] = [name for name in names if "Cleanup" in name and stack.name in name]
    before = client.list_versions_by_function(FunctionName=function)["Versions"]
    response = client.invoke(FunctionName=cleanup, Payload=b"{}")
    assert "FunctionError" not in response, response["Payload"].read()
    after = client.list_versions_by_function(FunctionName=function)["Versions"]
    assert [each["Version"] for each in after] == [each["Version"] for each in before]
