"""What only a stack has: alarms, a log group, an alias, and other stacks with a candidate."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy import cloud
from podgraft.cli.policy.rollout import insights
from podgraft.cli.policy.rollout.commands import MISSING_EVIDENCE
from podgraft.cli.policy.rollout.insights import LogGroup
from podgraft.core.versions.brake import parse_brakes
from support.aws_account import deploy_stack
from support.insights import InsightsClient
from support.rollout_world import (
    BUCKET,
    DIGEST,
    ID,
    NEXT,
    STABLE,
    START,
    Run,
    StackWorld,
    block,
    make_run,
    rollout_of,
)
from support.store_fixture import BUNDLE

GUARD = "arn:aws:lambda:us-east-1:123456789012:function:podgraft-dev-guard"
GROUP = "/aws/lambda/podgraft-dev"
SetState = Callable[[str], None]
ALARM = "podgraft-dev-failures"


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The lines of the log group, which CloudWatch Logs Insights reads."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(insights, "POLL_SECONDS", 0)

    def open_group(client: object, name: str) -> LogGroup:
        del client
        return LogGroup(InsightsClient(found), name)

    monkeypatch.setattr(cloud, "LogGroup", open_group)
    return found


def put_alarm(client: Any, name: str, actions: list[str], state: str) -> None:
    client.put_metric_alarm(
        AlarmName=name,
        MetricName="candidate_failure_total",
        Namespace="podgraft",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=0,
        ComparisonOperator="GreaterThanThreshold",
        AlarmActions=actions,
    )
    client.set_alarm_state(AlarmName=name, StateValue=state, StateReason="a test")


@pytest.fixture
def guarded(stack: StackWorld, session: Any, lines: list[dict[str, Any]]) -> Any:
    """A stack with a guard, and with an alarm that has no data."""
    del lines
    owner = {"stack": "podgraft-dev", "bucket": BUCKET, "bundlePrefix": "bundles/"}
    stack.put_parameter("stack", json.dumps({**owner, "logGroup": GROUP, "guard": GUARD}))
    client = session.create_client("cloudwatch")
    for name, actions in ((ALARM, [GUARD]), ("another", ["arn:aws:sns:us-east-1:1:topic"])):
        put_alarm(client, name, actions, "INSUFFICIENT_DATA")
    yield stack
    client.delete_alarms(AlarmNames=[ALARM, "another"])
    stack.put_parameter("stack", json.dumps(owner))


@pytest.fixture
def set_state(session: Any, guarded: StackWorld) -> SetState:
    del guarded
    client = session.create_client("cloudwatch")

    def set_alarm_state(state: str) -> None:
        client.set_alarm_state(AlarmName=ALARM, StateValue=state, StateReason="2 were above 0")

    return set_alarm_state


@pytest.fixture
def run(guarded: StackWorld, capsys: pytest.CaptureFixture[str]) -> Run:
    return make_run(guarded, capsys)


def make_line(owner: str, **changes: object) -> dict[str, Any]:
    now = datetime.now(UTC).replace(microsecond=0)
    return {
        "timestamp": f"{now:%Y-%m-%d %H:%M:%S},000+0000",
        "message": "review",
        "injector": "istio",
        "cluster": "prod-eu",
        "namespace": "shop",
        "owner": owner,
        "decision": "inject",
        "rollout": ID,
        "track": "candidate",
        "candidate": "changed",
        "candidate_milliseconds": 1.5,
        "candidate_kind": "5d0c1fa2b3e4",
        "candidate_paths": "replace spec.containers[istio-proxy].image",
        **changes,
    }


def test_a_step_needs_evidence_of_the_log_group_and_alarms_with_data(
    guarded: StackWorld, run: Run, set_state: SetState, lines: list[dict[str, Any]]
) -> None:
    assert run(f"{START} --needs 2 1 0")[0] == 0
    status, output = run("step 25")
    assert status == MISSING_EVIDENCE
    assert f"needs: 0 of 2 reviews; 0 of 1 workloads; alarm {ALARM} has no data; wait" in output
    assert "another" not in output
    lines += [make_line("Deployment/web"), make_line("Deployment/web")]
    status, output = run("step 25")
    assert status == MISSING_EVIDENCE
    assert f"needs: alarm {ALARM} has no data; wait" in output
    set_state("OK")
    status, output = run("step 25")
    assert (status, "the candidate serves 25 % of workloads" in output) == (0, True)
    assert rollout_of(guarded) == block(
        share=25, needs={"reviews": 2, "workloads": 1, "minutes": 0}
    )


def test_missing_data_never_promotes_and_never_aborts(
    guarded: StackWorld, run: Run, set_state: SetState
) -> None:
    assert run(START)[0] == 0  # without needs
    before = guarded.read()
    set_state("INSUFFICIENT_DATA")
    for line in ("step 50", "promote"):
        status, output = run(line)
        assert (status, guarded.read()) == (MISSING_EVIDENCE, before)
        assert "has no data" in output
    assert guarded.brake() is None
    assert guarded.brake(for_all=True) is None
    status, output = run("status")
    assert (status, "result     inconclusive: alarm" in output) == (0, True)
    status, output = run("promote --force --reason 'no traffic at night'")
    assert status == 0
    assert f"forced     alarm {ALARM} has no data; reason: no traffic at night" in output


def test_an_active_alarm_prevents_each_start_and_each_step(
    guarded: StackWorld, run: Run, set_state: SetState
) -> None:
    set_state("ALARM")
    for line in (START, f"{START} --shadow"):
        status, output = run(line)
        assert (status, guarded.read()) == (1, STABLE)
        assert f"alarm {ALARM} is active: 2 were above 0; the guard acts only when" in output
    set_state("OK")
    assert run(START.replace("--share 5", "--share 0"))[0] == 0
    set_state("ALARM")
    status, output = run("step 5")
    assert (status, "is active" in output) == (MISSING_EVIDENCE, True)
    status, output = run("status")
    assert f"alarms     {ALARM} ALARM: 2 were above 0" in output
    assert run("step 0")[0] == 0  # less
    set_state("INSUFFICIENT_DATA")
    assert run("step 5")[0] == 0  # without workloads, there can be no data
    assert run("pause")[0] == 0


def test_a_brake_is_released_when_the_alarm_has_ended(
    guarded: StackWorld, run: Run, set_state: SetState
) -> None:
    guarded.put_parameter("brake", 'id: "*"\nby: guard\nreason: alarm\n')
    set_state("ALARM")
    status, output = run("release --all")
    assert (status, guarded.brake(for_all=True) is not None) == (1, True)
    assert "the guard acts only when an alarm starts" in output
    assert run("release --all --force")[0] == 0
    guarded.put_parameter("brake", 'id: "*"\nby: guard\nreason: alarm\n')
    set_state("INSUFFICIENT_DATA")
    assert run("release --all")[0] == 0
    guarded.put_parameter("istio/brake", "id: a\n")
    set_state("ALARM")
    assert run("release")[0] == 0  # of one rollout, which was aborted


def test_a_status_states_that_no_alarm_stops_the_rollout(
    guarded: StackWorld, run: Run, session: Any
) -> None:
    session.create_client("cloudwatch").delete_alarms(AlarmNames=[ALARM])
    assert run(START)[0] == 0, guarded
    assert "alarms     none has the guard as its action, so no alarm" in run("status")[1]


def test_abort_reads_no_alarm_and_no_log(
    guarded: StackWorld, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(START)[0] == 0

    def fail(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(cloud, "LogGroup", fail)
    monkeypatch.setattr(cloud, "read_alarms", fail)
    status, output = run("abort --reason '5xx in checkout'")
    assert status == 0, output
    assert parse_brakes([guarded.brake() or ""]) == {ID}
    assert f"  podgraft rollout who --got --id {ID} --injector istio" in output


def test_unreadable_evidence_is_inconclusive(
    guarded: StackWorld, run: Run, set_state: SetState, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(START)[0] == 0
    set_state("OK")

    def refuse(*arguments: object) -> LogGroup:
        del arguments
        raise CommandError("log group g: AccessDeniedException: no; use --log FILE")

    monkeypatch.setattr(cloud, "LogGroup", refuse)
    status, output = run("step 25")
    assert (status, rollout_of(guarded)) == (MISSING_EVIDENCE, block())
    assert "needs: log group g: AccessDeniedException: no; use --log FILE; wait" in output
    status, output = run("status")
    assert (status, "result     inconclusive: log group g: Access" in output) == (0, True)


def test_who_reads_the_log_group_since_the_start(
    guarded: StackWorld, run: Run, lines: list[dict[str, Any]]
) -> None:
    assert run(START)[0] == 0
    lines += [make_line("Deployment/web"), make_line("Job/report", track="stable")]
    lines.append(make_line("Job/import"))
    guarded.put(STABLE)  # as after an abort
    restart = "kubectl --context prod-eu --namespace shop rollout restart deployment/web\n"
    job = (
        "kubectl --context prod-eu --namespace shop get job/import  # restart it: kubectl cannot\n"
    )
    assert run(f"who --got --id {ID}") == (0, restart + job)
    assert "prod-eu shop Job/report   bucket " in run(f"who --id {ID}")[1]


def test_a_deployment_of_the_function_prevents_a_start(
    guarded: StackWorld, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lambda:
        weights: dict[str, float]

        def get_alias(self, **arguments: str) -> Any:
            assert arguments == {"FunctionName": "arn:function:webhook", "Name": "live"}
            return {"RoutingConfig": {"AdditionalVersionWeights": self.weights}}

    original, alias = stacks.make_client, Lambda()
    monkeypatch.setattr(stacks, "find_alias", {"podgraft-dev": "arn:function:webhook:live"}.get)

    def make_client(service: str) -> Any:
        return alias if service == "lambda" else original(service)

    monkeypatch.setattr(stacks, "make_client", make_client)
    alias.weights = {"7": 0.1}
    status, output = run(START)
    assert (status, guarded.read()) == (1, STABLE)
    assert "alias arn:function:webhook:live: routes 10% to version 7" in output
    alias.weights = {}
    assert run(START)[0] == 0
    alias.weights = {"7": 0.1}
    assert run("step 50 --force --reason a")[0] == 1
    assert run("step 1")[0] == 0
    assert run("abort --reason a")[0] == 0


def test_a_stack_has_the_alias_as_an_output(session: Any) -> None:
    assert stacks.find_alias("podgraft-of-terraform") is None
    assert stacks.find_alias("podgraft-dev") is None  # of an earlier version
    template = {"Resources": {}, "Outputs": {"FunctionAlias": {"Value": "arn:live"}}}
    client = session.create_client("cloudformation")
    client.create_stack(StackName="with-alias", TemplateBody=json.dumps(template))
    assert stacks.find_alias("with-alias") == "arn:live"
    client.delete_stack(StackName="with-alias")


@pytest.fixture
def dev(session: Any) -> Any:
    """Another stack, with the candidate as its policy."""

    deploy_stack(session, "podgraft-test", "bundles-of-test")
    s3, ssm = session.create_client("s3"), session.create_client("ssm")
    folder = f"bundles/istio/{DIGEST.removeprefix('sha256:')}/"
    for name, content in NEXT.items():
        s3.put_object(Bucket="bundles-of-test", Key=folder + name, Body=content)
    yield ssm
    for name in NEXT:
        s3.delete_object(Bucket="bundles-of-test", Key=folder + name)
    ssm.delete_parameters(Names=["/podgraft-test/istio/policy"])
    session.create_client("cloudformation").delete_stack(StackName="podgraft-test")


def put(ssm: Any, text: str) -> None:
    name = "/podgraft-test/istio/policy"
    ssm.put_parameter(Name=name, Value=text, Type="String", Overwrite=True)


def test_the_candidate_of_another_stack(
    stack: StackWorld, dev: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(stack, capsys)
    other = f"bundle: {DIGEST}\npolicy: enabled\nfeatures: {{platform: openshift}}\n"
    put(dev, other + "clusters: {kind: {policy: disabled}}\n")
    line = f"start --from-stack podgraft-test --id {ID} --share 5"
    status, output = run(line)
    assert status == 0, output
    assert stack.read().startswith(STABLE)
    assert rollout_of(stack) == block()
    objects = stack.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    assert {each["Key"] for each in objects} >= {
        f"bundles/istio/{DIGEST.removeprefix('sha256:')}/{name}" for name in BUNDLE
    }


@pytest.mark.parametrize(
    ("text", "options", "problem"),
    [
        ("policy: enabled\n", "", "/bundle: is missing; push a bundle to stack podgraft-test"),
        (f"bundle: {DIGEST}\npolicy: enabled\n", "", "/features: is missing, but the"),
        (
            f"bundle: {DIGEST}\nrollout: {{id: b, mode: paused, candidate: {{policy: enabled}}}}",
            "",
            "rollout b is active; promote or abort it first",
        ),
        (f"bundle: sha256:{'0' * 64}\n", "", "is missing in s3://bundles-of-test"),
        ("policy: enabled\n", "next", "--from-stack replaces FOLDER; use one of them"),
    ],
)
def test_an_unusable_candidate_of_another_stack_changes_nothing(
    stack: StackWorld,
    dev: Any,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: str,
    problem: str,
) -> None:
    put(dev, text)
    line = f"start {options} --from-stack podgraft-test --id {ID} --share 5"
    status, output = make_run(stack, capsys)(line)
    assert status in (1, 2)
    assert stack.read() == STABLE
    assert problem in output


PAGE = Path(__file__).parents[3] / "docs" / "rollouts.md"


def test_the_page_shows_a_status(session: Any, run: Run, lines: list[dict[str, Any]]) -> None:
    """The sample of the page is the output, apart from the version and its time."""
    client = session.create_client("cloudwatch")
    states = {"Failures": "OK", "Latency": "INSUFFICIENT_DATA"}
    names = [f"podgraft-dev-Candidate{name}Alarm" for name in states]
    for name, state in zip(names, states.values(), strict=True):
        put_alarm(client, name, [GUARD], state)
    client.delete_alarms(AlarmNames=[ALARM])
    try:
        assert run(f"{START} --cluster-share dev 100 --needs 200 10 0")[0] == 0
        lines += [
            make_line(
                f"Deployment/stable-{number % 371}",
                track="stable",
                candidate="outside",
                milliseconds=1.49,
                candidate_milliseconds=None,
                candidate_kind="",
            )
            for number in range(1204)
        ]
        lines += [
            make_line(f"Deployment/web-{number % 12}", candidate_milliseconds=1.52)
            for number in range(63)
        ]
        status, output = run("status")
    finally:
        client.delete_alarms(AlarmNames=names)
    assert status == 0
    [sample] = re.findall(
        r"^```text\n(brakes .*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    time = r"\(version \d+, since [-0-9: ]+ UTC\)"
    assert re.sub(time, "", output) == re.sub(time, "", sample)
