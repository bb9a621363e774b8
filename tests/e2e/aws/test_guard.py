"""From a metric to the brake: the alarms and the guard stop a rollout of the deployed function.

ministack evaluates alarms. It neither reads metrics from log lines, nor invokes the functions of
alarms: ``publish_metrics`` and ``invoke_actions`` do both as CloudWatch documents it.
"""

import base64
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, time
from typing import Any

import jsonpatch
import pytest

from e2e.aws.cloud import Stack
from e2e.aws.operator import (
    EVENT,
    PATIENCE_SECONDS,
    SAMPLE,
    issue,
    local,
    podgraft,
    remote,
    send_review,
)

INJECTOR = "guarded"
ID = "2026-11-22-image"
FAILING = '{{ if eq (index .ObjectMeta.Labels "app") "web" }}{{ fail "" }}{{end}}'


@pytest.fixture
def where(stack: Stack) -> Iterator[tuple[str, ...]]:
    yield remote(stack, INJECTOR)
    ssm = stack.cloud.client("ssm")
    ssm.delete_parameters(Names=["/podgraft-dev/brake", f"/podgraft-dev/{INJECTOR}/brake"])
    watch = stack.cloud.client("cloudwatch")
    for alarm in guard_alarms(stack):
        watch.set_alarm_state(
            AlarmName=alarm["AlarmName"], StateValue="INSUFFICIENT_DATA", StateReason="end"
        )


def make_candidate(folder: Path, *, failing: bool) -> Path:
    """A folder with another image, or with a template that fails for the pod of the test."""
    shutil.copytree(SAMPLE / "bundle", folder / "bundle")
    path = folder / "bundle" / "injector.yaml"
    text = path.read_text()
    if failing:
        text = text.replace("      sidecar: |\n", f"      sidecar: |\n        {FAILING}\n", 1)
    else:
        text = text.replace('"image": "proxyv2"', '"image": "proxyv3"')
    assert text != path.read_text()
    path.write_text(text)
    (folder / "policy.yaml").write_text("policy: enabled\n")
    return folder


def guard_alarms(stack: Stack) -> list[dict[str, Any]]:
    """The alarms with the guard of the stack as an action."""
    alarms = stack.cloud.client("cloudwatch").describe_alarms()["MetricAlarms"]
    return [each for each in alarms if stack.outputs["GuardArn"] in each["AlarmActions"]]


def publish_metrics(stack: Stack, since: int) -> None:
    """Put the metrics of candidates in log lines into CloudWatch, as it does by itself."""
    client = stack.cloud.client("cloudwatch")
    data = [
        {
            "MetricName": metric["Name"],
            "Value": value,
            "Unit": metric["Unit"],
            "Dimensions": [{"Name": "service", "Value": line["service"]}],
        }
        for line in stack.lines()[since:]
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", ())
        for metric in directive["Metrics"]
        if metric["Name"].startswith("candidate_")
        for value in line[metric["Name"]]
    ]
    client.put_metric_data(Namespace="podgraft", MetricData=data)


def invoke_actions(stack: Stack) -> dict[str, str]:
    """Invoke the guard for the state of each alarm; the states."""
    states: dict[str, str] = {}
    for alarm in guard_alarms(stack):
        state = {"value": alarm["StateValue"], "reason": alarm["StateReason"]}
        event = {
            "source": "aws.cloudwatch",
            "alarmArn": alarm["AlarmArn"],
            "alarmData": {"alarmName": alarm["AlarmName"], "state": state},
        }
        states[alarm["MetricName"]] = alarm["StateValue"]
        # CloudWatch invokes the actions of a state only. The guard must ignore all other states.
        response = stack.cloud.client("lambda").invoke(
            FunctionName=stack.outputs["GuardArn"], Payload=json.dumps(event).encode()
        )
        assert "FunctionError" not in response, response["Payload"].read()
    return states


def read_brake(stack: Stack) -> str | None:
    ssm = stack.cloud.client("ssm")
    try:
        return ssm.get_parameter(Name="/podgraft-dev/brake")["Parameter"]["Value"]
    except ssm.exceptions.ParameterNotFound:
        return None


def send(stack: Stack, token: str) -> tuple[Any, dict[str, str]]:
    """The patched pod, without the annotation of the rollout, and the audit annotations."""
    answer = send_review(stack, token, injector=INJECTOR)
    assert answer.status == 200, f"{answer.body}\n{stack.logs()}"
    response = answer.body["response"]
    pod = json.loads(EVENT.read_text())["request"]["body"]["request"]["object"]
    patched: Any = jsonpatch.apply_patch(pod, json.loads(base64.b64decode(response["patch"])))
    patched["metadata"]["annotations"].pop("podgraft.dev/rollout", None)
    return patched, response["auditAnnotations"]


def await_track(stack: Stack, token: str, track: str) -> Any:
    """Send reviews until one has a track; its pod."""
    ends = monotonic() + PATIENCE_SECONDS
    while True:
        pod, annotations = send(stack, token)
        if annotations.get("track") == track:
            return pod
        assert monotonic() < ends, f"no {track} after {PATIENCE_SECONDS} s: {annotations}"


def test_a_slow_candidate_is_stopped_by_its_alarm(  # noqa: PLR0915 - from the start to the end
    stack: Stack, where: tuple[str, ...], tmp_path: Path
) -> None:
    """Healthy metrics and missing data change nothing; an alarm sets the brake of all injectors."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    podgraft(stack, "push", local(policy), *where)
    token = issue(stack, "guarded", tmp_path / "token")
    stable, _ = send(stack, token)
    begin = len(stack.lines())

    candidate = make_candidate(tmp_path / "next", failing=False)
    start = ("rollout", "start", str(candidate), "--id", ID, "--share", "50")
    percents = ("--cluster-share", "guarded", "100", "--needs", "1", "1", "0")
    podgraft(stack, *start, *percents, *where)
    changed = await_track(stack, token, "candidate")
    assert changed != stable

    states = invoke_actions(stack)
    assert set(states.values()) == {"INSUFFICIENT_DATA"}
    assert read_brake(stack) is None
    log = tmp_path / "review.log"
    log.write_text(stack.logs())
    step = (sys.executable, "-m", "podgraft", "policy", "rollout", "step", "60", "--log", str(log))
    done = stack.cloud.attempt(*step, *where)
    assert done.returncode == 3
    assert done.stderr.count("has no data") == 2

    publish_metrics(stack, begin)
    states = invoke_actions(stack)
    assert set(states.values()) == {"OK"}
    assert read_brake(stack) is None
    done = stack.cloud.attempt(*step, *where)
    assert done.returncode == 0, done.stderr
    assert "the candidate serves 60 % of workloads" in done.stdout

    watch = stack.cloud.client("cloudwatch")
    slow = {"MetricName": "candidate_time_milliseconds", "Value": 9000.0, "Timestamp": time()}
    dimensions = [{"Name": "service", "Value": stack.name}]
    watch.put_metric_data(Namespace="podgraft", MetricData=[{**slow, "Dimensions": dimensions}])
    assert invoke_actions(stack)["candidate_time_milliseconds"] == "ALARM"
    brake = read_brake(stack)
    assert brake is not None
    assert "CandidateLatencyAlarm" in brake
    assert await_track(stack, token, "stable") == stable

    status = podgraft(stack, "rollout", "status", "--log", str(log), *where)
    assert "/podgraft-dev/brake STOPS THE ROLLOUT: by guard" in status
    assert "CandidateLatencyAlarm" in status
    done = stack.cloud.attempt(*step[:6], "70", *where)
    assert done.returncode == 1
    assert "brake /podgraft-dev/brake stops" in done.stderr
    podgraft(stack, "rollout", "abort", "--reason", "slow", *where)
    release = (sys.executable, "-m", "podgraft", "policy", "rollout", "release", "--all")
    done = stack.cloud.attempt(*release, *where)
    assert (done.returncode, read_brake(stack)) == (1, brake)
    podgraft(stack, "rollout", "release", "--all", "--force", *where)
    assert read_brake(stack) is None


def test_a_failing_candidate_costs_fallbacks_until_its_alarm(
    stack: Stack, where: tuple[str, ...], tmp_path: Path
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    podgraft(stack, "push", local(policy), *where)
    token = issue(stack, "failing", tmp_path / "token")
    stable, _ = send(stack, token)
    begin = len(stack.lines())
    candidate = make_candidate(tmp_path / "next", failing=True)
    start = ("rollout", "start", str(candidate), "--id", f"{ID}-2", "--share", "100")
    podgraft(stack, *start, *where)
    await_track(stack, token, "stable")
    ends = monotonic() + PATIENCE_SECONDS
    while not any(line.get("candidate") == "fallback" for line in stack.lines()[begin:]):
        assert send(stack, token)[0] == stable
        assert monotonic() < ends
    publish_metrics(stack, begin)
    assert invoke_actions(stack)["candidate_failure_total"] == "ALARM"
    assert "CandidateFailuresAlarm" in (read_brake(stack) or "")
    ends = monotonic() + PATIENCE_SECONDS
    while stack.lines()[-1].get("reason") != "brake":
        assert send(stack, token)[0] == stable
        assert monotonic() < ends, stack.lines()[-1]
    podgraft(stack, "rollout", "abort", "--reason", "it fails", *where)


def test_alarms_may_invoke_the_guard(stack: Stack) -> None:
    policy = stack.cloud.client("lambda").get_policy(FunctionName=stack.outputs["GuardArn"])
    [statement] = json.loads(policy["Policy"])["Statement"]
    assert "lambda.alarms.cloudwatch.amazonaws.com" in json.dumps(statement["Principal"])
    assert {each["MetricName"] for each in guard_alarms(stack)} == {
        "candidate_failure_total",
        "candidate_time_milliseconds",
    }
