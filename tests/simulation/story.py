"""The story of a run, as a person would tell it, and the same events as lanes for a page."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from .ledger import Event
from .run import Result

PAGE = Path(__file__).with_name("lanes.html")
MAX_LINES = 40
PLAIN = {"start": "starts", "end": "ends", "alarm": "an alarm rings, and invokes the guard"}


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
    described = [(each.time, each.lane, _describe_event(each)) for each in seen]
    shown = sorted(
        [*_describe_weather(result, until), *(each for each in described if each[2])],
        key=lambda each: each[0],
    )
    left_out = max(0, len(shown) - limit) if limit is not None else 0
    lines = [f"  {format_time(time)}  {who:<12} {what}" for time, who, what in shown[left_out:]]
    head = [f"LAW {violation.law}: {violation.text}"] if violation else ["no law is violated"]
    if left_out:
        head.append(f"  … {left_out} earlier events")
    return "\n".join([*head, *lines, *_sum_up(seen)])


def _describe_weather(result: Result, until: float) -> Iterator[tuple[float, str, str]]:
    for each in result.plan.windows:
        what = f"{each.kind} of {each.service} for {each.nodes or 'all'}"
        text = f"{what}, {each.rate:.0%} of calls, until {format_time(each.end)}"
        if each.start <= until:
            yield each.start, "weather", text
        if each.end <= until:
            yield each.end, "weather", f"{what} ends"


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


def _describe_event(event: Event) -> str:
    facts = event.facts
    match event.kind:
        case "review":
            return _describe_review(event)
        case "command":
            end = "is killed" if facts["killed"] else f"exit {facts['status']}"
            return f"runs podgraft {facts['line'].replace('/p', 'p')}: {end}"
        case "parameter":
            done = f"version {facts['version']}" if facts["version"] else "is deleted"
            return f"{facts['name']}: {done}, by {facts['by']}"
        case "aws" if facts["result"] != "ok":
            return f"{facts['operation']} fails: {facts['result']}"
        case "aws" if "versions" in facts and event.lane.startswith("env/"):
            read = (f"{name} version {number}" for name, number in facts["versions"].items())
            found = ", ".join(read)
            return f"reads {found}" if found else f"finds no {', '.join(facts.get('_names', []))}"
        case _:
            return _describe_change(event)


def _describe_change(event: Event) -> str:
    facts = event.facts
    match event.kind:
        case "init":
            return f"is ready after {facts['seconds']:.1f} s"
        case "publish":
            return f"version {facts['version']} of the code is published"
        case "probe":
            return f"the probe of version {facts['version']} of the code: {facts['status']}"
        case "alias":
            weights = facts["routes"].get("AdditionalVersionWeights", {})
            others = "".join(
                f", and version {new} for {share:.0%}" for new, share in weights.items()
            )
            return f"version {facts['version']} of the code is live{others}"
        case "disk":
            return "the disk is lost" if facts["is_lost"] else "the disk is back"
        case "file":
            return f"{facts['name']} {'changes' if facts['_text'] is not None else 'is deleted'}"
        case "killed" | "damage" | "crash":
            details = ", ".join(f"{key} {value}" for key, value in facts.items())
            return f"{event.kind} {details}".strip()
        case _:
            return PLAIN.get(event.kind, "")


def _describe_review(event: Event) -> str:
    facts = event.facts
    who = "an attacker" if facts["verb"] == "attack" else f"pod web-{facts['pod']}"
    asks = f"{who} asks {facts['env']}"
    if facts["code"] == 0:
        return f"{asks}: no response within {facts['timeout']} s"
    if "audit" not in facts:
        return f"{asks}: {facts['code']}"
    version = facts["audit"].get("policy-version", "none")
    sidecar = f"sidecar {facts['bundle']} of {facts['policy']}" if facts["bundle"] else "no sidecar"
    denied = "" if facts["allowed"] else ", denied"
    track = f", {facts['track']}" if facts["track"] else ""
    mark = ", with a warning" if facts["warnings"] else ""
    return f"{asks}: {facts['code']}, {sidecar}, policy version {version}{track}{denied}{mark}"


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
