"""The versions of the function, and the functions beside it, as they ship."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from podgraft.base import system
from simulation.attributes import replace_attributes
from simulation.baton import NEWEST_DOCUMENTS, Baton, Node
from simulation.dice import Dice
from simulation.ledger import Ledger
from simulation.machine import CLOCK
from simulation.plan import START_SECONDS, Action, Plan

from .functions import Environment, Functions
from .releases import OVERRIDES, REGISTRY, Release, Signers

FUNCTIONS = Path(__file__).parents[3] / "functions"
ALIAS, SILENT_HOURS, KEPT_VERSIONS = "live", 3, 1
# How CodeDeploy shifts: the weights of the new version, and the seconds that each lasts.
SHIFTS = ([(0.1, 300.0)], [(step / 10, 60.0) for step in range(1, 10)])
SETTLE_SECONDS, WATCH_SECONDS = 30.0, 300.0
CHECKS = ("reviews", "reviews", "clusters")
TEMPLATE = FUNCTIONS.parent / "template.yaml"
# Whether the parameter of the owner follows the alias, so it names what all live versions read.
FOLLOWS = "PrefixOwner:\n    Type: AWS::SSM::Parameter\n    DependsOn:" in TEMPLATE.read_text()
REVIEWS = 6  # of a check: a thousand would take longer than the rest of a seed


class GoneError(Exception):
    """A version that does not exist, or that an alias uses."""


def import_function(name: str, *modules: str) -> tuple[Any, ...]:
    """Import modules of a function, which are not of a package."""
    folder = str(FUNCTIONS / name)
    sys.path.insert(0, folder)
    try:
        return tuple(map(import_module, modules))
    finally:
        sys.path.remove(folder)


watch, cluster_check = import_function("watch", "watch", "cluster_check")
probe, probe_versions, recordings = import_function("probe", "probe", "versions", "recordings")
(cleanup,) = import_function("cleanup", "cleanup")
(guard_function,) = import_function("guard", "guard")


@contextmanager
def use_clock() -> Generator[None]:
    """Let the functions use the time of the run."""
    time = SimpleNamespace(sleep=system.sleep)
    replaced = [
        (watch, "datetime", CLOCK), (watch, "monotonic", system.monotonic),
        (cleanup, "datetime", CLOCK), (guard_function, "datetime", CLOCK),
        (probe_versions, "time", time), (recordings, "MAX_REVIEWS", REVIEWS),
    ]  # fmt: skip
    with replace_attributes(replaced):
        yield


class Stack:
    """One stack: the published versions, the alias, and who invokes the functions."""

    def __init__(
        self, plan: Plan, baton: Baton, dice: Dice, ledger: Ledger, functions: Functions
    ) -> None:
        self._plan, self._dice = plan, dice
        self._baton, self._ledger, self._functions = baton, ledger, functions
        # What becomes of the number of documents in the parameter of the owner.
        self.announce: Callable[[int], None] = lambda _: None
        self.release = Release(documents=OVERRIDES - 1 if "upgrade" in plan.features else OVERRIDES)
        self.versions = {1: 0.0}
        self.alias: dict[str, Any] = {"Name": ALIAS, "FunctionVersion": "1"}
        self.exceptions = SimpleNamespace(
            ResourceConflictException=GoneError,
            ResourceNotFoundException=GoneError,
            LifecycleEventAlreadyCompletedException=GoneError,
        )
        self._runs = 0
        self._status = ""
        self._asked = ""  # the environment that the watch asked last
        self._is_shifting = False
        self._opened: dict[str, Environment] = {}

    def shift(self, action: Action) -> None:
        """Deploy: publish a version, probe it, and shift the alias; some versions are bad."""
        if self._is_shifting:
            return  # CodeDeploy runs one deployment at a time
        self._is_shifting = True
        documents = NEWEST_DOCUMENTS
        if "downgrade" in self._plan.features and self.release.documents == NEWEST_DOCUMENTS:
            documents = REGISTRY - 1
        new = self._publish(documents=documents, is_bad=action.options["pick"] < 0.4)
        number, is_bad = new.number, new.is_bad
        if not FOLLOWS:
            self.announce(documents)
        self._opened = {str(each.number): self._open(each) for each in (self.release, new)}
        settings = probe.Settings(
            stack="podgraft", function="f", alias=ALIAS, new_version=f"f:{number}"
        )
        clients = probe.Clients(lambda_=self, codedeploy=self, s3=None)
        handler = probe.make_handler(lambda: settings, clients)
        event = {"DeploymentId": "d", "LifecycleEventHookExecutionId": "h"}
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: 600_000)
        began = self._baton.now
        output = self._run("probe", lambda: handler(event, context))
        facts = {"version": number, "bad": is_bad, "status": self._status, "began": began}
        self._ledger.add("stack", "probe", output=output, **facts)
        for each in self._opened.values():
            each.node.killed = True
        if self._status == "Succeeded" and self._move(new):
            self.announce(documents)
        elif not FOLLOWS:
            self.announce(self.release.documents)
        self._is_shifting = False

    def begin(self, announce: Callable[[int], None], signers: Signers) -> None:
        """Deploy the first version."""
        self.announce = announce
        announce(self.release.documents)
        self.release = replace(self.release, signers=signers)
        self._functions.routes = ((self.release, 1.0),)

    def trust(self, signers: Signers) -> None:
        """Deploy the function with other public keys, gradually if it has an alias that shifts."""
        while self._is_shifting:
            self._baton.wait(SETTLE_SECONDS)
        self._is_shifting = True
        new = self._publish(signers=signers)
        self._ledger.add("world", "signers", signers=[*signers.names])
        if "functions" in self._plan.features:
            self._move(new, is_certain=True)
        else:
            self._finish(new)
        self._is_shifting = False

    def _publish(self, **changes: Any) -> Release:
        number = max(self.versions) + 1
        self.versions[number] = self._baton.now
        self._ledger.add("stack", "publish", version=number)
        release = replace(self.release, number=number, **changes)
        self._functions.prepare_snapshot(release)
        return release

    def _move(self, new: Release, *, is_certain: bool = False) -> bool:
        """Shift the alias to a version; false after an alarm, which lets CodeDeploy go back."""
        path = f"stack/{new.number}"
        steps = self._dice.pick(f"{path}/shift", SHIFTS)
        fails = not is_certain and self._dice.chance(f"{path}/alarm", 0.2)
        last = self._dice.whole(f"{path}/step", 0, len(steps) - 1) if fails else len(steps)
        for weight, seconds in steps[: last + 1]:
            self._route(new, weight)
            self._baton.wait(seconds)
        if fails:
            new = self.release
        self._finish(new)
        return not fails

    def _finish(self, new: Release) -> None:
        self.release = new
        self.alias["FunctionVersion"] = str(new.number)
        self._route()
        self._baton.wait(SETTLE_SECONDS)  # what has begun ends
        self._functions.retire(new)

    def watch(self, _action: Action) -> None:
        """Invoke the watch for its two events, as EventBridge does, for some minutes."""
        settings = watch.Settings("podgraft", "f", "", (), {}, SILENT_HOURS, "group")
        invoke = watch.review_check.make_invoke(self, "f")
        log = cluster_check.RequestLog(self, "group", system.sleep)
        handler = watch.make_handler(settings, invoke, log)
        for number, check in enumerate(CHECKS):
            if number:
                self._baton.wait(WATCH_SECONDS)
            began = self._baton.now
            output = self._run("watch", lambda check=check: handler({"check": check}, None))
            facts = {"check": check, "began": began, "output": output, "_env": self._asked}
            self._ledger.add("stack", "watch", **facts)

    def cleanup(self, _action: Action) -> None:
        """Invoke the cleanup."""
        settings = cleanup.Settings("podgraft", "f", ALIAS, KEPT_VERSIONS)
        handler = cleanup.make_handler(settings, self)
        self._run("cleanup", lambda: handler({}, None))

    def _run(self, name: str, work: Callable[[], object]) -> str:
        self._runs += 1
        node = Node(f"{name}/{self._runs}")
        self._baton.spawn(node, work).join()
        return "".join(node.output)

    def _open(self, release: Release) -> Environment:
        environment = Environment(f"env/version-{release.number}.{self._runs}", release)
        self._ledger.add(environment.node.name, "start")
        return environment

    def _route(self, new: Release | None = None, weight: float = 0.0) -> None:
        """Route a share of the requests to a new version, and the others to the live one."""
        routing = {"AdditionalVersionWeights": {str(new.number): weight}} if new else {}
        self.alias["RoutingConfig"] = routing
        routes = [(self.release, 1 - weight)]
        routes += [(new, weight)] if new else []
        self._functions.routes = routes
        self._ledger.add(
            "stack",
            "alias",
            routes=routing,
            version=self.release.number,
            releases=[{**each.describe(), "weight": share} for each, share in routes],
        )

    # What follows are operations of Lambda, CodeDeploy, and CloudWatch Logs, as boto3 names them.

    def get_alias(self, **_: Any) -> Any:
        return self.alias

    def invoke(self, FunctionName: str, Payload: bytes | str) -> Any:  # noqa: N803
        environment = self._opened.get(FunctionName.rpartition(":")[2])
        event = json.loads(Payload)
        if environment is None:
            environment, promise = self._functions.invoke(event, prefers_cold=False, pick=0.5)
            self._asked = environment.node.name
        else:
            promise = self._functions.ask(environment, event)
        if promise is None:
            return {"FunctionError": "Throttled", "Payload": io.BytesIO(b"{}")}
        promise.join(35.0)
        environment.node.output.clear()
        if not promise.done or promise.error is not None:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        return {"Payload": io.BytesIO(json.dumps(promise.result).encode())}

    def put_lifecycle_event_hook_execution_status(self, *, status: str, **_: Any) -> None:
        self._status = status

    def get_paginator(self, operation: str) -> Any:
        versions = [{"Version": "$LATEST", "LastModified": _format(self._baton.now)}]
        versions += [
            {"Version": str(number), "LastModified": _format(time)}
            for number, time in self.versions.items()
        ]
        pages: Any = {"Versions": versions, "Aliases": [self.alias]}
        del operation

        def paginate(FunctionName: str) -> Any:  # noqa: N803
            del FunctionName
            return [pages]

        return SimpleNamespace(paginate=paginate)

    def delete_function(self, *, Qualifier: str, **_: Any) -> None:  # noqa: N803
        self._ledger.add("stack", "delete", version=int(Qualifier))
        if Qualifier == self.alias["FunctionVersion"]:
            raise GoneError
        del self.versions[int(Qualifier)]

    def start_query(self, **arguments: Any) -> Any:
        self._query = arguments
        return {"queryId": "q"}

    def get_query_results(self, **_: Any) -> Any:
        begin, end = (self._query[key] - START_SECONDS for key in ("startTime", "endTime"))
        counts: dict[str, int] = {}
        for event in self._ledger.events:
            if event.kind == "review" and begin <= event.time <= end:
                cluster = event.facts["log"].get("cluster") or ""
                counts[cluster] = counts.get(cluster, 0) + 1
        fields = [{"cluster": name, "requests": str(count)} for name, count in counts.items()]
        rows = [[{"field": k, "value": v} for k, v in each.items() if v] for each in fields]
        return {"status": "Complete", "results": rows}


def _format(seconds: float) -> str:
    moment = datetime.fromtimestamp(START_SECONDS, UTC) + timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S.000+0000}"
