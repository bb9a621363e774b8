"""Two commands of podgraft tokens at once: each token that is left works, or its command failed."""

import fcntl
import re
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from threading import Event, Thread, current_thread
from typing import Any

import pytest

from podgraft.cli import main, outputs
from podgraft.cli.tokens import repository
from podgraft.kube import yaml
from podgraft.service.store import caller_document as hashes
from podgraft.service.store.aws.client import RetryBudget
from podgraft.service.store.aws.clients import make_clients
from podgraft.service.store.aws.ssm import ParameterReader
from podgraft.service.store.folder import FolderCallers
from support.aws_account import start_account_with_bucket

STACK = ("--config", "stack:podgraft-dev")
NAME = "/podgraft-dev/auth/prod"
ISSUE = ("issue", "--cluster", "prod", "--output", "token")


def at_once(folder: Path, *commands: tuple[str, ...]) -> list[int]:
    """Start all commands, then wait for all; their exit status."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "podgraft", "tokens", *command, "--config", "store"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    return [each.wait(timeout=120) for each in running]


def digests(folder: Path) -> set[str]:
    """The hashes that the webhook knows."""
    callers = FolderCallers(folder / "store").callers().callers["prod"]
    return {token.sha256 for token in callers.tokens}


def test_of_six_first_tokens_one_is_issued(tmp_path: Path) -> None:
    files = [tmp_path / f"t{number}" for number in range(6)]
    commands = [("issue", "--cluster", "prod", "--output", file.name) for file in files]
    ended = at_once(tmp_path, *commands)
    assert sorted(ended) == [0, 1, 1, 1, 1, 1]
    written = {hashes.hash_token(file.read_text().strip()) for file in files if file.exists()}
    assert len(written) == 1
    assert written == digests(tmp_path)


@pytest.mark.parametrize("command", ["issue", "rotate"])
def test_another_waits_until_the_first_has_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The second begins after the first has read, and before it writes."""
    monkeypatch.chdir(tmp_path)
    store = ("--config", "store", "--output")
    if command == "rotate":
        assert main(["tokens", "issue", "--cluster", "prod", *store, "first"]) == 0
    status: list[int] = []
    reached, write, flock = Event(), outputs.write_files, fcntl.flock

    def second() -> None:
        status.append(main(["tokens", command, "--cluster", "prod", *store, "second"]))
        reached.set()

    thread = Thread(target=second)

    def locked(descriptor: Any, operation: int) -> None:
        if current_thread() is thread:
            reached.set()
        flock(descriptor, operation)

    def and_another(*given: Any, **options: Any) -> None:
        monkeypatch.setattr(outputs, "write_files", write)
        thread.start()
        reached.wait(60)
        write(*given, **options)

    monkeypatch.setattr(outputs, "write_files", and_another)
    monkeypatch.setattr(fcntl, "flock", locked)
    assert main(["tokens", command, "--cluster", "prod", *store, "token"]) == 0
    thread.join(60)
    assert status == [1]
    files = [tmp_path / name for name in ("first", "token", "second")]
    written = {hashes.hash_token(file.read_text().strip()) for file in files if file.exists()}
    assert written == digests(tmp_path)


def test_changes_of_six_kinds_are_all_retained(tmp_path: Path) -> None:
    """Reading, changing and writing is one step for the others."""
    assert at_once(tmp_path, ("issue", "--cluster", "prod", "--output", "first")) == [0]
    subjects = [f"CN={number}" for number in range(4)]
    ended = at_once(
        tmp_path,
        ("rotate", "--cluster", "prod", "--output", "second"),
        ("rotate", "--cluster", "prod", "--output", "third"),
        *(("allow", "--cluster", "prod", subject) for subject in subjects),
    )
    assert sorted(ended[:2]) == [0, 1]
    assert ended[2:] == [0, 0, 0, 0]
    files = [tmp_path / name for name in ("first", "second", "third")]
    written = {hashes.hash_token(file.read_text().strip()) for file in files if file.exists()}
    assert written == digests(tmp_path)
    callers = FolderCallers(tmp_path / "store").callers().callers["prod"]
    assert sorted(callers.subjects) == subjects


# Parameter Store.


@pytest.fixture
def aws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    """An account with the stack podgraft-dev."""
    monkeypatch.chdir(tmp_path)
    with start_account_with_bucket("bundles-of-tokens") as session:
        yield session


@pytest.fixture
def ssm(aws: Any) -> Any:
    return aws.create_client("ssm")


def known() -> set[str]:
    """The hashes of all clusters that the function of the stack knows; asked as it asks."""
    stored = ParameterReader(make_clients()[0], "/podgraft-dev").callers(
        RetryBudget.from_seconds(10)
    )
    assert set(stored) <= {"prod"}, "a lock is no cluster"
    return {
        each.sha256
        for parameter in stored.values()
        for each in hashes.parse_callers(yaml.load(parameter.text)).tokens
    }


def test_a_token_of_a_stack_is_its_own(aws: Any, ssm: Any) -> None:
    del aws
    assert main(["tokens", *ISSUE, *STACK]) == 0
    assert known() == {hashes.hash_token(Path("token").read_text().strip())}
    names = ssm.get_parameters_by_path(Path="/", Recursive=True)["Parameters"]
    assert sorted(each["Name"] for each in names) == [NAME, "/podgraft-dev/stack"]


Interfere = Callable[[Any], None]


def _issues(ssm: Any) -> None:
    del ssm
    assert main(["tokens", "issue", "--cluster", "prod", "--output", "other", *STACK]) == 1


def _writes(ssm: Any) -> None:
    """As a program that knows no lock: an older podgraft, or the console."""
    ssm.put_parameter(Name=NAME, Value="tokens: []", Type="SecureString", Overwrite=True)


@pytest.mark.parametrize("command", ["issue", "rotate"])
@pytest.mark.parametrize(("interfere", "status"), [(_issues, 0), (_writes, 1)])
def test_a_token_that_is_left_works(
    ssm: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    interfere: Interfere,
    status: int,
) -> None:
    """Another changes the cluster between reading and writing."""
    if command == "rotate":
        assert main(["tokens", "issue", "--cluster", "prod", "--output", "first", *STACK]) == 0
    write = outputs.write_files

    def and_another(*given: Any, **options: Any) -> None:
        monkeypatch.setattr(outputs, "write_files", write)
        write(*given, **options)
        interfere(ssm)

    monkeypatch.setattr(outputs, "write_files", and_another)
    got = main(["tokens", command, "--cluster", "prod", "--output", "token", *STACK])
    assert got == status
    written = [Path(name) for name in ("token", "other") if Path(name).exists()]
    assert {hashes.hash_token(file.read_text().strip()) for file in written} <= known()
    assert len(written) == (1 if status == 0 else 0)
    error = capsys.readouterr().err
    assert ("another command changes auth/prod" in error) is (interfere is _issues)
    is_changed = "another program changed the parameter at the same time" in error
    assert is_changed is (interfere is _writes)


def test_what_is_stored_is_read_again(
    ssm: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another replaces the token in the moment after it was written."""
    write = repository.write_document

    def and_another(*given: Any) -> None:
        write(*given)
        _writes(ssm)

    monkeypatch.setattr(repository, "write_document", and_another)
    assert main(["tokens", *ISSUE, *STACK]) == 1
    assert not Path("token").exists()
    assert f"{NAME}: another process changed the document" in capsys.readouterr().err


def test_a_lock_that_was_left_names_what_removes_it(
    ssm: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    ssm.put_parameter(Name=f"{NAME}/lock", Value="x", Type="String")
    region = ssm.meta.region_name
    assert main(["tokens", *ISSUE, *STACK, "--region", region]) == 1
    printed = capsys.readouterr().err
    remedy = f"aws ssm delete-parameter --name {NAME}/lock --region {region}"
    assert printed.endswith(f"first run: {remedy}\n")
    assert re.search(r" since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; ", printed)
    assert not Path("token").exists()
    ssm.delete_parameter(Name=f"{NAME}/lock")
    assert main(["tokens", *ISSUE, *STACK]) == 0


ELSEWHERE = (
    ((), "Missing option '--config': use stack:NAME"),
    (("--parameter-prefix", "/podgraft-dve"), "parameter /podgraft-dve/stack: not found"),
    (("--config", "stack:nowhere"), "stack nowhere: "),
)


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(("options", "words"), ELSEWHERE)
def test_a_token_that_no_stack_would_know_is_not_issued(
    ssm: Any, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert main(["tokens", *ISSUE, *options]) in {1, 2}
    assert words in capsys.readouterr().err
    assert not Path("token").exists()
    names = ssm.get_parameters_by_path(Path="/", Recursive=True)["Parameters"]
    assert [each["Name"] for each in names] == ["/podgraft-dev/stack"]


@pytest.mark.usefixtures("aws")
def test_the_next_command_is_for_the_same_stack(capsys: pytest.CaptureFixture[str]) -> None:
    main(["tokens", *ISSUE, *STACK])
    assert main(["tokens", "rotate", "--cluster", "prod", "--output", "next", *STACK]) == 0
    error = capsys.readouterr().err
    [line] = [line for line in error.splitlines() if "podgraft tokens revoke" in line]
    assert line.endswith("--config stack:podgraft-dev")
    register = "podgraft register --config stack:podgraft-dev --injector NAME --cluster prod"
    assert f"{register} --token-file next --namespace-selector" in error
    words = line.partition("podgraft tokens ")[2].split()
    assert main(["tokens", *words]) == 0
    assert known() == {hashes.hash_token(Path("next").read_text().strip())}


@pytest.mark.usefixtures("aws")
def test_the_environment_names_a_prefix_and_the_option_a_stack(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PODGRAFT_PARAMETER_PREFIX", "/podgraft-dev")
    assert main(["tokens", *ISSUE]) == 0
    monkeypatch.setenv("PODGRAFT_PARAMETER_PREFIX", "/another")
    assert main(["tokens", "rotate", "--cluster", "prod", "--output", "next", *STACK]) == 0
    assert len(known()) == 2
