"""The parameters that ``make deploy`` adds and refuses."""

from collections.abc import Mapping
from typing import Any

import pytest

import deployment_attempt
import stage_overrides


def test_parameters_of_a_stage_come_before_the_given_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert stage_overrides.main(["default", "LogRetentionDays=1", "Auth=mtls"]) == 0
    assert capsys.readouterr().out == "LogRetentionDays=7 LogRetentionDays=1 Auth=mtls\n"


PROBLEMS: tuple[tuple[str, Mapping[str, str], str], ...] = (
    (
        "pods",
        {"StartMode": "provisioned", "ReservedConcurrency": "1"},
        "ProvisionedConcurrency 2: is above ReservedConcurrency 1",
    ),
    (
        "AWSome",
        {},
        "ParameterPrefix /AWSome: Parameter Store refuses names that begin with aws or ssm",
    ),
    (
        "ssm-pods",
        {"ParameterPrefix": ""},
        "ParameterPrefix /ssm-pods: Parameter Store refuses names that begin with aws or ssm",
    ),
    (
        "pods",
        {"ParameterPrefix": "/AWS/pods"},
        "ParameterPrefix /AWS/pods: Parameter Store refuses names that begin with aws or ssm",
    ),
    # Lambda accepts 64 characters for a name, with CodeDeployHook_ before that of the stack.
    (
        "p" * 50,
        {"GradualDeployment": "true"},
        f"stack_name {'p' * 50}: has 50 characters, and GradualDeployment accepts 49",
    ),
)


@pytest.mark.parametrize(("stack", "parameters", "problem"), PROBLEMS)
def test_what_no_rule_of_the_template_compares_is_refused(
    stack: str, parameters: Mapping[str, str], problem: str
) -> None:
    [found] = stage_overrides.find_problems(stack, parameters)
    assert found.startswith(f"{problem}; ")


VALID: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("pods", {"StartMode": "provisioned"}),
    ("pods", {"StartMode": "provisioned", "ReservedConcurrency": "2"}),
    ("pods", {"StartMode": "on-demand", "ReservedConcurrency": "1"}),
    ("pods", {"StartMode": "provisioned", "ReservedConcurrency": "many"}),  # CloudFormation
    ("aws-pods", {"ParameterPrefix": "/pods"}),
    ("my-aws", {}),
    ("p" * 49, {"GradualDeployment": "true"}),
    ("p" * 50, {"GradualDeployment": "false"}),
)


@pytest.mark.parametrize(("stack", "parameters"), VALID)
def test_what_lambda_accepts_is_accepted(stack: str, parameters: Mapping[str, str]) -> None:
    assert list(stage_overrides.find_problems(stack, parameters)) == []


class Account:
    """The answers of CloudFormation and Lambda for a stack."""

    def __init__(self, live: str, *versions: str) -> None:
        self.live = live
        self.versions = versions

    def describe_stack_resource(self, **request: str) -> Any:
        assert request == {"StackName": "pods", "LogicalResourceId": "Webhook"}
        return {"StackResourceDetail": {"PhysicalResourceId": "function"}}

    def get_alias(self, **request: str) -> Any:
        assert request == {"FunctionName": "function", "Name": "live"}
        return {"FunctionVersion": self.live}

    def get_paginator(self, name: str) -> "Account":
        assert name == "list_versions_by_function"
        return self

    def paginate(self, **request: str) -> Any:
        assert request == {"FunctionName": "function"}
        return [{"Versions": [{"Version": each}]} for each in ("$LATEST", *self.versions)]


@pytest.mark.parametrize(
    ("account", "attempt"),
    [
        (Account("2", "1", "2"), None),
        (Account("9", "9", "10"), "10"),  # numbers, not texts
        (Account("1", "1", "2", "3"), "3"),
        (Account("1"), None),
    ],
)
def test_a_version_that_is_not_live_needs_another_attempt(
    account: Account, attempt: str | None
) -> None:
    assert deployment_attempt.find_attempt(account, account, "pods") == attempt


def test_without_a_stack_the_attempt_is_not_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first deployment, or one without credentials: sam deploy reports what is wrong."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    assert deployment_attempt.main(["default"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("Attempt: not set, because podgraft-dev was not read: ")
