"""scripts/aws_check.py: plan, refusals, checks with the models of AWS, and the deletion."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import NoCredentialsError
from botocore.stub import Stubber

import aws_check
import aws_checks
from aws_check import CHECKS, NAME, main, run_checks
from aws_checks import CheckError, Stack
from layers.cloudformation import TEMPLATE, find_refusals
from reference_tables import read_template_parameters
from support.aws_account import open_account

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "aws-check.md").read_text()
ACCOUNT, REGION = "123456789012", "us-east-1"
OUTPUTS = {
    "Endpoint": "https://endpoint.example",
    "FunctionAlias": "arn:aws:lambda:us-east-1:123456789012:function:podgraft-dev-Webhook:live",
    "BundleBucket": "bundles-of-the-check",
}


@pytest.fixture(scope="module")
def session() -> Generator[Any]:
    with open_account():
        yield boto3.Session(region_name=REGION)


class Cloud:
    """The clients of a stack: AWS's models with given responses, and moto for all others."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._stubbed: dict[str, tuple[Any, Stubber]] = {}
        self.commands: list[tuple[str, ...]] = []
        self.statuses: list[int] = []
        self.now = 0.0

    def add(self, service: str, operation: str, response: Mapping[str, Any]) -> None:
        """Answer a call. The Stubber checks its arguments and the response with the model."""
        if service not in self._stubbed:
            sdk: Any = boto3  # typed for no service in particular
            client = sdk.client(
                service, region_name=REGION, aws_access_key_id="x", aws_secret_access_key="x"
            )
            self._stubbed[service] = client, Stubber(client)
            self._stubbed[service][1].activate()
        self._stubbed[service][1].add_response(operation, dict(response))

    def client(self, service: str) -> Any:
        return (
            self._stubbed[service][0] if service in self._stubbed else self._session.client(service)
        )

    def run(self, *command: str) -> str:
        self.commands.append(command)
        return "token\n"

    def send(self, url: str, token: str = "", body: bytes | None = None) -> int:
        assert url.startswith("https://")
        del token, body
        return self.statuses.pop(0)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def clock(self) -> float:
        return self.now

    def stack(self, **options: Any) -> Stack:
        return Stack(
            name=NAME,
            client=self.client,
            run=self.run,
            send=self.send,
            sleep=self.sleep,
            clock=self.clock,
            **options,
        )

    def assert_all_called(self) -> None:
        for _, stubber in self._stubbed.values():
            stubber.assert_no_pending_responses()


@pytest.fixture
def cloud(session: Any) -> Cloud:
    return Cloud(session)


def add_outputs(cloud: Cloud, times: int) -> None:
    outputs = [{"OutputKey": key, "OutputValue": value} for key, value in OUTPUTS.items()]
    stack = {"StackName": NAME, "CreationTime": "2026-11-24", "StackStatus": "CREATE_COMPLETE"}
    for _ in range(times):
        cloud.add("cloudformation", "describe_stacks", {"Stacks": [{**stack, "Outputs": outputs}]})


def add_live(cloud: Cloud, version: str, **fields: Any) -> None:
    cloud.add("lambda", "get_function_configuration", {"Version": version, **fields})


def fill_deployment(cloud: Cloud) -> None:
    policy = {"policyName": "p", "policyDocument": "{}"}
    cloud.add("logs", "describe_resource_policies", {"resourcePolicies": [policy]})


def fill_review(cloud: Cloud) -> None:
    add_outputs(cloud, 3)
    cloud.statuses += [200, 401, 200]


def fill_update(cloud: Cloud) -> None:
    add_outputs(cloud, 2)
    variables = {"Variables": {"PODGRAFT_REFRESH_SECONDS": "31"}}
    add_live(cloud, "1")
    add_live(cloud, "2", Environment=variables)


def add_resource(cloud: Cloud, name: str, kind: str = "AWS::Any", found: str = "") -> None:
    detail = {
        "LogicalResourceId": name,
        "PhysicalResourceId": found or f"podgraft-dev-{name}",
        "ResourceType": kind,
        "LastUpdatedTimestamp": "2026-11-24",
        "ResourceStatus": "CREATE_COMPLETE",
    }
    cloud.add("cloudformation", "describe_stack_resource", {"StackResourceDetail": detail})


def fill_gradual(cloud: Cloud, status: str = "Succeeded") -> None:
    add_resource(cloud, "ServerlessDeploymentApplication")
    add_resource(cloud, "WebhookDeploymentGroup")
    started = datetime(2026, 11, 24, 9, tzinfo=UTC)
    cloud.add("codedeploy", "list_deployments", {"deployments": ["d-2", "d-1"]})
    times = {"createTime": started, "completeTime": started + timedelta(seconds=90)}
    cloud.add("codedeploy", "get_deployment", {"deploymentInfo": {"status": status, **times}})


def fill_provisioned(cloud: Cloud) -> None:
    add_outputs(cloud, 1)
    limit = {"AccountLimit": {"UnreservedConcurrentExecutions": 1000}}
    cloud.add("lambda", "get_account_settings", limit)
    cloud.add("lambda", "get_provisioned_concurrency_config", {"Status": "READY"})


def add_snapstart(cloud: Cloud) -> None:
    add_outputs(cloud, 1)
    add_live(cloud, "3", SnapStart={"ApplyOn": "PublishedVersions", "OptimizationStatus": "On"})


def fill_snapstart(cloud: Cloud) -> None:
    add_snapstart(cloud)
    add_outputs(cloud, 21)
    cloud.statuses += [200, *[401] * 20]
    cloud.add("ssm", "delete_parameter", {})


def fill_edges(cloud: Cloud) -> None:
    add_outputs(cloud, 54)
    cloud.statuses += [200, 200, 413, 413, *[200] * 10, *[429] * 40]


def fill_functions(cloud: Cloud) -> None:
    for name in ("Alarm", "Watch", "Watch", "Cleanup"):
        add_resource(cloud, name)
    cloud.add("cloudwatch", "set_alarm_state", {})
    brake = {"Name": f"/{NAME}/brake", "Value": "reason: alarm x: aws_check.py"}
    cloud.add("ssm", "get_parameters", {"Parameters": []})
    cloud.add("ssm", "get_parameters", {"Parameters": [brake]})
    cloud.add("ssm", "delete_parameter", {})
    for _ in range(3):
        cloud.add("lambda", "invoke", {"StatusCode": 200})


def fill_mutual_tls(cloud: Cloud) -> None:
    add_resource(cloud, "Api", "AWS::ApiGatewayV2::Api", "a1b2c3")
    api = {"ApiEndpoint": "https://a1b2c3.example", "Name": "x", "ProtocolType": "HTTP"}
    cloud.add("apigatewayv2", "get_api", {**api, "RouteSelectionExpression": "x"})
    cloud.statuses += [403]


def fill_many_clusters(cloud: Cloud) -> None:
    add_outputs(cloud, 50)
    cloud.add("ssm", "get_parameter", {"Parameter": {"Name": "x", "Value": "tokens: []"}})
    for _ in range(120):
        cloud.add("ssm", "put_parameter", {"Version": 1})
    cloud.statuses += [503] * 5 + [200] * 45


Fill = Callable[[Cloud], None]
FILLS: dict[int, tuple[Fill, str]] = {
    1: (fill_deployment, "log policy 2 of 5120"),
    2: (fill_review, "200, 401, and ready"),
    3: (fill_update, "version 1 to 2"),
    4: (fill_gradual, "1.5 minutes"),
    5: (fill_provisioned, "ready"),
    6: (fill_snapstart, "20 times 401"),
    7: (fill_edges, "'7 MB': 413"),
    8: (fill_functions, "brake after 5 s"),
    9: (fill_many_clusters, "503: 5"),
    10: (fill_mutual_tls, "403"),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.number)
def test_each_check_passes_with_the_expected_responses_of_aws(
    check: aws_check.Check, cloud: Cloud
) -> None:
    fill, result = FILLS[check.number]
    fill(cloud)
    assert result in check.run(cloud.stack(parameters=("DomainName=a.example",)))
    cloud.assert_all_called()


DOMAIN = (
    "DomainName=a.example",
    "CertificateArn=c",
    "TruststoreUri=s3://a/b",
    "TruststoreVersion=1",
)


def test_the_rules_of_the_template_accept_each_deployment(session: Any) -> None:
    """SAM keeps the earlier value of a parameter that a deployment does not name."""
    parameters: dict[str, str] = {}
    for check in CHECKS:
        cloud = Cloud(session)
        FILLS[check.number][0](cloud)
        check.run(cloud.stack(parameters=DOMAIN))
        for words in (each[-1] for each in cloud.commands if "deploy" in each):
            pairs = words.removeprefix("OVERRIDES=").split()
            parameters |= dict(pair.split("=", 1) for pair in pairs)
            assert find_refusals(TEMPLATE, parameters) == [], f"check {check.number}: {words}"


def test_no_check_follows_that_of_mutual_tls() -> None:
    """After it, the endpoint of the stack accepts only clients with a certificate."""
    assert CHECKS[-1].run is aws_checks.check_mutual_tls


def fail_review(cloud: Cloud) -> None:
    add_outputs(cloud, 1)
    cloud.statuses += [503]


def fail_update(cloud: Cloud) -> None:
    add_outputs(cloud, 2)
    add_live(cloud, "1")
    add_live(cloud, "1", Environment={"Variables": {"PODGRAFT_REFRESH_SECONDS": "30"}})


def fail_gradual(cloud: Cloud) -> None:
    fill_gradual(cloud, "Failed")


def fail_snapstart(cloud: Cloud) -> None:
    add_snapstart(cloud)
    add_outputs(cloud, 21)
    cloud.statuses += [200, *[401] * 19, 200]
    cloud.add("ssm", "delete_parameter", {})


def fail_edges(cloud: Cloud) -> None:
    add_outputs(cloud, 54)
    cloud.statuses += [200] * 54


FAILURES: dict[int, tuple[Fill, str]] = {
    2: (fail_review, "review: expected 200, got 503"),
    3: (fail_update, "refresh: expected 31, got 30"),
    4: (fail_gradual, "deployment; read the log of the probe: expected Succeeded, got Failed"),
    6: (fail_snapstart, "reviews after: expected"),
    7: (fail_edges, "expected 429 among them"),
}


@pytest.mark.parametrize("number", FAILURES)
def test_a_check_fails_if_aws_behaves_differently(number: int, cloud: Cloud) -> None:
    fill, problem = FAILURES[number]
    fill(cloud)
    with pytest.raises(CheckError, match=problem):
        CHECKS[number - 1].run(cloud.stack())


def test_a_domain_is_needed_for_mutual_tls_only(cloud: Cloud) -> None:
    assert CHECKS[9].run(cloud.stack()).startswith("omitted")


@pytest.mark.parametrize("option", ["--list", "--dry-run"])
def test_the_plan_has_all_checks_and_their_costs_and_calls_nothing(
    option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boto3, "Session", None)
    assert main([option]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^ ?(\d+) ", out, re.MULTILINE) == [str(each.number) for each in CHECKS]
    total = sum(each.dollars for each in CHECKS)
    assert f"${total:.2f}  total" in out
    assert total < 1  # as the page states
    assert "30 min  $" in out
    for each in CHECKS:
        assert f"| {each.number} | {each.title.rstrip('.')} |" in PAGE


@pytest.mark.parametrize(
    "confirmed",
    [(), ("--confirm", f"{ACCOUNT}/eu-west-1"), ("--confirm", f"000000000000/{REGION}")],
)
def test_nothing_starts_without_the_account_and_the_region(
    confirmed: tuple[str, ...],
    session: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(boto3, "Session", lambda: session)
    monkeypatch.setattr(aws_check, "run_checks", None)
    assert main([*confirmed]) == 2
    assert f"use --confirm {ACCOUNT}/{REGION}" in capsys.readouterr().err


def test_missing_credentials_are_an_error_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> str:
        raise NoCredentialsError

    monkeypatch.setattr(aws_check, "find_problem", fail)
    assert main([]) == 2
    assert "AWS: Unable to locate credentials; correct AWS_PROFILE" in capsys.readouterr().err


@pytest.mark.parametrize("left", ["stack", "parameter"])
def test_nothing_starts_in_an_account_that_uses_the_name(left: str, session: Any) -> None:
    formation, ssm = session.client("cloudformation"), session.client("ssm")
    confirmed = f"{ACCOUNT}/{REGION}"
    assert aws_check.find_problem(session, confirmed) == ""
    if left == "stack":
        template = json.dumps({"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}})
        formation.create_stack(StackName=NAME, TemplateBody=template)
    else:
        ssm.put_parameter(Name=f"/{NAME}/auth/prod", Value="x", Type="String")
    try:
        assert NAME in aws_check.find_problem(session, confirmed)
    finally:
        formation.delete_stack(StackName=NAME)
        ssm.delete_parameters(Names=[f"/{NAME}/auth/prod"])


def make_leftovers(session: Any) -> None:
    """A bucket with versions, and parameters: what remains after the deletion of a stack."""
    s3, ssm = session.client("s3"), session.client("ssm")
    s3.create_bucket(Bucket=OUTPUTS["BundleBucket"])
    s3.put_bucket_versioning(
        Bucket=OUTPUTS["BundleBucket"], VersioningConfiguration={"Status": "Enabled"}
    )
    for _ in range(2):
        s3.put_object(Bucket=OUTPUTS["BundleBucket"], Key="bundles/a", Body=b"x")
    s3.delete_object(Bucket=OUTPUTS["BundleBucket"], Key="bundles/a")
    for number in range(25):
        ssm.put_parameter(Name=f"/{NAME}/auth/c{number}", Value="x", Type="String")


def assert_nothing_left(session: Any) -> None:
    names = [each["Name"] for each in session.client("s3").list_buckets()["Buckets"]]
    found = session.client("ssm").get_parameters_by_path(Path=f"/{NAME}", Recursive=True)
    assert (names, found["Parameters"]) == ([], [])


@pytest.mark.parametrize("error", [None, CheckError("differs"), KeyError("x"), KeyboardInterrupt()])
def test_everything_is_deleted_also_after_a_failure_and_ctrl_c(
    error: BaseException | None, session: Any, cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs the checks as they are, with one that ends with an error."""
    make_leftovers(session)
    add_outputs(cloud, 1)

    def run(_: Stack) -> str:
        """Deploys."""
        if error is not None:
            raise error
        return "done"

    checks = [aws_check.Check(1, run, 1, 0.0, "nothing")]
    if isinstance(error, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            run_checks(cloud.stack(), checks)
    else:
        assert run_checks(cloud.stack(), checks) == (1 if error else 0)
        assert "left: nothing" in capsys.readouterr().out
    assert_nothing_left(session)
    assert cloud.commands[-1][1:3] == ("delete", "--no-prompts")


def test_what_cannot_be_deleted_is_named_and_the_rest_is_deleted(
    session: Any, cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    make_leftovers(session)
    add_outputs(cloud, 1)

    def fail(*command: str) -> str:
        raise CheckError(f"{command[0]}: no permission")

    stack = replace(cloud.stack(), run=fail)
    assert run_checks(stack, []) == 1
    assert f"left: ['stack {NAME} (" in capsys.readouterr().out
    assert_nothing_left(session)


def test_sigterm_ends_as_ctrl_c_does() -> None:
    """The deletion runs before the process ends."""
    program = (
        "import os, signal, sys; sys.path.insert(0, 'scripts')\n"
        "import aws_check, boto3\n"
        "class Session:\n"
        "    client = staticmethod(lambda service: None)\n"
        "boto3.Session = Session\n"
        "aws_check.find_problem = lambda *_: ''\n"
        "aws_check.delete_all = lambda *_: print('deleted', flush=True) or []\n"
        "def run(stack):\n"
        "    'Waits.'\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "aws_check.CHECKS = (aws_check.Check(1, run, 1, 0.0, ''),)\n"
        "sys.exit(aws_check.main(['--confirm', 'x']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "deleted"), done.stderr
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_page_states_that_the_checks_have_not_run() -> None:
    """Replace this test with the date and the region of the first run."""
    assert "No one has run these checks on AWS yet." in PAGE


def test_the_limits_of_the_flood_end_with_it(cloud: Cloud) -> None:
    """SAM keeps the earlier value of a parameter that a deployment does not name."""
    fill_many_clusters(cloud)
    CHECKS[8].run(cloud.stack())
    [deployment] = [each[-1] for each in cloud.commands if "deploy" in each]
    defaults = read_template_parameters()
    for name in ("ThrottlingRateLimit", "ThrottlingBurstLimit"):
        assert f"{name}={defaults[name]['Default']}" in deployment


def test_flood_statuses_are_counted(cloud: Cloud) -> None:
    add_outputs(cloud, 3)
    cloud.statuses += [200, 429, 429]
    assert cloud.stack().review_at_once("t", 3) == Counter({429: 2, 200: 1})
    assert aws_checks.send_request("https://127.0.0.1:9/readyz") == 0
