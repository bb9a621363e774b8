"""Laws about commands: what they write, and what remains if they die or race."""

from __future__ import annotations

import re
from collections import defaultdict

from simulation.ledger import Event

from .facts import BRAKES, DENIED, POLICY, StoredPolicy
from .law import Law
from .states import as_object

ALL_BRAKE, STOPS_ALL = "brake", 'id: "*"'
_SWITCHES = ("policy push", "policy rollback")
_DENIED = (DENIED, f"{DENIED}/lock")
USAGE = 2  # the exit status of a wrong command line
# What a command may write: the start of its line, and patterns of parameters and objects.
WRITES = (
    ("policy push", (POLICY, "object")),
    ("policy rollback", (POLICY, "object")),
    ("policy delete", (POLICY, *BRAKES, "default/.*", "delete")),
    ("policy deny", _DENIED),
    ("policy undeny", _DENIED),
    ("policy census o", ("default/census-key",)),
    ("policy prune", ("delete",)),
    ("policy rollout release", BRAKES),
    ("policy rollout abort", (POLICY, "default/brake")),
    ("policy rollout", (POLICY, "object")),
    ("tokens", ("auth/.*", "callers", "object")),
    ("fleet apply", ("auth/.*", "callers", "object")),
    ("fleet adopt", ("auth/.*", "callers", "object")),
)


class OwnWrites(Law):
    """A command changes only what it names, and a dry run changes nothing."""

    name = "10 own writes"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._writes: dict[str, list[str]] = defaultdict(list)

    def see(self, event: Event) -> None:
        if event.kind == "parameter":
            self._writes[event.facts["by"]].append(event.facts["name"])
        elif event.kind == "store":
            kind = "object" if event.facts["operation"] == "PutObject" else "delete"
            self._writes[event.facts["by"]].append(kind)
        elif event.kind == "command":
            self._judge(event, self._writes.pop(event.lane, []))

    def _judge(self, event: Event, writes: list[str]) -> None:
        line: str = event.facts["line"]
        allowed = next((names for start, names in WRITES if line.startswith(start)), ())
        if "--dry-run" in line:
            allowed = ()
        for name in writes:
            if not any(re.fullmatch(each, name) for each in allowed):
                self.violate(f"{event.lane}: {line!r} changed {name}")


class CompleteVersions(Law):
    """When a command stores a version, its bundle is complete."""

    name = "21 partial state"

    def see(self, event: Event) -> None:
        if event.kind != "parameter" or event.facts["name"] != POLICY:
            return
        version = self.facts.versions.get(event.facts["version"])
        if version is None or not event.facts["by"].startswith("operator/"):
            return
        if version.is_broken:  # a pause or a step keeps what a person wrote by hand
            return
        before = self.facts.versions.get(version.number - 1)
        own = _find_digests(version) - (_find_digests(before) if before else set[str]())
        for digest in own:
            if not self.facts.objects.get(digest.removeprefix("sha256:")):
                self.violate(f"{event.lane}: version {version.number} names a missing bundle")


def _find_digests(version: StoredPolicy) -> set[str]:
    candidate = as_object(as_object(version.fields.get("rollout")).get("candidate"))
    found = (*version.digests, candidate.get("bundle"))
    return {digest for digest in found if digest and isinstance(digest, str)}


class Replaced(Law):
    """A push with status 0 replaced the version that it read, and no other silently."""

    name = "20 silent overwrites"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._read: dict[str, int] = {}

    def see(self, event: Event) -> None:
        if event.kind == "aws" and event.facts.get("history") is not None:
            self._read[event.lane] = max(event.facts["history"], self._read.get(event.lane, 0))
        if event.kind != "command" or event.facts["status"] != 0:
            return
        written = [each for each in self.facts.versions.values() if each.by == event.lane]
        if not written or "delete" in event.facts["line"]:
            return
        own = {each.number for each in written}
        newest = max(own)
        seen = self._read.get(event.lane, 0)
        for number in range(seen + 1, newest):
            if number not in own:
                self.violate(
                    f"{event.lane}: {event.facts['line']!r} exited with 0, but version {newest} "
                    f"replaced version {number}, which it had not read"
                )


class PushedTag(Law):
    """A push with status 0 stored the policy of its folder, or it was in force already."""

    name = "19 lost updates"

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind != "command" or facts["status"] != 0 or not facts["policy"]:
            return
        if not facts["line"].startswith("policy push") or "--dry-run" in facts["line"]:
            return
        stored = [*self.facts.versions.values(), *self.facts.removed]
        if not any(f"policy: {facts['policy']}}}" in each.text for each in stored):
            self.violate(f"{event.lane}: {facts['line']!r} exited with 0; nothing is stored")


class Denials(Law):
    """A denial remains on the list until somebody allows the bundle again."""

    name = "19 lost denials"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._denied: set[str] = set()
        self._ended: set[str] = set()  # the commands that deny

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind == "command" and facts["line"].startswith(("policy deny", "policy undeny")):
            digest = facts["line"].split()[2]
            if facts["line"].startswith("policy undeny"):
                self._denied.discard(digest)
            elif facts["status"] == 0:
                self._denied.add(digest)
                self._ended.add(event.lane)
                _, text, writer = self.facts.parameters[DENIED][-1]
                lost = [each for each in sorted(self._denied) if each not in (text or "")]
                if lost and writer in self._ended:
                    self.violate(f"{event.lane}: {writer} lost {len(lost)} denials")
        if event.kind == "parameter" and facts["name"] == DENIED and facts["by"] == "hand":
            self._denied.clear()


class Allowed(Law):
    """A push or a rollback with status 0 puts nothing in force that was denied before."""

    name = "7 denied pushes"

    def see(self, event: Event) -> None:
        facts = event.facts
        is_push = event.kind == "command" and facts["line"].startswith(_SWITCHES)
        if not is_push or facts["status"] != 0:
            return
        denied = self.facts.text_at(DENIED, facts["began"]) or ""
        for version in self.facts.versions.values():
            if version.by == event.lane and any(each in denied for each in version.digests):
                self.violate(f"{event.lane}: {facts['line']!r} exited with 0; a bundle is denied")


class Pruned(Law):
    """A bundle that a stored version or the deny list names is never deleted."""

    name = "22 prune"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._read: dict[str, float] = {}

    def see(self, event: Event) -> None:
        if event.kind == "aws" and event.facts.get("history") is not None:
            self._read[event.lane] = event.time
        if event.kind != "store" or event.facts["operation"] != "DeleteObject":
            return
        if event.facts["by"] == "hand" or not event.facts["key"].startswith("bundles/"):
            return
        by, digest = event.facts["by"], event.facts["key"].split("/")[2]
        read = self._read.get(by, event.time)
        for version in self.facts.versions.values():
            if digest in version.text and version.time < read:
                self.violate(f"{by}: deleted the bundle of version {version.number}")


class Guarded(Law):
    """An alarm stops all rollouts after three attempts at most, and changes nothing else."""

    name = "23 guard"

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind == "parameter" and facts["by"].startswith("guard/"):
            stored = self.facts.parameters[ALL_BRAKE]
            before = stored[-2][1] if len(stored) > 1 else None
            if facts["name"] != ALL_BRAKE or STOPS_ALL in (before or ""):
                self.violate(f"{event.lane}: {facts['by']} changed {facts['name']}")
        if event.kind != "alarm":
            return
        windows = self.facts.plan.windows
        if facts["error"] != "''":
            if not any(each.start < event.time and each.end > facts["began"] for each in windows):
                self.violate(f"{event.lane}: the guard failed: {facts['error']}")
            return
        stored = self.facts.parameters.get(ALL_BRAKE, [(0.0, None, "")])
        was_released = stored[-1][1] is None and stored[-1][0] > facts["began"]
        if STOPS_ALL not in (stored[-1][1] or "") and not was_released:
            self.violate(f"{event.lane}: after the alarm, the brake is {stored[-1][1]!r}")


class Crashes(Law):
    """No process of podgraft ends with an exception that nobody handles."""

    name = "0 crashes"

    def see(self, event: Event) -> None:
        if event.kind == "crash":
            self.violate(f"{event.lane}: {event.facts['error']}")
        is_usage = event.kind == "command" and event.facts["status"] == USAGE
        if is_usage and "Usage:" in event.facts["output"] and not self.facts.states[-1].is_lost:
            self.violate(f"{event.lane}: {event.facts['line']!r}: {event.facts['output']}")


LAWS: tuple[type[Law], ...] = (
    OwnWrites, CompleteVersions, Replaced, PushedTag, Denials, Allowed, Pruned, Guarded, Crashes,
)  # fmt: skip
