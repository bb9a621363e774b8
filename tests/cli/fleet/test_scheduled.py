"""The function of the rotation, invoked as by its schedule, with an account on loopback."""

import json
from collections.abc import Callable, Generator, Mapping
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient

from layers.cloudformation import TEMPLATE, Rendering
from podgraft.base import system
from podgraft.cli import main, stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.fleet import scheduled
from podgraft.cli.fleet.delivery import CURRENT, MAX_RUN, STUCK_DAYS
from podgraft.cli.policy.rollout import insights
from podgraft.service.store.caller_document import hash_token
from support.aws_account import start_account_with_bucket
from support.insights import InsightsClient

STACK, BUCKET = ("--config", "stack:podgraft-dev"), "bundles-rotated"
PREFIX, LOG = "podgraft-dev/tokens/", "/aws/lambda/podgraft-dev"
Out = pytest.CaptureFixture[str]


class Account:
    """A stack with tokens that are due, and the environment of its function."""

    def __init__(self, session: Any, capsys: Out) -> None:
        self.s3: Any = session.create_client("s3")
        self.secrets: Any = session.create_client("secretsmanager")
        self._capsys = capsys
        for cluster in "abc":
            words = ("--cluster", cluster, "--output", cluster, "--expires", "20d", *STACK)
            assert main(["tokens", "issue", *words]) == 0

    def adopt(self, *options: str) -> None:
        assert main(["fleet", "adopt", *options, *STACK]) == 0

    def store(self, cluster: str) -> None:
        """Let a cluster take part, with its present token."""
        name = PREFIX + cluster
        self.secrets.create_secret(Name=name, SecretString=Path(cluster).read_text().strip())

    def labels(self, cluster: str) -> Mapping[str, str]:
        """The hash of the token by the label of its version."""
        name = PREFIX + cluster
        versions: Mapping[str, list[str]] = self.secrets.describe_secret(SecretId=name)[
            "VersionIdsToStages"
        ]
        return {
            label: hash_token(
                self.secrets.get_secret_value(SecretId=name, VersionId=each)["SecretString"]
            )
            for each, own in versions.items()
            for label in own
        }

    def run(self) -> list[Any]:
        """The lines of a run that has no problem."""
        self._capsys.readouterr()
        scheduled.handler({}, None)
        return self.lines()

    def lines(self) -> list[Any]:
        out = self._capsys.readouterr().out
        for cluster in "abc":
            assert Path(cluster).read_text().strip() not in out
        return [json.loads(each) for each in out.splitlines()]


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> Generator[Account]:
    monkeypatch.chdir(tmp_path)
    variables = {"PREFIX": "/podgraft-dev", "SECRETS": PREFIX, "DAYS": "60", "LOG": LOG}
    for name, value in {**variables, "REFRESH_SECONDS": "-60"}.items():
        monkeypatch.setenv(f"PODGRAFT_ROTATION_{name}", value)
    with start_account_with_bucket(BUCKET, documents=2) as session:
        yield Account(session, capsys)


@pytest.fixture
def registry(account: Account) -> Account:
    account.adopt()
    account.adopt("--finish")
    return account


def record_requests(patch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The action of each following request to AWS, and the end of the ARN of its resource."""
    requests: list[tuple[str, str]] = []
    base: Any = BaseClient
    call: Callable[..., Any] = base._make_api_call

    def record(client: Any, operation: str, arguments: Mapping[str, Any]) -> Any:
        action = f"{client.meta.service_model.signing_name}:{operation}"
        match arguments:
            case {"SecretId": name}:
                requests.append((action, f":secret:{name}"))
            case {"Key": key}:
                requests.append((action, f"/{key}"))
            case {"Names": [*names]} | {"Name": names}:
                each = [names] if isinstance(names, str) else names
                requests.extend((action, f":parameter{name}") for name in each)
            case _:
                raise AssertionError(action)
        return call(client, operation, arguments)

    patch.setattr(base, "_make_api_call", record)
    return requests


def as_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else value


def steps(lines: list[Any]) -> list[tuple[str, str]]:
    return [(each["cluster"], each["progress"]) for each in lines]


def test_without_a_secret_nothing_happens(registry: Account) -> None:
    assert registry.run() == []


def test_a_run_begins_with_one_cluster_and_the_next_delivers(registry: Account) -> None:
    for cluster in "bc":
        registry.store(cluster)
    [line] = registry.run()
    assert (line["level"], line["message"], line["service"], line["problem"]) == (
        *("INFO", "token_rotation", "podgraft-dev"),
        "",
    )
    assert (line["cluster"], line["progress"]) == ("b", "issued")
    before = registry.labels("b")
    assert before[CURRENT] == hash_token(Path("b").read_text().strip())
    assert steps(registry.run()) == [("b", "delivered"), ("c", "issued")]
    assert registry.labels("b")[CURRENT] == before["podgraft-next"]


def test_a_problem_of_a_cluster_stops_no_other_and_ends_with_an_error(
    registry: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A secret without a value; the log group, which a step of another cluster needs, is gone."""
    registry.store("b")
    registry.run()
    registry.run()
    later = system.now() + timedelta(days=9)
    monkeypatch.setattr(system, "now", lambda: later)
    registry.secrets.create_secret(Name=f"{PREFIX}a")
    with pytest.raises(CommandError, match="2 rotations failed or are stuck"):
        registry.run()
    first, second, third = registry.lines()
    assert (first["cluster"], first["progress"], first["level"]) == ("a", "failed", "ERROR")
    assert "has no value; put its present token into it" in first["problem"]
    assert (second["cluster"], second["progress"]) == ("b", "waiting")
    assert (third["cluster"], third["progress"], third["level"]) == ("", "failed", "ERROR")
    assert f"log group {LOG}: ResourceNotFoundException" in third["problem"]


def test_what_is_absent_in_a_log_is_not_an_absent_secret(registry: Account) -> None:
    del registry
    with pytest.raises(stacks.AwsError) as error, stacks.aws_errors("log"):
        stacks.make_client("logs").start_query(
            logGroupName=LOG, startTime=0, endTime=1, queryString="limit 1"
        )
    assert not isinstance(error.value, stacks.AbsentError)


def test_the_old_token_is_revoked_after_days_of_silence(
    registry: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.store("a")
    for _ in range(3):  # the third waits
        registry.run()
    later = system.now() + timedelta(days=9)
    monkeypatch.setattr(system, "now", lambda: later)
    version = registry.labels("a")[CURRENT]
    at = f"{later - timedelta(hours=1):%Y-%m-%d %H:%M:%S},000+0000"
    identity = scheduled.open_stack("/podgraft-dev").repository.read_all()["a"].tokens[1].identity
    log = InsightsClient([{"message": "review", "timestamp": at, "token_id": identity}])
    make: Callable[[str], Any] = stacks.make_client
    monkeypatch.setattr(insights, "POLL_SECONDS", 0)

    def make_client(name: str) -> Any:
        return log if name == "logs" else make(name)

    monkeypatch.setattr(stacks, "make_client", make_client)
    assert steps(registry.run()) == [("a", "revoked")]
    [query] = log.queries
    assert query["startTime"] == int((later - timedelta(STUCK_DAYS)).timestamp())
    [token] = scheduled.open_stack("/podgraft-dev").repository.read_all()["a"].tokens
    assert token.sha256 == version
    assert registry.run() == []


def test_a_run_without_time_has_written_its_lines_and_the_next_continues(
    registry: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda ends the process; here while the second cluster is read."""
    for cluster in "ab":
        registry.store(cluster)
    registry.run()
    read = scheduled.AwsSecrets.read

    def end(secrets: scheduled.AwsSecrets, cluster: str) -> Any:
        if cluster == "b":
            raise SystemExit
        return read(secrets, cluster)

    with monkeypatch.context() as patch:
        patch.setattr(scheduled.AwsSecrets, "read", end)
        with pytest.raises(SystemExit):
            registry.run()
    assert steps(registry.lines()) == [("a", "delivered")]
    registry.secrets.delete_secret(SecretId=f"{PREFIX}a", ForceDeleteWithoutRecovery=True)
    assert steps(registry.run()) == [("b", "issued")]


def test_without_a_registry_or_with_copies_nothing_is_rotated(account: Account) -> None:
    account.store("a")
    for options in (None, ()):
        if options is not None:
            account.adopt(*options)
        with pytest.raises(CommandError, match="a registry without copies is needed; run podgraft"):
            account.run()
        assert account.lines() == []


def test_a_registry_that_cannot_be_read_is_an_error(registry: Account) -> None:
    registry.store("a")
    objects = registry.s3.list_objects_v2(Bucket=BUCKET, Prefix="callers/")["Contents"]
    for each in objects:
        registry.s3.delete_object(Bucket=BUCKET, Key=each["Key"])
    with pytest.raises(CommandError, match="callers/sha256/"):
        registry.run()
    assert registry.lines() == []
    assert list(registry.labels("a")) == [CURRENT]


def test_the_role_allows_each_request_also_after_a_write_that_does_not_count(
    registry: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.store("a")
    requests = record_requests(monkeypatch)
    ssm = stacks.make_client("ssm")
    pointer = ssm.get_parameter(Name="/podgraft-dev/callers")["Parameter"]
    ssm.put_parameter(Name=pointer["Name"], Value=pointer["Value"], Type="String", Overwrite=True)
    requests.clear()
    for progress in ("issued", "delivered"):
        assert steps(registry.run()) == [("a", progress)]
    [policy] = Rendering(TEMPLATE, "podgraft-dev", {"TokenRotationDays": "60"}).resources[
        "RotationRole"
    ]["Properties"]["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    assert (
        "ssm:GetParameters",
        f":parameter/podgraft-dev/callers:{pointer['Version']}",
    ) in requests
    for action, name in requests:
        assert any(
            action in each["Action"] and fnmatchcase(name, f"*{resource[resource.rindex(part) :]}")
            for each in statements
            for resource in as_list(each["Resource"])
            for part in (":parameter/", ":secret:", "/callers/")
            if part in resource
        ), (action, name)


def test_a_token_of_a_run_is_withdrawn_only_after_lambda_has_ended_the_run() -> None:
    """Lambda repeats an asynchronous invocation twice."""
    seconds = TEMPLATE["Resources"]["Rotation"]["Properties"]["Timeout"]
    assert 3 * timedelta(seconds=seconds) < MAX_RUN


def test_the_log_has_all_days_that_a_run_reads() -> None:
    rule: Any = TEMPLATE["Rules"]["TokenRotationNeedsLogAndOneRegion"]["Assertions"][0]
    refused = {int(each["Not"][0]["Equals"][1]) for each in rule["Assert"]["And"]}
    allowed = TEMPLATE["Parameters"]["LogRetentionDays"]["AllowedValues"]
    assert refused == {days for days in allowed if days < STUCK_DAYS}
