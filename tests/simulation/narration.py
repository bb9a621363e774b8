"""What an event is in the words of a person. The story and the page of a run consist of them."""

from __future__ import annotations

import json
import re
from typing import Any

from .ledger import Event

PLAIN = {"start": "starts", "alarm": "an alarm rings, and invokes the guard"}
_DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{56}\b")
# What a command looks for before it writes, and what it does not find.
MISSING = {"ParameterNotFound", "NoSuchKey", "404"}
MOST_LETTERS = 140
SHORT_SECONDS = 30  # a freeze that no refresh interval notices
FATES = {"failed": "is not created", "failed-open": "is created without the webhook"}


def shorten(text: str) -> str:
    """Return the first line of a text, with digests of eight letters."""
    line = _DIGEST.sub(r"\1…", text.strip().split("\n", 1)[0])
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 1]}…"


def name_person(by: str, name: str = "") -> str:
    """Return who stored something."""
    if by != "hand":
        return by
    return "CloudFormation" if name == "stack" else "a person"


class Narrator:
    """Describes events in the order of time. It says once what an environment reads again."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}  # the versions that an environment read last

    def describe(self, event: Event) -> str:
        """Return what happened; empty if a person would not tell it."""
        facts = event.facts
        match event.kind:
            case "review":
                return _describe_review(event)
            case "command":
                return describe_end(event)
            case "parameter" | "store" | "record" | "file" | "damage" | "disk" | "invalid":
                return _describe_change(event)
            case "aws" if facts["result"] != "ok":
                known = facts["result"] in MISSING and event.lane.startswith("operator/")
                return "" if known else f"{facts['operation']} fails: {facts['result']}"
            case "aws" if "versions" in facts and event.lane.startswith("env/"):
                return self._describe_read(event)
            case "killed":
                [(when, call)] = facts.items()
                return f"is killed {when} {call}"
            case "crash":
                return f"crashes: {shorten(facts['error'])}"
            case _:
                return _describe_function(event)

    def _describe_read(self, event: Event) -> str:
        """Return what is new for an environment."""
        facts, known = event.facts, self._known.setdefault(event.lane, {})
        found: dict[str, int] = facts["versions"]
        is_first = not known
        lost = [name for name in facts.get("_names", ()) if known.get(name) and name not in found]
        new = [f"{name} version {n}" for name, n in found.items() if known.get(name) != n]
        known.update({**dict.fromkeys(lost, 0), **found})
        parts = [*(["reads " + ", ".join(new)] if new else [])]
        parts += [f"finds no {', '.join(lost)} any more"] if lost else []
        missing = [name for name in facts.get("_names", ()) if name != "callers"]  # no registry
        if not parts and is_first and missing:
            return f"finds no {', '.join(missing)}"
        if not parts and any(name.endswith("/policy") for name in facts.get("_names", ())):
            return "refreshes; nothing is new"
        return ", and ".join(parts)


def describe_start(event: Event) -> str:
    """Return what a command is, when it starts."""
    return f"runs podgraft {event.facts['line'].replace('/p', 'p')}"


def describe_end(event: Event) -> str:
    """Return how a command ended; a failure with the first line of its message."""
    facts = event.facts
    if facts["killed"]:
        return "never ends"
    output = next((line for line in facts["output"].split("\n") if line.startswith("error:")), "")
    return f"exit {facts['status']}" + (f": {shorten(output)}" if facts["status"] else "")


def _describe_change(event: Event) -> str:
    facts = event.facts
    match event.kind:
        case "parameter":
            who = name_person(facts["by"], facts["name"])
            if facts["version"]:
                return f"{who} stores {facts['name']} version {facts['version']}"
            return f"{who} deletes {facts['name']}"
        case "store":
            verb = "stores" if facts["operation"] == "PutObject" else "deletes"
            return f"{name_person(facts['by'])} {verb} {shorten(facts['key'])}"
        case "record":
            return f"{facts['by']} records a workload"
        case "file":
            return f"{facts['name']} {'changes' if facts['_text'] is not None else 'is deleted'}"
        case "damage":
            verb = "damages" if facts["mark"] == "proxy:x" else "repairs"
            return f"{verb} the bundle {facts['digest'][:8]}…" if facts["digest"] else ""
        case "disk":
            return "the disk is lost" if facts["is_lost"] else "the disk is back"
        case _:
            return "repairs the callers" if facts["repaired"] else "breaks the callers"


def _describe_function(event: Event) -> str:
    facts = event.facts
    match event.kind:
        case "init":
            return f"is ready after {facts['seconds']:.1f} s"
        case "restore":
            return f"is restored from {facts['snapshot']}"
        case "clock" if facts["seconds"] > SHORT_SECONDS:
            return f"wakes after {facts['seconds']:.0f} s, in which its monotonic clock stood still"
        case "publish" | "delete":
            verb = "published" if event.kind == "publish" else "deleted"
            return f"version {facts['version']} of the code is {verb}"
        case "probe":
            return f"the probe of version {facts['version']} of the code: {facts['status']}"
        case "alias":
            weights = facts["routes"].get("AdditionalVersionWeights", {})
            others = "".join(
                f", and version {new} for {share:.0%}" for new, share in weights.items()
            )
            return f"version {facts['version']} of the code is live{others}"
        case _:
            return _describe_cluster(event)


def _describe_cluster(event: Event) -> str:
    facts = event.facts
    match event.kind:
        case "watch":
            return f"the watch checks {facts['check']}"
        case "ready":
            code = facts["_body"]["statusCode"] if facts["_body"] else "no response"
            return f"asks {facts['env']} for its readiness: {code}"
        case "fate":
            return f"pod web-{facts['_review']['pod']} {FATES[facts['fate']]}"
        case "workload":
            verb, failures = facts["verb"], facts["failures"]
            tried = f", after {failures} rounds with failures" if failures else ""
            return f"a Deployment has all pods {facts['seconds']:.0f} s after its {verb}{tried}"
        case "end":
            return "ends" if event.lane != "world" else ""
        case _:
            return PLAIN.get(event.kind, "")


def _describe_review(event: Event) -> str:
    facts = event.facts
    who = "an attacker" if facts["verb"] in {"attack", "wander"} else f"pod web-{facts['pod']}"
    asks = f"{who} asks {'again ' if facts['verb'] == 'again' else ''}{facts['env']}"
    if facts["code"] == 0:
        return f"{asks}: no response within {facts['timeout']} s"
    if "audit" not in facts:
        reason = "no environment is free" if facts["env"] == "gateway" else _read_message(facts)
        return f"{asks}: {facts['code']}" + (f", {reason}" if reason else "")
    version = facts["audit"].get("policy-version", "none")
    sidecar = f"sidecar {facts['bundle']} of {facts['policy']}" if facts["bundle"] else "no sidecar"
    denied = "" if facts["allowed"] else ", denied"
    track = f", {facts['track']}" if facts["track"] else ""
    mark = f"; warning: {shorten(facts['warnings'][0])}" if facts["warnings"] else ""
    return f"{asks}: {facts['code']}, {sidecar}, policy version {version}{track}{denied}{mark}"


def _read_message(facts: dict[str, Any]) -> str:
    """Return the message of a fault, which is a Status of Kubernetes."""
    body: str = facts.get("_body", "")
    return shorten(json.loads(body).get("message", "")) if body.startswith("{") else ""
