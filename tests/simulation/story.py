"""The story of a run, as a person would tell it, and the same events as lanes for a page."""

from __future__ import annotations

import html
import json
from pathlib import Path

from .ledger import Event
from .run import Result

PAGE = Path(__file__).with_name("lanes.html")
MAX_LINES = 40


def format_time(seconds: float) -> str:
    """Return a virtual time as hours, minutes, and seconds."""
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes) // 60:02d}:{int(minutes) % 60:02d}:{rest:04.1f}"


def tell(result: Result, limit: int = MAX_LINES) -> str:
    """Return the story: the last *limit* events before the first violation, and the violation."""
    violation = result.violations[0] if result.violations else None
    until = violation.time if violation else result.seconds
    described = ((each, _describe_event(each)) for each in result.events if each.time <= until)
    shown = [(each, text) for each, text in described if text]
    lines = [f"  {format_time(each.time)}  {each.lane:<12} {text}" for each, text in shown[-limit:]]
    left_out = len(shown) - len(lines)
    head = [f"LAW {violation.law}: {violation.text}"] if violation else ["no law is violated"]
    if left_out:
        head.append(f"  … {left_out} earlier events")
    return "\n".join([*head, *_describe_weather(result, until), *lines])


def _describe_weather(result: Result, until: float) -> list[str]:
    return [
        f"  {format_time(each.start)}  weather      {each.kind} of {each.service} for "
        f"{each.nodes or 'all'}, {each.rate:.0%} of calls, until {format_time(each.end)}"
        for each in result.plan.windows
        if each.start <= until
    ]


def _describe_event(event: Event) -> str:
    facts = event.facts
    match event.kind:
        case "review":
            return _describe_review(event)
        case "command":
            end = "killed" if facts["killed"] else f"exit {facts['status']}"
            return f"podgraft {facts['line'].replace('/p', 'p')} -> {end}"
        case "parameter":
            version = f"version {facts['version']}" if facts["version"] else "deleted"
            return f"{facts['name']}: {version}, by {facts['by']}"
        case "aws" if facts["result"] != "ok":
            return f"{facts['operation']} -> {facts['result']}"
        case "aws" if "versions" in facts and event.lane.startswith("env/"):
            return f"{facts['operation']} -> {facts['versions']}"
        case "start" | "end" | "init" | "killed" | "damage" | "crash":
            details = ", ".join(f"{key} {value}" for key, value in facts.items())
            return f"{event.kind} {details}".strip()
        case _:
            return ""


def _describe_review(event: Event) -> str:
    facts = event.facts
    served = ""
    if "audit" in facts:
        version = facts["audit"].get("policy-version", "-")
        mark = ", marked" if facts["warnings"] else ""
        track = f", {facts['track']}" if facts["track"] else ""
        served = f", version {version}, {facts['policy']}, {facts['bundle']}{track}{mark}"
    who = "an attacker" if facts["verb"] == "attack" else f"pod web-{facts['pod']}"
    return f"{who} -> {facts['env']}: {facts['code'] or 'no response'}{served}"


def write_page(result: Result, path: Path) -> None:
    """Write a page that draws the lanes of a run; it needs no server and no network."""
    events = [
        {"t": each.time, "lane": each.lane, "kind": each.kind, "text": text, "bad": _is_bad(each)}
        for each in result.events
        if (text := _describe_event(each))
    ]
    data = {
        "seed": result.plan.seed,
        "seconds": result.seconds,
        "heal": result.plan.heal,
        "windows": [
            {"start": w.start, "end": w.end, "text": f"{w.kind} {w.service} {w.nodes}"}
            for w in result.plan.windows
        ],
        "events": events,
        "violations": [
            {"t": each.time, "text": f"{each.law}: {each.text}"} for each in result.violations
        ],
    }
    text = json.dumps(data).replace("</", "<\\/")
    page = PAGE.read_text().replace("{{title}}", html.escape(f"Seed {result.plan.seed}"))
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
