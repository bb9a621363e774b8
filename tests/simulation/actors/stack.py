"""The versions of the function, and the functions beside it, as they ship."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from podgraft.base import system
from simulation.baton import Baton, Node
from simulation.ledger import Ledger
from simulation.machine import CLOCK
from simulation.plan import START_SECONDS, Action

from .functions import Environment, Functions

FUNCTIONS = Path(__file__).parents[3] / "functions"
ALIAS, SILENT_HOURS, KEPT_VERSIONS = "live", 3, 1
SHIFT_SECONDS = 120.0
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


@contextmanager
def use_clock() -> Generator[None]:
    """Let the functions use the time of the run."""
    time = SimpleNamespace(sleep=system.sleep)
    replaced = [
        (watch, "datetime", CLOCK), (watch, "monotonic", system.monotonic),
        (cleanup, "datetime", CLOCK), (probe_versions, "time", time),
        (recordings, "MAX_REVIEWS", REVIEWS),
    ]  # fmt: skip
    before = [(module, name, getattr(module, name)) for module, name, _ in replaced]
    for module, name, value in replaced:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


class Stack:
    """One stack: the published versions, the alias, and who invokes the functions."""

    def __init__(self, baton: Baton, ledger: Ledger, functions: Functions) -> None:
        self._baton, self._ledger, self._functions = baton, ledger, functions
        self.versions = {1: 0.0}
        self.alias: dict[str, Any] = {"Name": ALIAS, "FunctionVersion": "1"}
        self.exceptions = SimpleNamespace(
            ResourceConflictException=GoneError,
            ResourceNotFoundException=GoneError,
            LifecycleEventAlreadyCompletedException=GoneError,
        )
        self._runs = 0
        self._status = ""
        self._is_shifting = False
        self._opened: dict[str, Environment] = {}

    def shift(self, action: Action) -> None:
        """Deploy: publish a version, probe it, and shift the alias; some versions are bad."""
        if self._is_shifting:
            return  # CodeDeploy runs one deployment at a time
        self._is_shifting = True
        number, is_bad = max(self.versions) + 1, action.options["pick"] < 0.4
        self.versions[number] = self._baton.now
        self._ledger.add("stack", "publish", version=number)
        versions = ((self.alias["FunctionVersion"], False), (str(number), is_bad))
        self._opened = {each: self._open(each, is_bad=bad) for each, bad in versions}
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
        if self._status == "Succeeded":
            self._route(AdditionalVersionWeights={str(number): 0.1})
            self._baton.wait(SHIFT_SECONDS)
            self.alias["FunctionVersion"] = str(number)
            self._route()
            self._functions.disturb(Action("deploy", 0.0, "deploy", "env/0"))
        self._is_shifting = False

    def watch(self, _action: Action) -> None:
        """Invoke the watch for its two events, as EventBridge does."""
        settings = watch.Settings("podgraft", "f", "", (), {}, SILENT_HOURS, "group")
        invoke = watch.review_check.make_invoke(self, "f")
        log = cluster_check.RequestLog(self, "group", system.sleep)
        handler = watch.make_handler(settings, invoke, log)
        for check in ("reviews", "clusters"):
            began = self._baton.now
            output = self._run("watch", lambda check=check: handler({"check": check}, None))
            self._ledger.add("stack", "watch", check=check, began=began, output=output)

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

    def _open(self, number: str, *, is_bad: bool) -> Environment:
        environment = Environment(f"env/version-{number}.{self._runs}")
        environment.is_bad = is_bad
        self._ledger.add(environment.node.name, "start")
        return environment

    def _route(self, **routing: Any) -> None:
        self.alias["RoutingConfig"] = routing
        self._ledger.add(
            "stack", "alias", routes=routing, version=int(self.alias["FunctionVersion"])
        )

    # What follows are operations of Lambda, CodeDeploy, and CloudWatch Logs, as boto3 names them.

    def get_alias(self, **_: Any) -> Any:
        return self.alias

    def invoke(self, FunctionName: str, Payload: bytes | str) -> Any:  # noqa: N803
        environment = self._opened.get(FunctionName.rpartition(":")[2])
        event = json.loads(Payload)
        if environment is None:
            environment, promise = self._functions.invoke(event, prefers_cold=False, pick=0.5)
        else:
            promise = self._functions.ask(environment, event)
        if promise is None:
            return {"FunctionError": "Throttled", "Payload": io.BytesIO(b"{}")}
        promise.join(35.0)
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
