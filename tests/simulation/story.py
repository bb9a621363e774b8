"""The story of a run, as a person would tell it, and the same events as lanes for a page."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from .ledger import Event, Violation
from .narration import Narrator, describe_start
from .plan import Plan
from .run import Result

PAGE = Path(__file__).with_name("lanes.html")
MAX_LINES = 40
WEATHER, END = "weather", "exit "


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the story: who did what, and whether something failed."""

    time: float
    who: str
    what: str
    is_bad: bool = False


def format_time(seconds: float) -> str:
    """Return a virtual time as hours, minutes, and seconds."""
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}:{rest:04.1f}"


def tell(result: Result, limit: int | None = MAX_LINES) -> str:
    """Return the story until the first violation, and what each cluster saw until then.

    With *limit*, it has the last lines only; without, all of them.
    """
    violation = result.violations[0] if result.violations else None
    until = violation.time if violation else result.seconds
    seen = [each for each in result.events if each.time <= until]
    shown = sorted(
        [*_describe_weather(result.plan, until), *list_lines(seen)], key=lambda each: each.time
    )
    shown = list(_join_equal(shown))
    left_out = max(0, len(shown) - limit) if limit is not None else 0
    lines = [f"  {format_time(each.time)}  {each.who:<14} {each.what}" for each in shown[left_out:]]
    head = [_name_violation(violation) if violation else "no law is violated"]
    head.append(_describe_world(result.plan))
    if left_out:
        head.append(f"  … {left_out} earlier lines; TRACE=1 prints them")
    return "\n".join([*head, *lines, *_sum_up(seen)])


def _name_violation(violation: Violation) -> str:
    return f"LAW {violation.law}, at {format_time(violation.time)}: {violation.text}"


def _describe_world(plan: Plan) -> str:
    kind = "workers of serve" if "serve" in plan.features else "environments of Lambda"
    heals = f", without faults from {format_time(plan.heal)} on" if plan.heal < plan.seconds else ""
    return (
        f"seed {plan.seed}: {format_time(plan.seconds)} hours{heals}; clusters: {plan.clusters}, "
        f"{kind}: up to {plan.environments}; features: {', '.join(plan.features) or 'none'}"
    )


def list_lines(events: Iterable[Event]) -> list[Line]:
    """Return the lines of events in the order of time; a command begins before it ends."""
    narrator, lines = Narrator(), list[Line]()
    for event in events:
        what = narrator.describe(event)
        if event.kind == "command":
            lines.append(Line(event.facts["began"], event.lane, describe_start(event)))
        if what:
            time = event.facts.get("at", event.time)  # a crash is noted at the end
            lines.append(Line(time, event.lane, what, _is_bad(event)))
    lines.sort(key=lambda each: each.time)
    return _join_commands(lines)


def _join_commands(lines: list[Line]) -> list[Line]:
    """Tell a command in one line if nothing else happened until its end."""
    joined = list[Line]()
    for line in lines:
        last = joined[-1] if joined else line
        if last.who == line.who and line.what.startswith(END) and not last.what.startswith(END):
            joined[-1] = replace(last, what=f"{last.what}: {line.what}", is_bad=line.is_bad)
        else:
            joined.append(line)
    return joined


def _join_equal(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield one line for several that say the same."""
    for _, group in groupby(lines, key=lambda each: (each.who, each.what)):
        first, *others = group
        until = f" ({1 + len(others)} times until {format_time(others[-1].time)})" if others else ""
        yield replace(first, what=first.what + until)


def _describe_weather(plan: Plan, until: float) -> Iterator[Line]:
    for each in plan.windows:
        what = f"{each.kind} of {each.service} for {each.nodes or 'all'}"
        text = f"{what}, {each.rate:.0%} of calls, until {format_time(each.end)}"
        if each.start <= until:
            yield Line(each.start, WEATHER, text)
        if each.end <= until:
            yield Line(each.end, WEATHER, f"{what} ends")


def _sum_up(events: Iterable[Event]) -> Iterator[str]:
    """Yield what each cluster saw: how often which response, of which versions."""
    responses: dict[str, Counter[str]] = {}
    versions: dict[str, dict[str, None]] = {}
    for each in events:
        if each.kind == "review":
            answer = str(each.facts["code"] or "no response")
            responses.setdefault(each.lane, Counter())[answer] += 1
            version = each.facts.get("audit", {}).get("policy-version")
            versions.setdefault(each.lane, {}).update({version: None} if version else {})
    for cluster in sorted(responses):
        counts = ", ".join(f"{code} {n} times" for code, n in sorted(responses[cluster].items()))
        served = ", ".join(versions[cluster]) or "none"
        yield f"  {cluster} saw: {counts}; policy versions: {served}"


def write_page(result: Result, path: Path) -> None:
    """Write a page that draws the lanes of a run; it needs no server and no network."""
    plan = result.plan
    events = [*_describe_weather(plan, plan.seconds), *list_lines(result.events)]
    data = {
        "about": _describe_world(plan),
        "seconds": plan.seconds,
        "windows": [{"start": each.start, "end": each.end} for each in plan.windows],
        "events": [
            {"t": each.time, "who": each.who, "text": each.what, "bad": each.is_bad}
            for each in sorted(events, key=lambda each: each.time)
        ],
        "violations": [
            {"t": each.time, "text": _name_violation(each)} for each in result.violations
        ],
    }
    text = json.dumps(data).replace("</", "<\\/")
    page = PAGE.read_text().replace("{{title}}", html.escape(f"Seed {plan.seed}"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.replace("{{data}}", text))


def _is_bad(event: Event) -> bool:
    facts = event.facts
    return (
        (event.kind == "aws" and facts["result"] != "ok")
        or (event.kind == "review" and facts["code"] not in {200, 401})
        or (event.kind == "command" and facts["status"] != 0)
        or event.kind in {"killed", "crash", "damage"}
    )
