"""The checks of scripts/aws_check.py that ministack can answer."""

from __future__ import annotations

import json
from collections.abc import Generator

import pytest

import aws_checks
from aws_checks import OK, UNAUTHORIZED
from e2e.aws.cloud import Stack


@pytest.fixture
def checked(stack: Stack) -> Generator[aws_checks.Stack]:
    """The stack of all tests, which has no more parameters and active alarms after a check."""
    parameters = list_parameters(stack)
    yield open_stack(stack)
    for name in list_parameters(stack) - parameters:
        stack.cloud.client("ssm").delete_parameter(Name=name)
    cloudwatch = stack.cloud.client("cloudwatch")
    for alarm in cloudwatch.describe_alarms(StateValue="ALARM")["MetricAlarms"]:
        cloudwatch.set_alarm_state(
            AlarmName=alarm["AlarmName"],
            StateValue="INSUFFICIENT_DATA",
            StateReason="the check has ended",
        )


def list_parameters(stack: Stack) -> set[str]:
    pages = stack.cloud.client("ssm").get_paginator("describe_parameters").paginate()
    return {parameter["Name"] for page in pages for parameter in page["Parameters"]}


def open_stack(stack: Stack) -> aws_checks.Stack:
    def send(url: str, token: str = "", body: bytes | None = None) -> int:
        path = "/" + url.partition("://")[2].partition("/")[2]
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return stack.call("GET" if body is None else "POST", path, body or b"", headers).status

    return aws_checks.Stack(
        name=stack.name, client=stack.cloud.client, run=stack.cloud.run, send=send
    )


def test_a_push_a_token_and_a_review_pass(checked: aws_checks.Stack) -> None:
    assert aws_checks.check_review(checked) == "200, 401, and ready"
    token = checked.issue_token()
    assert dict(checked.review_at_once(token, 4)) == {OK: 4}
    assert dict(checked.review_at_once("", 2)) == {UNAUTHORIZED: 2}


def test_the_watch_and_the_cleanup_run(stack: Stack, checked: aws_checks.Stack) -> None:
    """ministack invokes no function of an alarm: the test sets the brake as the guard does."""
    guard = checked.find_name("Guard")
    alarm = {
        "alarmName": "candidate",
        "state": {"value": "ALARM", "reason": "aws_check.py"},
    }
    stack.cloud.client("lambda").invoke(
        FunctionName=guard, Payload=json.dumps({"alarmData": alarm}).encode()
    )
    assert aws_checks.check_functions(checked).endswith("ended without an error")
