"""``podgraft policy`` with two stacks in one account: no command reaches the other one's policy."""

import shlex
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient

from podgraft.cli import main
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.versions import PolicyVersion
from support.aws_account import deploy_stack, open_account
from support.store_fixture import BUNDLE

DEV, PROD = "bundles-of-dev", "bundles-of-prod"
BUCKETS = {"podgraft-dev": DEV, "podgraft": PROD}
OLD, OLDER = "bundles-of-old", "bundles-of-older"
Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def session() -> Generator[Any]:
    """An account with two stacks and two of an earlier version, which have no owner."""
    with open_account() as made:
        for name, bucket in BUCKETS.items():
            deploy_stack(made, name, bucket)
        deploy_stack(made, "old", OLD, prefix="/podgraft", owner=False)
        deploy_stack(made, "older", OLDER, owner=False)
        yield made


@pytest.fixture
def aws(session: Any) -> Generator[Any]:
    """The account, without policies and bundles at the end."""
    yield session
    ssm, s3 = session.create_client("ssm"), session.create_client("s3")
    names = [name for name in state(session) if name.endswith("/policy")]
    if names:
        ssm.delete_parameters(Names=names)
    for bucket in (*BUCKETS.values(), OLD, OLDER):
        for entry in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=entry["Key"])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a subcommand; its exit status, and its output."""

    def command(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(["policy", *arguments])
        return status, "".join(capsys.readouterr())

    return command


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """A bundle and a policy to push."""
    (tmp_path / "bundle").mkdir()
    for name, content in BUNDLE.items():
        (tmp_path / "bundle" / name).write_bytes(content)
    (tmp_path / "policy.yaml").write_text("policy: enabled\n")
    return tmp_path


def here(local: Path, text: str = "") -> str:
    if text:
        (local / "policy.yaml").write_text(text)
    return str(local)


def state(session: Any) -> dict[str, str]:
    """Every parameter with its value, and every object with its tag."""
    ssm, s3 = session.create_client("ssm"), session.create_client("s3")
    pages = ssm.get_paginator("get_parameters_by_path").paginate(Path="/", Recursive=True)
    found = {each["Name"]: each["Value"] for page in pages for each in page["Parameters"]}
    for bucket in (*BUCKETS.values(), OLD, OLDER):
        for entry in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
            found[f"s3://{bucket}/{entry['Key']}"] = entry["ETag"]
    return found


def policy_of(session: Any, prefix: str) -> str:
    return state(session).get(f"{prefix}/default/policy", "")


def test_a_push_reaches_the_stack_that_is_named(local: Path, run: Run, aws: Any) -> None:
    assert run("push", here(local), "--config", "stack:podgraft-dev")[0] == 0
    assert "policy: enabled" in policy_of(aws, "/podgraft-dev")
    assert policy_of(aws, "/podgraft") == ""
    before = state(aws)
    assert run("push", here(local, "policy: disabled\n"), "--config", "stack:podgraft")[0] == 0
    assert "policy: disabled" in policy_of(aws, "/podgraft")
    changed = {name for name in state(aws) if state(aws)[name] != before.get(name)}
    assert all(name.startswith(("/podgraft/", f"s3://{PROD}/")) for name in changed), changed


def test_a_census_of_a_stack_without_storage_is_announced_as_such(run: Run, aws: Any) -> None:
    """The stack parameter is off by default: the key alone records nothing."""
    status, printed = run("census", "on", "--config", "stack:podgraft-dev")
    ssm = aws.create_client("ssm")
    ssm.delete_parameter(Name="/podgraft-dev/default/census-key")
    assert status == 0
    assert (
        "warning: stack podgraft-dev has no storage for records; deploy it with Census=true"
    ) in printed


def test_options_instead_of_the_stack_reach_the_same(local: Path, run: Run, aws: Any) -> None:
    options = ("--parameter-prefix", "/podgraft-dev")
    assert run("push", here(local), *options)[0] == 0
    status, said = run("push", here(local), "--config", "stack:podgraft-dev")
    assert (status, "already the same" in said) == (0, True)
    status, said = run("push", here(local), "--parameter-prefix", "/podgraft")
    assert (status, "version 1 of /podgraft/default/policy" in said) == (0, True)
    assert len(state(aws)) == 8  # two owners, two policies, two bundles of two files


# The options, and what the error names of the stack that owns the prefix.
MIXED = (
    (
        ("--config", "stack:old"),
        "stack old: uses s3://bundles-of-old/bundles/, but stack podgraft reads /podgraft",
    ),
    (("--config", "stack:old"), f"uses s3://{PROD}/bundles/; use --config stack:podgraft"),
)
UNOWNED = (
    (("--parameter-prefix", "/podgraft-dve"), "parameter /podgraft-dve/stack: "),
    (("--config", "stack:older"), "parameter /older/stack: not found"),
)


PUSHED: list[tuple[str, dict[str, Any]]] = []  # what the pushes of the first test wrote


@pytest.fixture
def pushed(local: Path, run: Run, aws: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both stacks have two versions of a policy with the same bundle."""
    for operation, parameters in PUSHED:
        service = "ssm" if operation == "PutParameter" else "s3"
        aws.create_client(service)._make_api_call(operation, parameters)
    if not PUSHED:
        with monkeypatch.context() as patch:
            patch.setattr(BaseClient, "_make_api_call", record_writes)
            for name in BUCKETS:
                for text in ("policy: enabled\n", f"policy: disabled  # {name}\n"):
                    assert run("push", here(local, text), "--config", f"stack:{name}")[0] == 0
    return aws


CALL: Any = vars(BaseClient)["_make_api_call"]  # every request passes here


def record_writes(client: BaseClient, operation: str, parameters: dict[str, Any]) -> Any:
    if operation.startswith("Put"):
        PUSHED.append((operation, dict(parameters)))
    return CALL(client, operation, parameters)


@pytest.mark.parametrize("command", ["push", "rollback"])
@pytest.mark.parametrize(("options", "words"), [*MIXED, *UNOWNED])
def test_what_would_break_another_stack_is_refused(
    local: Path, run: Run, pushed: Any, options: tuple[str, ...], words: str, command: str
) -> None:
    """The same bundle is in both buckets, so nothing but the owner tells the stacks apart."""
    before = state(pushed)
    further = (here(local, "policy: enabled\n# new\n"),) if command == "push" else ("1",)
    status, said = run(command, *further, *options)
    assert status == 1
    assert words in said
    assert state(pushed) == before


@pytest.mark.parametrize("command", ["diff", "history", "pull"])
@pytest.mark.parametrize(("options", "words"), MIXED)
def test_what_would_show_two_stacks_as_one_is_refused(
    local: Path, run: Run, pushed: Any, options: tuple[str, ...], words: str, command: str
) -> None:
    del pushed
    further = {"diff": (here(local),), "pull": (str(local / "out"),)}.get(command, ())
    status, said = run(command, *further, *options)
    assert (status, words in said) == (2 if command == "diff" else 1, True), said
    assert not (local / "out").exists()


def test_a_deployment_without_an_owner_can_be_read(local: Path, run: Run, aws: Any) -> None:
    """A stack of an earlier version: its policy can be pulled before the upgrade."""
    run("push", here(local), "--config", "stack:podgraft-dev")
    ssm, s3 = aws.create_client("ssm"), aws.create_client("s3")
    text = policy_of(aws, "/podgraft-dev")
    ssm.put_parameter(Name="/older/default/policy", Value=text, Type="String")
    for entry in s3.list_objects_v2(Bucket=DEV)["Contents"]:
        content = s3.get_object(Bucket=DEV, Key=entry["Key"])["Body"].read()
        s3.put_object(Bucket=OLDER, Key=entry["Key"], Body=content)
    assert run("pull", str(local / "out"), "--config", "stack:older")[0] == 0
    assert run("history", "--config", "stack:older")[1].split()[:2] == ["*", "1"]


def test_the_owner_that_the_remedy_names_is_enough(local: Path, run: Run, aws: Any) -> None:
    """Functions that another tool deployed have no stack of podgraft."""
    options = ("--parameter-prefix", "/terraform")
    said = run("push", here(local), *options)[1]
    words = shlex.split(said[said.index("aws ssm put-parameter") :])
    given = dict(zip(words[3::2], words[4::2], strict=True))
    ssm = aws.create_client("ssm")
    value = given["--value"].replace("BUCKET", OLD)
    ssm.put_parameter(Name=given["--name"], Value=value, Type=given["--type"])
    try:
        status, said = run("push", here(local), *options)
        assert status == 0, said
    finally:
        ssm.delete_parameter(Name="/terraform/stack")


@pytest.mark.parametrize("value", ["", "podgraft", "[]", '{"stack": "x"}', '{"bucket": 1}'])
def test_an_owner_that_is_none_stops_every_command(
    local: Path, run: Run, aws: Any, value: str
) -> None:
    ssm = aws.create_client("ssm")
    ssm.put_parameter(Name="/damaged/stack", Value=value or " ", Type="String")
    try:
        status, said = run("push", here(local), "--parameter-prefix", "/damaged")
    finally:
        ssm.delete_parameter(Name="/damaged/stack")
    assert (status, "parameter /damaged/stack: must be a JSON object" in said) == (1, True)


USAGE = (
    ((), 2, "Missing option '--config': use stack:NAME"),
    (
        ("--config", "stack:podgraft", "--parameter-prefix", "/x"),
        2,
        "--config replaces --parameter-prefix; use only one of them",
    ),
    (("--config", "stack:nowhere"), 1, "stack nowhere: "),
    (("--config", "stack:other"), 1, "stack other: output BundleBucket is missing"),
)


@pytest.mark.parametrize(("options", "status", "words"), USAGE)
def test_a_stack_that_is_not_podgrafts_is_an_error(
    run: Run, aws: Any, options: tuple[str, ...], status: int, words: str
) -> None:
    cloudformation = aws.create_client("cloudformation")
    topic = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
    cloudformation.create_stack(StackName="other", TemplateBody=topic)
    try:
        got, said = run("history", *options)
    finally:
        cloudformation.delete_stack(StackName="other")
    assert (got, words in said, "Traceback" in said) == (status, True, False), said


def test_the_line_that_undoes_a_push_names_the_stack(local: Path, run: Run, aws: Any) -> None:
    stack = ("--config", "stack:podgraft-dev")
    run("push", here(local), *stack)
    said = run("push", here(local, "policy: disabled\n"), *stack)[1]
    line = said[said.index("podgraft rollback") :].splitlines()[0]
    assert line.endswith("--config stack:podgraft-dev")
    assert run(*shlex.split(line)[1:])[0] == 0
    assert "policy: enabled" in policy_of(aws, "/podgraft-dev")


# Two people change one policy.

STACK = ("--config", "stack:podgraft-dev")
NAME = "/podgraft-dev/default/policy"


def by_another(aws: Any, text: str) -> None:
    ssm = aws.create_client("ssm")
    ssm.put_parameter(Name=NAME, Value=text, Type="String", Overwrite=True)


@pytest.mark.parametrize("first", [True, False])
def test_a_version_that_another_writes_meanwhile_is_not_replaced(
    local: Path, run: Run, aws: Any, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    if not first:
        run("push", here(local), *STACK)
        path = local / "bundle" / "mesh.yaml"
        path.write_bytes(path.read_bytes() + b"# changed\n")
    upload = DeployedInjector.upload_file

    def and_another(cloud: DeployedInjector, digest: str, path: str, content: bytes) -> None:
        upload(cloud, digest, path, content)
        by_another(aws, f"policy: disabled  # {path}\n")

    monkeypatch.setattr(DeployedInjector, "upload_file", and_another)
    status, said = run("push", here(local), *STACK)
    expected, got = (0, 2) if first else (1, 3)
    assert status == 1
    assert f"parameter {NAME}: expected version {expected}, got version {got}" in said
    assert "podgraft diff" in said
    assert policy_of(aws, "/podgraft-dev").startswith("policy: disabled  # mesh.yaml")


@pytest.mark.parametrize("command", ["push", "rollback"])
def test_a_version_that_was_replaced_at_the_same_time_is_named(
    local: Path, run: Run, aws: Any, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Parameter Store has no conditional update: what it replaces is only known afterwards."""
    run("push", here(local), *STACK)
    run("push", here(local, "policy: disabled\n"), *STACK)
    check = DeployedInjector.check_unchanged

    def and_another(cloud: DeployedInjector, expected: PolicyVersion | None) -> None:
        check(cloud, expected)
        by_another(aws, f"{policy_of(aws, '/podgraft-dev')}# of another\n")

    monkeypatch.setattr(DeployedInjector, "check_unchanged", and_another)
    further = (here(local, "policy: enabled\n# mine\n"),) if command == "push" else ("1",)
    status, said = run(command, *further, *STACK)
    monkeypatch.undo()
    assert (status, "version 4 is in force, but replaced version 3 by" in said) == (1, True), said
    line = said[said.index("podgraft rollback 3") :].splitlines()[0]
    assert run(*shlex.split(line)[1:])[0] == 0
    assert policy_of(aws, "/podgraft-dev").endswith("# of another\n")


def test_a_first_push_does_not_replace_one_of_the_same_moment(
    local: Path, run: Run, aws: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = DeployedInjector.check_unchanged

    def before_another(cloud: DeployedInjector, expected: PolicyVersion | None) -> None:
        check(cloud, expected)
        by_another(aws, "policy: disabled\n")

    monkeypatch.setattr(DeployedInjector, "check_unchanged", before_another)
    status, said = run("push", here(local), *STACK)
    assert (status, "expected version 0, got version 1" in said) == (1, True)
    assert policy_of(aws, "/podgraft-dev") == "policy: disabled\n"


@pytest.mark.parametrize("command", ["push", "rollback"])
def test_a_version_that_was_not_expected_stops_before_anything_is_sent(
    local: Path, run: Run, aws: Any, command: str
) -> None:
    run("push", here(local), *STACK, "--expect-version", "0")
    run("push", here(local, "policy: disabled\n"), *STACK, "--expect-version", "1")
    before = state(aws)
    path = local / "bundle" / "mesh.yaml"
    path.write_bytes(path.read_bytes() + b"# changed\n")
    further = (here(local),) if command == "push" else ("1",)
    for wrong in ("0", "1", "3"):
        status, said = run(command, *further, *STACK, "--expect-version", wrong)
        assert (status, f"expected version {wrong}, got version 2" in said) == (1, True)
    assert state(aws) == before
    assert run(command, *further, *STACK, "--expect-version", "2")[0] == 0


def test_pull_names_the_version_to_expect(local: Path, run: Run, aws: Any) -> None:
    run("push", here(local), *STACK)
    said = run("pull", str(local / "out"), *STACK)[1]
    assert "--expect-version 1" in said
    by_another(aws, f"{policy_of(aws, '/podgraft-dev')}# of another\n")
    assert run("push", str(local / "out"), *STACK, "--expect-version", "1")[0] == 1
