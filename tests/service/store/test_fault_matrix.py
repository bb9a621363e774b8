"""Ten faults of every store, at a cold start and in a running function, with what the cluster gets.

The table is the expectation. Run ``pytest tests/service/store/test_fault_matrix.py -s`` to print
what came
of each cell. Every cell compares answer, warning, audit annotation, log, and metrics with each
other (``outcomes.py``), and ends with a review after the fault is over.

``stale``: answered from a configuration that is not the stored one. ``refused``: because the stored
one does not load, which ``policy_refused_total`` counts. *Cold*: a version that loads is stored
before the one that does not. A folder has no versions: *kept* is a cold start of ``podgraft serve``
after another process loaded the version before.
"""

import errno
import os
from collections.abc import Callable, Generator, Mapping
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from flask.testing import FlaskClient

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON
from podgraft.core import bundle
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore
from service.http.conftest import Clock
from service.store.aws_fault_proxy import Fault, FaultyAws, Service
from service.store.local_aws import BUNDLE, NEXT, REFRESH_SECONDS, World, aws_world, review
from service.store.outcomes import describe_outcome
from support.store_fixture import BUNDLE as FILES
from support.store_fixture import write, write_injector

# Abbreviations of the table.
OUTCOMES = {"stale": "200 stale", "refused": "200 stale refused"}
TABLE = """\
fault         | ssm cold | ssm warm | s3 cold | s3 warm | folder cold | folder kept | folder warm
throttled     | 503      | stale    | 503     | stale   | 503         | stale       | stale
server error  | 503      | stale    | 503     | stale   | 503         | stale       | stale
access denied | 500      | refused  | 500     | refused | 503         | stale       | stale
timeout       | 503      | stale    | 503     | stale   | 503         | stale       | stale
reset         | 503      | stale    | 503     | stale   | 503         | stale       | stale
truncated     | 503      | stale    | 503     | stale   | 503         | stale       | stale
missing       | 404      | stale    | refused | refused | 503         | stale       | stale
invalid       | refused  | refused  | refused | refused | 500         | refused     | refused
mismatch      | refused  | refused  | refused | refused | 500         | refused     | refused
empty         | refused  | refused  | refused | refused | 500         | refused     | refused
"""
HEAD, *ROWS = ([cell.strip() for cell in line.split("|")] for line in TABLE.splitlines())
EXPECTED: Mapping[tuple[str, str], str] = {
    (row[0], column): OUTCOMES.get(cell, cell)
    for row in ROWS
    for column, cell in zip(HEAD[1:], row[1:], strict=True)
}
SERVICE_FAULTS = {
    "throttled": Fault.THROTTLED,
    "server error": Fault.SERVER_ERROR,
    "access denied": Fault.DENIED,
    "timeout": Fault.TIMEOUT,
    "reset": Fault.RESET,
    "truncated": Fault.TRUNCATED,
}
DISK_FAULTS = {
    "throttled": errno.EMFILE,
    "server error": errno.EIO,
    "timeout": errno.ETIMEDOUT,
    "reset": errno.ESTALE,
}
ACTUAL: dict[tuple[str, str], str] = {}


@pytest.fixture(scope="module", autouse=True)
def table() -> Generator[None]:
    """Print what came of each cell that ran."""
    yield
    for name, *_ in (HEAD, *ROWS):
        cells = [
            column if name == HEAD[0] else ACTUAL.get((name, column), "–") for column in HEAD[1:]
        ]
        print(" | ".join(f"{cell:<17}" for cell in (name, *cells)))  # noqa: T201 — for people


def check(fault: str, column: str, outcome: str) -> None:
    ACTUAL[fault, column] = outcome
    assert outcome == EXPECTED[fault, column]


def cells(*columns: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("fault", "column"), [(row[0], column) for column in columns for row in ROWS]
    )


# --- AWS


@pytest.fixture
def world(faulty: FaultyAws) -> Generator[World]:
    """AWS as the clients call it."""
    with aws_world(faulty) as made:
        yield made


def break_policy(world: World, fault: str) -> None:
    """Let Parameter Store fail, or store a version of the policy that does not load."""
    match fault:
        case "missing":
            world.delete_policy()
        case "invalid":
            world.put_policy("policy: [")
        case "mismatch":
            world.put_policy(f"bundle: {world.put_bundle(NEXT)}\npolcy: disabled\n")
        case "empty":
            world.put_policy("# to be written\n")
        case _:
            world.fail(Service.SSM, SERVICE_FAULTS[fault])


def break_bundle(world: World, fault: str) -> None:
    """Let S3 fail, or name a bundle that does not load, in a new version of the policy."""
    match fault:
        case "missing":
            world.put_policy(f"bundle: {bundle.digest({'injector.yaml': b'was deleted'})}\n")
        case "invalid":
            broken = {"injector.yaml": b"apiVersion: [v1\n"}
            world.put_policy(f"bundle: {world.put_bundle(broken)}\n")
        case "mismatch":
            world.put_policy(f"bundle: {world.put_bundle(BUNDLE, bundle.digest(NEXT))}\n")
        case "empty":
            world.put_policy(f"bundle: {world.put_bundle({'injector.yaml': b''})}\n")
        case _:
            world.put_policy(f"bundle: {world.put_bundle(NEXT)}\n")
            world.fail(Service.S3, SERVICE_FAULTS[fault])


BREAK: Mapping[str, Callable[[World, str], None]] = {"ssm": break_policy, "s3": break_bundle}


def ask(world: World, function: FlaskClient) -> str:
    answer = review(function)
    return describe_outcome(answer, world.records[-1])


@cells("ssm cold", "s3 cold", "ssm warm", "s3 warm")
def test_aws(world: World, fault: str, column: str) -> None:
    service, state = column.split()
    function = world.function()
    if state == "warm":
        assert ask(world, function) == "200"
    BREAK[service](world, fault)
    world.now += REFRESH_SECONDS
    check(fault, column, ask(world, function))

    world.mend()
    world.put_policy(f"bundle: {world.put_bundle(NEXT)}\npolicy: enabled\n")
    world.now += REFRESH_SECONDS
    assert ask(world, function) == "200"


# --- folders


class Folder:
    """A folder of one injector, and functions that read it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._root = folder
        self.store = folder / "store"
        self.patch = patch
        self.policy("policy: enabled\n")
        self.records: list[Mapping[str, JSON]] = []

    def policy(self, text: str) -> None:
        write_injector(self.store, "istio", policy=text, files=FILES)

    def function(self, *, kept: bool) -> FlaskClient:
        """A new process; those of one server share what they keep."""
        last_known_good = FileLastKnownGoodStore(self._root / "state") if kept else None
        store = FolderStore(self.store, last_known_good=last_known_good)
        app = create_app(
            store, _Nobody(), auth=Auth.NONE, request_log=self.records.append, clock=Clock()
        )
        return app.test_client()

    def ask(self, function: FlaskClient) -> str:
        answer = review(function)
        return describe_outcome(answer, self.records[-1])

    def fail(self, number: int) -> None:
        """Change the policy, and let every reading of a file fail so."""
        self.policy("policy: disabled\n")

        read = Path.read_bytes

        def unreadable(path: Path) -> bytes:
            if path.is_relative_to(self.store):
                raise OSError(number, os.strerror(number), str(path))
            return read(path)

        self.patch.setattr(Path, "read_bytes", unreadable)

    def mend(self) -> None:
        """Let files be read again, and write them anew."""
        self.patch.undo()
        if self.store.exists():
            (self.store / "istio" / "bundle").chmod(0o700)
            rmtree(self.store)
        self.policy("policy: enabled\n")


class _Nobody:
    def callers(self, deadline: Deadline | None = None) -> Any:
        raise AssertionError(deadline)


def break_folder(folder: Folder, fault: str) -> None:
    """The fault of a disk or of an editor that is most like the one of AWS."""
    injector = folder.store / "istio"
    match fault:
        case "access denied":
            folder.policy("policy: disabled\n")
            (injector / "bundle").chmod(0)
        case "truncated":
            folder.policy("policy: disabled\n")
            numbers = count()

            def restless(_: str) -> int:
                return next(numbers)

            folder.patch.setattr("podgraft.service.store.folder.files.fingerprint", restless)
        case "missing":
            rmtree(folder.store)
        case "invalid":
            folder.policy("policy: [")
        case "mismatch":
            folder.policy(f"bundle: {bundle.digest({'injector.yaml': b'was deleted'})}\n")
        case "empty":
            write(injector / "policy.yaml", b"")
        case _:
            folder.fail(DISK_FAULTS[fault])


@cells("folder cold", "folder kept", "folder warm")
def test_folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str, column: str) -> None:
    folder = Folder(own_folder, monkeypatch)
    function = folder.function(kept=column == "folder kept")
    if column != "folder cold":
        assert folder.ask(function) == "200"
    if column == "folder kept":
        function = folder.function(kept=True)
    break_folder(folder, fault)
    check(fault, column, folder.ask(function))

    folder.mend()
    assert folder.ask(function) == "200"
