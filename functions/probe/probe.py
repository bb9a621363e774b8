"""The probe of a stack, which CodeDeploy invokes before a new version gets traffic.

It sends recorded reviews to the new version and to the live one, and compares the responses byte
for byte. A difference that ``ExpectedChanges`` does not list fails the deployment, as does anything
that prevents the comparison. The probe changes nothing, so it can run twice. It needs no layers:
botocore is a part of Lambda's runtime.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Protocol, TypeAlias

import recordings
from recordings import RecordedReview
from versions import Change, RefusedError, Version, compare_versions, make_invoke

Event: TypeAlias = Mapping[str, Any]

# The check ends this long before the timeout of the function, to report its result.
_RESERVED_MILLISECONDS = 60_000
_MAX_CHANGES = 20
_MAX_LINES = 20
_ANY = "any"
_ALL_INJECTORS = "*"
_SHARE = "share"


class Context(Protocol):
    """The context of an invocation, as far as this module uses it."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the timeout."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The environment of the function; template.yaml sets all variables."""

    stack: str
    function: str  # the ARN of the webhook function
    alias: str
    new_version: str  # the ARN of the version that gets traffic after the check
    census: str = ""  # the bucket of recorded workloads; empty without one
    expected: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Parse the variables."""
        return cls(
            stack=environment["PROBE_STACK"],
            function=environment["PROBE_FUNCTION"],
            alias=environment["PROBE_ALIAS"],
            new_version=environment["PROBE_NEW_VERSION"],
            census=environment.get("PROBE_CENSUS", ""),
            expected=parse_expected(environment.get("PROBE_EXPECTED_CHANGES", "")),
        )

    def expects(self, change: Change) -> bool:
        """Whether the release makes a change on purpose. A harmful one needs its kind."""
        injectors = (_ALL_INJECTORS, change.injector)
        kinds = (change.kind,) if change.is_harmful else (_ANY, change.kind)
        return any((name, kind) in self.expected for name in injectors for kind in kinds)


@dataclass(slots=True)
class Result:
    """What the check found. The fields of the line have the names of docs/monitoring.md."""

    live: str = ""
    new: str = ""
    reviews: int = 0
    omitted: int = 0
    reason: str = ""
    note: str = ""
    unexpected: Counter[Change] = field(default_factory=Counter[Change])
    expected: Counter[Change] = field(default_factory=Counter[Change])


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The clients of AWS."""

    lambda_: Any
    codedeploy: Any
    s3: Any


def parse_expected(text: str) -> frozenset[tuple[str, str]]:
    """Parse ``INJECTOR=KIND,…``; template.yaml validates the form."""
    items = (item.strip().partition("=") for item in text.split(",") if item.strip())
    return frozenset((injector, kind) for injector, _, kind in items)


def make_handler(
    load_settings: Callable[[], Settings], clients: Clients
) -> Callable[[Event, Context], None]:
    """Return the function that Lambda calls."""

    def handle(event: Event, context: Context) -> None:
        result = Result()
        stack = ""
        try:
            settings = load_settings()
            stack = settings.stack
            _check(settings, clients, context, result)
        except RefusedError as error:
            result.reason = str(error)
        except Exception as error:  # noqa: BLE001 - whatever prevents the check fails the deployment
            result.reason = f"the check failed: {_describe(error)}"
        status = "Failed" if result.reason else "Succeeded"
        _print_result(stack, result, status)
        _report(clients.codedeploy, event, status)

    return handle


def _check(settings: Settings, clients: Clients, context: Context, result: Result) -> None:
    """Compare both versions; raises ``RefusedError``."""
    result.new = settings.new_version.rpartition(":")[2]
    alias = clients.lambda_.get_alias(FunctionName=settings.function, Name=settings.alias)
    result.live = str(alias["FunctionVersion"])
    if int(result.new) <= int(result.live):
        # A rollback must never fail, and neither must a second run after the deployment.
        result.note = "not compared: the version is live, or older than the live one"
        return
    live, new = (
        Version(number, make_invoke(clients.lambda_, f"{settings.function}:{number}"))
        for number in (result.live, result.new)
    )
    states = [version.read_state() for version in (live, new)]
    for state in states:
        check_rollouts(state)
    _check_inventory(*states)
    reviews = _select_reviews(settings, clients.s3, states[0], result)
    _compare_all(settings, (live, new), reviews, context, result)
    # An operator can start one during the check.
    check_rollouts(new.read_state())


def check_rollouts(state: Mapping[str, Any]) -> None:
    """Raise ``RefusedError`` if an injector has a rollout in mode share.

    The alias selects a version of the code at random for each review, and the rollout selects a
    configuration. A difference would have two possible causes.
    """
    for injector, rollout in sorted(state["rollouts"].items()):
        if rollout["mode"] == _SHARE:
            raise RefusedError(
                f"injector {injector}: rollout {rollout['id']} is in mode share; end it with "
                "podgraft rollout promote or abort, or pause it, and deploy again"
            )


def _check_inventory(live: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    for key in ("injectors", "clusters"):
        if live[key] != new[key]:
            raise RefusedError(f"the new version does not find the {key} of the live version")


def _select_reviews(
    settings: Settings, s3: Any, state: Mapping[str, Any], result: Result
) -> Iterator[RecordedReview]:
    injectors, clusters = state["injectors"], state["clusters"]
    bodies = recordings.read_packaged_bodies()
    workloads = (
        recordings.list_recorded_workloads(s3, settings.census, injectors)
        if settings.census
        else ()
    )
    selected = list(islice(workloads, recordings.MAX_REVIEWS))
    packaged = recordings.list_packaged_reviews(injectors, clusters, bodies)
    limit = recordings.MAX_REVIEWS - len(selected)
    count = len(bodies) * len(injectors) * (len(recordings.ROUTES) + len(clusters))
    result.omitted = max(0, count - limit)
    return chain(selected, islice(packaged, limit))


def _compare_all(
    settings: Settings,
    versions: tuple[Version, Version],
    reviews: Iterable[RecordedReview],
    context: Context,
    result: Result,
) -> None:
    successes, failures = 0, 0
    for review in reviews:
        if context.get_remaining_time_in_millis() < _RESERVED_MILLISECONDS:
            raise RefusedError(f"out of time after {result.reviews} reviews")
        comparison = compare_versions(*versions, review)
        result.reviews += 1
        successes += comparison.is_success
        change = comparison.change
        if change is None:
            continue
        if settings.expects(change):
            result.expected[change] += 1
        else:
            result.unexpected[change] += 1
            failures += 1
    if failures:
        first = next(iter(result.unexpected))
        raise RefusedError(
            f"{failures} of {result.reviews} responses differ; first: injector {first.injector}, "
            f"{first.lines[0]}; if the release changes this on purpose, set "
            f"ExpectedChanges={_format_expected(result.unexpected)}"
        )
    if result.reviews and not successes:
        raise RefusedError("no review succeeded, so nothing was compared")
    if not result.reviews:
        result.note = "not compared: no injector has a policy"


def _format_expected(changes: Iterable[Change]) -> str:
    names = dict.fromkeys(f"{change.injector}={change.kind}" for change in changes)
    return ",".join(islice(names, _MAX_CHANGES))


def _describe(error: Exception) -> str:
    """Return the kind of an error. Its text can quote a request."""
    response: Any = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    operation = getattr(error, "operation_name", "")
    return f"{code} of {operation}" if code and operation else type(error).__name__


def _report(codedeploy: Any, event: Event, status: str) -> None:
    """Report the result to CodeDeploy; a second report of one execution changes nothing.

    It raises the errors of the service: without a report, the deployment fails after an hour.
    """
    try:
        codedeploy.put_lifecycle_event_hook_execution_status(
            deploymentId=event["DeploymentId"],
            lifecycleEventHookExecutionId=event["LifecycleEventHookExecutionId"],
            status=status,
        )
    except codedeploy.exceptions.LifecycleEventAlreadyCompletedException:
        return


def _print_result(stack: str, result: Result, status: str) -> None:
    line: dict[str, Any] = {
        "level": "ERROR" if result.reason else "INFO",
        "message": "deployment_check",
        "service": stack,
        "status": status,
        "live": result.live,
        "new": result.new,
        "reviews": result.reviews,
        "omitted": result.omitted,
    }
    line |= {key: text for key in ("reason", "note") if (text := getattr(result, key))}
    for name, changes in (("changes", result.unexpected), ("expected", result.expected)):
        if changes:
            line[name] = [
                {
                    "injector": change.injector,
                    "kind": change.kind,
                    "paths": change.lines[:_MAX_LINES],
                    "reviews": count,
                }
                for change, count in changes.most_common(_MAX_CHANGES)
            ]
    print(json.dumps(line, separators=(",", ":")), flush=True)  # noqa: T201  Lambda's log


def _open_handler(environment: Mapping[str, str]) -> Callable[[Event, Context], None]:
    import botocore.config  # a part of Lambda's runtime
    import botocore.session

    session: Any = botocore.session.get_session()
    # A review ends after 30 s.
    config = botocore.config.Config(read_timeout=35)
    clients = Clients(
        lambda_=session.create_client("lambda", config=config),
        codedeploy=session.create_client("codedeploy"),
        s3=session.create_client("s3"),
    )
    return make_handler(lambda: Settings.from_environment(environment), clients)


if "PROBE_STACK" in os.environ:
    handler = _open_handler(os.environ)
