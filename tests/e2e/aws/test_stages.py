"""Both stages of samconfig.toml in one account: no policy, token, metric, or log line is shared."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.aws.cloud import Cloud, Stack, Stage, deploy
from e2e.aws.operator import await_injection, issue, local, podgraft, remote, send_review

Tokens = dict[str, str]


@pytest.fixture(scope="module")
def tokens(stack: Stack, prod: Stack, tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    """A token of each stage, for clusters of one name; dev injects, prod does not."""
    folder = tmp_path_factory.mktemp("tokens")
    found: Tokens = {}
    for stage, word in ((stack, "enabled"), (prod, "disabled")):
        policy = folder / word / "policy.yaml"
        policy.parent.mkdir()
        policy.write_text(f"policy: {word}\n")
        podgraft(stage, "push", local(policy), *remote(stage))
        found[stage.name] = issue(stage, "both", folder / stage.name)
    return found


def test_each_stage_responds_by_its_own_policy_and_tokens(
    stack: Stack, prod: Stack, tokens: Tokens
) -> None:
    for stage, injected in ((stack, True), (prod, False)):
        await_injection(stage, tokens[stage.name], "both", injected=injected)
    assert send_review(prod, tokens[stack.name], "both").status == 401
    assert send_review(stack, tokens[prod.name], "both").status == 401


def test_no_output_is_shared(stack: Stack, prod: Stack) -> None:
    shared = stack.outputs.items() & prod.outputs.items()
    assert {key for key, _ in shared} <= {
        "BundlePrefix",  # in the stack's own bucket
        "FunctionVersion",  # a number of the stack's own function
        "SnapStart",  # whether it is in force
    }


def test_no_stack_takes_the_prefix_of_another(
    cloud: Cloud, build: Path, stack: Stack, prod: Stack, tokens: Tokens
) -> None:
    """As a stage of an earlier version that is deployed again with the prefix of another."""
    before = _parameters(stack)
    prefix = f"ParameterPrefix={stack.outputs['ParameterPrefix']}"
    done = deploy(cloud, build, Stage("prod"), prefix)
    assert done.returncode == 1, done.stdout
    assert "PrefixOwner" in done.stdout + done.stderr
    assert _parameters(stack) == before
    assert send_review(prod, tokens[stack.name], "both").status == 401


def test_lines_and_metrics_carry_the_stack(stack: Stack, prod: Stack, tokens: Tokens) -> None:
    for stage in (stack, prod):
        send_review(stage, tokens[stage.name], "both")
        reviews = [line for line in stage.lines() if line.get("message") == "review"]
        metrics = [line for line in stage.lines() if "_aws" in line]
        assert reviews
        assert metrics
        assert {line["service"] for line in (*reviews, *metrics)} == {stage.name}
        for line in metrics:
            for directive in line["_aws"]["CloudWatchMetrics"]:
                assert all("service" in each for each in directive["Dimensions"]), line


def test_alarms_and_dashboards_watch_their_own_stack(stack: Stack, prod: Stack) -> None:
    watch = stack.cloud.client("cloudwatch")
    alarms: list[Any] = watch.describe_alarms()["MetricAlarms"]
    dashboards = watch.list_dashboards()["DashboardEntries"]
    for stage, other in ((stack, prod), (prod, stack)):
        own = [each for each in alarms if each["AlarmName"].startswith(f"{stage.name}-")]
        if stage is prod:  # whose name the other one's begins with
            own = [each for each in own if not each["AlarmName"].startswith(f"{other.name}-")]
        assert len(own) == 16  # without a domain, no alarm for its certificate
        values = [value["Value"] for each in own for value in each["Dimensions"]]
        functions = [value for value in values if value != stage.name]
        assert values.count(stage.name) == 10
        function = stage.outputs["FunctionAlias"].split(":")[-2]
        guard = stage.outputs["GuardArn"].split(":")[-1]
        [cleanup] = [
            each["Dimensions"][0]["Value"] for each in own if "-CleanupErrors" in each["AlarmName"]
        ]
        assert cleanup.startswith(f"{stage.name}-Cleanup-")
        assert set(functions) == {function, guard, cleanup, stage.host.split(".")[0]}
        actions = {action for each in own for action in each["AlarmActions"]}
        assert actions == {stage.outputs["GuardArn"]}
        [board] = [
            each for each in dashboards if each["DashboardName"] == f"{stage.name}-{_REGION}"
        ]
        body = watch.get_dashboard(DashboardName=board["DashboardName"])["DashboardBody"]
        assert f'"service", "{stage.name}"' in body
        assert f'"service", "{other.name}"' not in body
        assert stage.outputs["LogGroup"] in json.dumps(json.loads(body))


_REGION = "eu-central-1"


def _parameters(stack: Stack) -> dict[str, str]:
    """Every parameter of the account, of all stages."""
    pages = stack.cloud.client("ssm").get_paginator("get_parameters_by_path")
    found = pages.paginate(Path="/", Recursive=True)
    return {each["Name"]: each["Value"] for page in found for each in page["Parameters"]}
