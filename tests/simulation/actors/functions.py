"""Lambda: environments that start cold, serve one request at a time, freeze, and die.

The code of an environment is ``functions/webhook/handler.py``, as it ships.
"""

from __future__ import annotations

import gc
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
from simulation.plan import Action, Plan
from simulation.world.bucket import Bucket

HANDLER = Path(__file__).parents[3] / "functions" / "webhook" / "handler.py"
RATE, BURST = 500.0, 200.0  # ThrottlingRateLimit and ThrottlingBurstLimit of template.yaml
IDLE_SECONDS = 600.0  # after which Lambda removes an environment, in a fleet
INIT_SECONDS, REVIEW_SECONDS = 0.3, 0.005  # of processor time, which is charged
STATE = ("podgraft.service.", "podgraft.core.versions.", "podgraft.base.lru")
# A collector that is frozen for each environment would keep all of them in memory.
_NO_COLLECTOR = SimpleNamespace(disable=bool, freeze=bool, enable=bool, set_threshold=bool)


@cache
def _compile_handler() -> CodeType:
    return compile(HANDLER.read_text(), str(HANDLER), "exec")


class Environment:
    """One environment: a process with its handler."""

    def __init__(self, name: str) -> None:
        self.node = Node(name)
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
        self.before_snapshot: list[Any] = []
        self.is_bad = False  # a version of the code that denies what others allow


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
        self.environments: dict[int, Environment] = {}
        self.folder = Path()  # of workers of serve
        self._generations: dict[int, int] = {}
        self._gateway = Gateway(plan)

    def invoke(
        self, event: Any, *, prefers_cold: bool, pick: float
    ) -> tuple[Environment, Promise | None]:
        """Return the environment, and a promise of the response of the handler."""
        if not self._gateway.admits(self._baton.now):
            return Environment("gateway"), None
        environment = self._choose(prefers_cold=prefers_cold, pick=pick)
        if environment is None:
            return Environment("gateway"), None
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
        match action.verb:
            case "deploy":
                for each in sorted(self.environments):
                    self._remove(each)
                if "snapstart" in self._plan.features:
                    self.prepare_snapshots()
            case "crash":
                self._remove(slot)
            case _:
                environment = self.environments.get(slot)
                if environment is not None:
                    environment.asleep_until = self._baton.now + action.options["seconds"]
                    environment.clock_stops = action.options["clock"] == "stops"

    def prepare_snapshots(self) -> None:
        """Initialize environments now that serve their first request much later."""
        for slot in range(self._plan.environments):
            environment = self._start(slot)
            environment.busy = True
            environment.task = self._baton.spawn(
                environment.node, lambda each=environment: self._live(each)
            )

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
        if not environment.inbox:
            for function in environment.before_snapshot:
                function()
            self._rest(environment)
        while True:
            while not environment.inbox:
                environment.is_waiting = True
                self._baton.wait(None)
            environment.is_waiting = False
            event, response = environment.inbox.pop(0)
            self._baton.wait(REVIEW_SECONDS)
            context = SimpleNamespace(aws_request_id="simulated")
            try:
                answer, error = environment.handler(event, context), None
                if environment.is_bad and "body" in answer:
                    answer["body"] = answer["body"].replace('"allowed":true', '"allowed":false')
            except Exception as problem:  # noqa: BLE001 — Lambda reports it to the caller
                answer, error = None, problem
            self._rest(environment)
            response.finish(answer, error)

    def _choose(self, *, prefers_cold: bool, pick: float) -> Environment | None:
        now = self._baton.now
        if "fleet" in self._plan.features:
            for slot, each in list(self.environments.items()):
                if not each.busy and now - each.frozen_at > IDLE_SECONDS:
                    self._remove(slot)
        idle = [
            each
            for _, each in sorted(self.environments.items())
            if not each.busy and each.asleep_until <= now
        ]
        if prefers_cold or not idle:
            slots = range(self._plan.environments)
            free = next((slot for slot in slots if slot not in self.environments), None)
            if free is not None:
                return self._start(free)
        return idle[int(pick * len(idle))] if idle else None

    def _start(self, slot: int) -> Environment:
        generation = self._generations[slot] = self._generations.get(slot, -1) + 1
        environment = self.environments[slot] = Environment(f"env/{slot}.{generation}")
        path = f"{environment.node.name}/clock"
        environment.node.wall_offset = self._dice.between(path, -5, 5)
        self._ledger.add(environment.node.name, "start")
        return environment

    def _remove(self, slot: int) -> None:
        environment = self.environments.pop(slot, None)
        if environment is not None:
            environment.node.killed = True
            self._ledger.add(environment.node.name, "end")

    def _thaw(self, environment: Environment) -> None:
        node = environment.node
        if node.frozen:
            if environment.clock_stops:
                node.monotonic_offset -= self._baton.now - environment.frozen_at
                self._ledger.add(node.name, "clock")
            environment.clock_stops = False
            self._baton.thaw(node)

    def _initialize(self, environment: Environment) -> None:
        began = self._baton.now
        self._baton.wait(INIT_SECONDS)
        namespace: dict[str, Any] = {"__name__": "handler"}
        exec(_compile_handler(), namespace)  # noqa: S102 — the program that ships
        environment.handler = namespace["handler"]
        environment.roots = [namespace["policies"], namespace["callers"]]
        environment.initialized_at = self._baton.now
        self._ledger.add(environment.node.name, "init", seconds=self._baton.now - began)

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
        for environment in self.environments.values():
            if environment.node is self._baton.current.node:
                environment.before_snapshot.append(function)


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
