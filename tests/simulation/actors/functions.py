"""Lambda: environments that start cold, serve one request at a time, freeze, and die.

The code of an environment is ``functions/webhook/handler.py``, as it ships.
"""

from __future__ import annotations

import gc
import os
import sys
from asyncio import new_event_loop, set_event_loop
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import snapshot_restore_py  # pyright: ignore[reportMissingTypeStubs]

from simulation.baton import Baton, Node, Promise, Task
from simulation.dice import Dice
from simulation.ledger import Ledger
from simulation.plan import PROCESSOR, SLOW_SECONDS, Action, Plan
from simulation.world.bucket import Bucket
from simulation.world.tape import Tape

from .releases import Release, Routes, choose_release

HANDLER = Path(__file__).parents[3] / "functions" / "webhook" / "handler.py"
RATE, BURST = 500.0, 200.0  # ThrottlingRateLimit and ThrottlingBurstLimit of template.yaml
IDLE_SECONDS = 600.0  # after which Lambda removes an environment, in a fleet
INIT_SECONDS, REVIEW_SECONDS = 0.3, 0.005  # of processor time, which is charged
RESTORE_SECONDS = 0.2
STATE = ("podgraft.service.", "podgraft.core.versions.", "podgraft.base.lru")
# A collector that is frozen for each environment would keep all of them in memory.
_NO_COLLECTOR = SimpleNamespace(disable=bool, freeze=bool, enable=bool, set_threshold=bool)


@cache
def _compile_handler() -> CodeType:
    return compile(HANDLER.read_text(), str(HANDLER), "exec")


class Environment:
    """One environment: a process with its handler."""

    def __init__(self, name: str, release: Release) -> None:
        self.node = Node(name)
        self.node.documents = release.documents
        self.release = release
        self.handler: Any = None
        self.roots: list[object] = []  # what keeps versions and callers
        self.task: Task | None = None
        self.inbox: list[tuple[Any, Promise]] = []
        self.is_waiting = False
        self.busy = False
        self.initialized_at = 1e18
        self.frozen_at = 0.0
        self.clock_stops = False
        self.asleep_until = 0.0
        self.is_late = False  # nobody waited for its last response
        self.snapshot: Environment | None = None  # from which it is restored


class Gateway:
    """API Gateway in a fleet: a bucket of requests, and a region that can be lost."""

    def __init__(self, plan: Plan) -> None:
        self._is_limited = "fleet" in plan.features
        self._lost = [each for each in plan.windows if each.service == "gateway"]
        self._bucket = Bucket(RATE / plan.sample, BURST / plan.sample)

    def admits(self, now: float) -> bool:
        """Whether a request reaches Lambda."""
        if any(each.start <= now < each.end for each in self._lost):
            return False
        return not self._is_limited or self._bucket.takes(now)


class Functions:
    """The environments of the webhook."""

    def __init__(self, plan: Plan, baton: Baton, dice: Dice, ledger: Ledger) -> None:
        self._plan, self._baton, self._dice, self._ledger = plan, baton, dice, ledger
        self.routes: Routes = ((Release(), 1.0),)  # of the alias
        self.environments: dict[tuple[int, int], Environment] = {}  # by slot and release
        self._snapshots: dict[int, Environment] = {}  # by release
        self._hooks: dict[Node, list[Any]] = {}  # before a snapshot
        self._none = Environment("gateway", Release())
        self.folder = Path()  # of workers of serve
        self._generations: dict[str, int] = {}
        self._gateway = Gateway(plan)

    def invoke(
        self, event: Any, *, prefers_cold: bool, pick: float
    ) -> tuple[Environment, Promise | None]:
        """Return the environment, and a promise of the response of the handler."""
        if not self._gateway.admits(self._baton.now):
            return self._none, None
        request = event.get("requestContext", {}).get("requestId")  # the watch has none
        unit = self._dice.unit(f"route/{request}/{self._baton.now}")
        release = choose_release(self.routes, unit)
        environment = self._choose(release, prefers_cold=prefers_cold, pick=pick)
        if environment is None:
            return self._none, None
        return environment, self.ask(environment, event)

    def ask(self, environment: Environment, event: Any) -> Promise:
        """Let an environment handle an event."""
        environment.busy = True
        self._thaw(environment)
        response = Promise(self._baton)
        environment.inbox.append((event, response))
        if environment.task is None:
            environment.task = self._baton.spawn(environment.node, lambda: self._live(environment))
        elif environment.is_waiting:
            self._baton.wake(environment.task)
        return response

    def disturb(self, action: Action) -> None:
        """Freeze or crash an environment, or replace all of them by a deployment."""
        slot = int(action.subject.rpartition("/")[2])
        own = [each for each in sorted(self.environments) if each[0] == slot]
        match action.verb:
            case "deploy":
                self.retire()
                for release, _ in self.routes:
                    self.prepare_snapshot(release)
            case "crash":
                for each in own:
                    self._remove(each)
            case _:
                for environment in [self.environments[each] for each in own]:
                    environment.asleep_until = self._baton.now + action.options["seconds"]
                    environment.clock_stops = action.options["clock"] == "stops"

    def retire(self, *kept: Release) -> None:
        """Remove the environments of all releases but these."""
        numbers = {each.number for each in kept}
        for each in sorted(self.environments):
            if each[1] not in numbers:
                self._remove(each)

    def prepare_snapshot(self, release: Release) -> None:
        """Initialize the environment from which those of a release are restored, much later."""
        if "snapstart" not in self._plan.features:
            return
        environment = self._make("snapshot", release)
        environment.node.tape = Tape()
        environment.busy = True
        environment.task = self._baton.spawn(environment.node, lambda: self._live(environment))

    def _live(self, environment: Environment) -> None:
        """Run an environment in one thread, whose event loop Mangum uses."""
        loop = new_event_loop()
        set_event_loop(loop)
        try:
            self._serve(environment)
        finally:
            loop.close()

    def _serve(self, environment: Environment) -> None:
        """Initialize, then serve one request after the other."""
        self._initialize(environment)
        if environment.node.tape is not None:
            for function in self._hooks.get(environment.node, ()):
                function()
            environment.node.tape.close()
            self._snapshots[environment.release.number] = environment
            self._rest(environment)
        while True:
            while not environment.inbox:
                environment.is_waiting = True
                self._baton.wait(None)
            environment.is_waiting = False
            event, response = environment.inbox.pop(0)
            began = self._baton.now
            self._baton.wait(SLOW_SECONDS if self._is_slow() else REVIEW_SECONDS)
            if environment.is_late:
                environment.node.output.clear()
                environment.is_late = False
            context = SimpleNamespace(aws_request_id="simulated")
            try:
                answer, error = environment.handler(event, context), None
                if environment.release.is_bad and "body" in answer:
                    answer["body"] = answer["body"].replace('"allowed":true', '"allowed":false')
            except Exception as problem:  # noqa: BLE001 — Lambda reports it to the caller
                answer, error = None, problem
            self._rest(environment)
            self._measure_duration(environment, began)
            response.finish(answer, error)

    def _measure_duration(self, environment: Environment, began: float) -> None:
        """Record the metric Duration of Lambda; a fleet has too many of them."""
        if "fleet" not in self._plan.features and not environment.node.killed:
            seconds = self._baton.now - began
            self._ledger.add(environment.node.name, "duration", seconds=seconds)

    def _is_slow(self) -> bool:
        """Whether the processor is slow, as one with too little memory."""
        return any(
            each.service == PROCESSOR and each.start <= self._baton.now < each.end
            for each in self._plan.windows
        )

    def _choose(self, release: Release, *, prefers_cold: bool, pick: float) -> Environment | None:
        now = self._baton.now
        if "fleet" in self._plan.features:
            for key, each in list(self.environments.items()):
                if not each.busy and now - each.frozen_at > IDLE_SECONDS:
                    self._remove(key)
        idle = [
            each
            for key, each in sorted(self.environments.items())
            if key[1] == release.number and not each.busy and each.asleep_until <= now
        ]
        if prefers_cold or not idle:
            slots = ((slot, release.number) for slot in range(self._plan.environments))
            free = next((each for each in slots if each not in self.environments), None)
            if free is not None:
                return self._start(free[0], release)
        return idle[int(pick * len(idle))] if idle else None

    def _start(self, slot: int, release: Release) -> Environment:
        environment = self.environments[slot, release.number] = self._make(str(slot), release)
        environment.snapshot = self._snapshots.get(release.number)
        return environment

    def _make(self, slot: str, release: Release) -> Environment:
        generation = self._generations[slot] = self._generations.get(slot, -1) + 1
        environment = Environment(f"env/{slot}.{generation}", release)
        path = f"{environment.node.name}/clock"
        environment.node.wall_offset = self._dice.between(path, -5, 5)
        self._ledger.add(environment.node.name, "start")
        return environment

    def _remove(self, key: tuple[int, int]) -> None:
        environment = self.environments.pop(key)
        environment.node.killed = True
        self._ledger.add(environment.node.name, "end")

    def _thaw(self, environment: Environment) -> None:
        node = environment.node
        if node.frozen:
            if environment.clock_stops:
                seconds = self._baton.now - environment.frozen_at
                node.monotonic_offset -= seconds
                self._ledger.add(node.name, "clock", seconds=seconds)
            environment.clock_stops = False
            self._baton.thaw(node)

    def _initialize(self, environment: Environment) -> None:
        if environment.snapshot is None:
            self._baton.wait(INIT_SECONDS)
            self._execute(environment)
            return
        self._baton.wait(RESTORE_SECONDS)
        self._restore(environment, environment.snapshot)

    def _restore(self, environment: Environment, snapshot: Environment) -> None:
        """Repeat the init with its clock, random bytes, and responses: so its state is equal."""
        node, name = environment.node, environment.node.name
        wall = node.wall_offset
        back = snapshot.initialized_at - self._baton.now
        node.wall_offset = snapshot.node.wall_offset + back
        node.monotonic_offset, node.stream = back, snapshot.node.stream
        node.tape = snapshot.node.tape.rewind()
        self._execute(environment)
        for function in self._hooks.get(environment.node, ()):
            function()
        # The wall clock is right again. The other one goes on from the snapshot, or from now.
        node.tape, node.wall_offset = None, wall
        node.dead = {"ssm", "s3"} if self._dice.chance(f"{name}/connections", 0.5) else set()
        if self._dice.chance(f"{name}/monotonic", 0.5):
            node.monotonic_offset = 0.0
        self._ledger.add(name, "restore", snapshot=snapshot.node.name)

    def _execute(self, environment: Environment) -> None:
        began = self._baton.now
        if environment.release.signers.keys and "PODGRAFT_SIGNER" in os.environ:
            os.environ["PODGRAFT_SIGNER"] = environment.release.signers.keys
        namespace: dict[str, Any] = {"__name__": "handler"}
        exec(_compile_handler(), namespace)  # noqa: S102 — the program that ships
        environment.handler = namespace["handler"]
        environment.roots = [namespace["policies"], namespace["callers"]]
        environment.initialized_at = self._baton.now
        seconds = self._baton.now - began + INIT_SECONDS
        self._ledger.add(
            environment.node.name, "init", seconds=seconds, **environment.release.describe()
        )

    def _rest(self, environment: Environment) -> None:
        """Freeze: Lambda stops the threads of an environment between two requests."""
        environment.busy = False
        environment.frozen_at = self._baton.now
        node = environment.node
        environment.clock_stops = self._dice.chance(f"{node.name}/stop/{node.calls}", 0.3)
        self._baton.freeze(node)

    def measure(self) -> None:
        """Count the objects of podgraft that each environment keeps."""
        for each in self.environments.values():
            if each.roots and "fleet" not in self._plan.features:
                counts = count_objects(each.roots)
                self._ledger.add(each.node.name, "memory", objects=dict(sorted(counts.items())))

    def add_hook(self, function: Any) -> None:
        """Register work before a snapshot, for the environment that runs."""
        self._hooks.setdefault(self._baton.current.node, []).append(function)


def count_objects(roots: list[object]) -> Counter[str]:
    """Return how many objects of each class of the stores and versions *roots* keep.

    ``bytes`` are those of their texts.
    """
    seen, pending, counts = set[int](), [*roots], Counter[str]()
    while pending:
        each = pending.pop()
        is_state = type(each).__module__.startswith(STATE)
        if type(each) in {str, bytes} and id(each) not in seen:
            seen.add(id(each))
            counts["bytes"] += len(each)  # pyright: ignore[reportArgumentType]
        if id(each) in seen or not (is_state or type(each) in {dict, list, tuple}):
            continue
        seen.add(id(each))
        if is_state:
            counts[type(each).__name__] += 1
        pending += gc.get_referents(each)
    return counts


@contextmanager
def use_functions(functions: Functions) -> Generator[None]:
    """Let the handler run as on Lambda: its collector, and the hooks of SnapStart."""
    hook: Any = snapshot_restore_py.register_before_snapshot  # pyright: ignore[reportUnknownMemberType]
    collector = gc
    sys.modules["gc"] = _NO_COLLECTOR  # pyright: ignore[reportArgumentType]
    snapshot_restore_py.register_before_snapshot = functions.add_hook
    try:
        yield
    finally:
        snapshot_restore_py.register_before_snapshot = hook
        sys.modules["gc"] = collector
