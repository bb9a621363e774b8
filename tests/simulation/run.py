"""One run: a plan in, the ledger and the violated laws out."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from logging import Logger, StreamHandler, getLogger
from pathlib import Path
from typing import Any

from podgraft.base import system
from podgraft.cli.terminal import EscapingStream

from .actors.apiserver import ApiServers
from .actors.functions import Functions, use_functions
from .actors.operators import SIGNERS, Operators
from .actors.releases import use_releases
from .actors.stack import Stack, use_clock
from .actors.workers import Editors, Workers
from .baton import Baton, Node
from .dice import Dice
from .laws import make_laws
from .ledger import Event, Ledger, Violation
from .machine import SimulatedMachine
from .names import BUCKET, CENSUS, PREFIX, REINVOKED, SAME
from .plan import REFRESH_SECONDS, START_SECONDS, Action, Plan
from .world.aws import Aws, use_aws


@dataclass(slots=True)
class Result:
    """What a run showed."""

    plan: Plan
    events: list[Event]
    violations: list[Violation]

    @property
    def seconds(self) -> float:
        """The virtual time of the run."""
        return self.plan.seconds

    def trace(self) -> str:
        """Return all events, one a line."""
        return "\n".join(event.line() for event in self.events)


class _Output:
    """Standard output of all processes: each task writes to the output of its node."""

    encoding, errors = "utf-8", "backslashreplace"

    def __init__(self, baton: Baton) -> None:
        self.baton = baton

    def write(self, text: str) -> int:
        self.baton.current.node.output.append(text)
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False


def run(plan: Plan, watch: Callable[[Event], None] | None = None) -> Result:
    """Run a plan. With *watch*, that function gets the events, and the result has none."""
    dice = Dice(plan.seed)
    baton = Baton(
        (lambda count: dice.unit(f"tie/{count}")) if plan.tie == "random" else lambda _: 0.0
    )
    ledger = Ledger(lambda: baton.now, keeps=watch is None)
    aws = Aws(plan, baton, dice, ledger, START_SECONDS)
    is_shared = "serve" in plan.features
    functions = (Workers if is_shared else Functions)(plan, baton, dice, ledger)
    with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
        clusters = ApiServers(
            baton,
            functions,
            ledger,
            lambda name: _ignores(plan, dice, name),
            lambda uid: _choose_repetition(plan, dice, uid),
        )
        kind = Editors if is_shared else Operators
        operators = kind(plan, baton, ledger, aws, clusters, Path(folder))
        functions.folder = Path(folder)
        operators.stack = Stack(plan, baton, dice, ledger, functions)
        operators.deploy = lambda: functions.disturb(Action("deploy", 0.0, "deploy", "env/0"))
        make_laws(plan, ledger)
        ledger.watchers += [watch] if watch else []
        before = system.replace_machine(SimulatedMachine(baton, dice))
        try:
            with (
                _use_output(baton),
                _use_settings(plan, aws),
                use_aws(aws),
                use_functions(functions),
                use_releases(baton),
                use_clock(),
            ):
                _schedule(plan, baton, operators, functions, clusters)
                baton.run(plan.seconds)
                _report_crashes(baton, ledger)
                functions.measure()
                ledger.add("world", "end")
                baton.stop()
        finally:
            system.replace_machine(before)
    return Result(plan, ledger.events, ledger.violations)


def _schedule(
    plan: Plan, baton: Baton, operators: Operators, functions: Functions, clusters: ApiServers
) -> None:
    baton.spawn(Node("world"), operators.prepare)
    if "snapstart" in plan.features:
        first, _ = functions.routes[0]
        baton.spawn(Node("world"), lambda: functions.prepare_snapshot(first), delay=60.0)
    for action in plan.actions:
        baton.spawn(
            Node(action.id), _make_work(action, operators, functions, clusters), action.time
        )


def _make_work(
    action: Action, operators: Operators, functions: Functions, clusters: ApiServers
) -> Any:
    match action.verb:
        case "review" | "attack":
            return lambda: clusters.create_pod(action)
        case "scale" | "restart":
            return lambda: clusters.run_workload(action)
        case "freeze" | "crash" | "deploy":
            return lambda: functions.disturb(action)
        case _:
            return lambda: operators.act(action)


def _ignores(plan: Plan, dice: Dice, cluster: str) -> bool:
    """Whether the failurePolicy of a cluster is Ignore."""
    return "fleet" not in plan.features and dice.chance(f"cluster/{cluster}/ignore", 0.4)


def _choose_repetition(plan: Plan, dice: Dice, uid: str) -> str:
    """Return why kube-apiserver sends a request again; empty if it does not."""
    if "reinvocation" not in plan.features:
        return ""
    return dice.pick(f"{uid}/again", ("", "", "", SAME, REINVOKED))


def _report_crashes(baton: Baton, ledger: Ledger) -> None:
    """No task of the product ends with an exception that nobody handles."""
    for time, task in baton.errors:
        ledger.add(task.node.name, "crash", at=time, error=repr(task.error))


@contextmanager
def _use_output(baton: Baton) -> Generator[None]:
    # click and Powertools keep a stream that they have seen, and must not keep the run with it.
    target = _Output(baton)
    output: Any = EscapingStream(target)  # pyright: ignore[reportArgumentType]
    logger = getLogger("podgraft")
    streams = {each: each.stream for each in _stream_handlers(logger)}
    with redirect_stdout(output), redirect_stderr(output):
        for handler in streams:
            handler.stream = sys.stdout
        yield
    for handler in _stream_handlers(logger):  # also those that the run made
        handler.stream = streams.get(handler, sys.stdout)
    del target.baton


def _stream_handlers(logger: Logger) -> list[StreamHandler[Any]]:
    return [each for each in logger.handlers if isinstance(each, StreamHandler)]


@contextmanager
def _use_settings(plan: Plan, aws: Aws) -> Generator[None]:
    """Set the environment variables of the function, and no other of podgraft."""
    signed, is_optional = "signatures" in plan.features, "optional" in plan.features
    kind = "snap-start" if "snapstart" in plan.features else "on-demand"
    settings = {
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_INITIALIZATION_TYPE": kind,
        "AWS_REGION": "eu-central-1",
        "PODGRAFT_BUCKET": BUCKET,
        "PODGRAFT_PARAMETER_PREFIX": PREFIX,
        "PODGRAFT_REFRESH_SECONDS": str(REFRESH_SECONDS),
        **({"PODGRAFT_SIGNER": aws.keys.public_pem(SIGNERS[0])} if signed else {}),
        **({"PODGRAFT_REQUIRE_SIGNATURE": "true"} if signed and not is_optional else {}),
        **({"PODGRAFT_CENSUS": CENSUS} if "census" in plan.features else {}),
        **({"PODGRAFT_AUTH": "mtls"} if "certificates" in plan.features else {}),
    }
    before = dict(os.environ)
    for name in [*os.environ]:
        if name.startswith("PODGRAFT_"):
            del os.environ[name]
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
