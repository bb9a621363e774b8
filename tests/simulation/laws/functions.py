"""Laws about what runs beside the webhook: the census, the watch, the probe, and the cleanup."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from simulation.ledger import Event

from .facts import BOUND_SECONDS, DENIED, MAX_AGE_SECONDS, OVERRIDES_DOCUMENTS, Facts
from .law import Law, Review
from .states import load

CENSUS_KEY, DRY = "default/census-key", "/dry/"
CAP_SECONDS, PER_SECOND, PAUSE_SECONDS, KEY_SECONDS = 0.05, 5, 30.0, 300.0
SETTLED_SECONDS, HOUR_SECONDS, SILENT_HOURS, KEPT_HOURS = 120.0, 3600.0, 3, 4
PROCESSOR_SECONDS = 0.01
_RACED = (
    "written at the same time",
    "revoke one of them first",
    ": expected version ",
    "another command changes",
)
# One injector exists. What is kept of a cluster: its documents, before and after a change.
MAX_OBJECTS, MAX_BYTES = 30, 10_000
OF_CLUSTERS = frozenset({"Callers", "TokenHash", "RevokedToken", "LastKnownGood", "Parameter"})


class Census(Law):
    """A census delays no review by more than its cap, pauses after failures, and ends in time."""

    name = "30 census"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._writes: dict[str, list[float]] = defaultdict(list)
        self._failed: dict[str, list[float]] = defaultdict(list)
        self._calls: dict[str, list[float]] = defaultdict(list)
        self._deleted: float | None = None

    def see(self, event: Event) -> None:
        if event.kind == "parameter" and event.facts["name"] == CENSUS_KEY:
            self._deleted = event.time if event.facts["_text"] is None else None
        if event.kind == "aws" and event.lane.startswith("env/") and _is_census(event):
            self._judge(event)

    def see_review(self, review: Review) -> None:
        seconds = review.event.facts["log"].get("census_milliseconds", 0) / 1000
        if seconds > CAP_SECONDS + PROCESSOR_SECONDS:
            self.violate(f"{review}; the census took {seconds:.3f} s")

    def _judge(self, event: Event) -> None:
        lane, began = event.lane, event.facts["began"]
        # A call that nobody waits for ends after a freeze, when later ones have ended.
        pauses = [(each, began) for each in self._failed[lane]]
        is_over = event.time - began > CAP_SECONDS
        if event.facts["result"] not in {"ok", "PreconditionFailed"} or is_over:
            self._failed[lane].append(began)
            pauses += [(began, each) for each in self._calls[lane] if each > began + CAP_SECONDS]
        self._calls[lane].append(began)
        for failed, each in pauses:
            if 0 <= each - failed < PAUSE_SECONDS - CAP_SECONDS:
                self.violate(f"{lane}: a record {each - failed:.1f} s after a failure")
        if event.facts["operation"] != "PutObject":
            return
        self._writes[lane].append(began)
        if len([each for each in self._writes[lane] if began - 1 < each <= began]) > PER_SECOND:
            self.violate(f"{lane}: more than {PER_SECOND} records in a second")
        if self._deleted is not None and began - self._deleted > KEY_SECONDS + BOUND_SECONDS:
            self.violate(
                f"{lane}: a record {began - self._deleted:.0f} s after the key was deleted"
            )


def _is_census(event: Event) -> bool:
    is_key = event.facts.get("_names") == [CENSUS_KEY]
    return is_key or event.facts["operation"] == "PutObject"


class DryRuns(Law):
    """A dry run leaves no record in the census."""

    name = "26 dry runs"

    def see(self, event: Event) -> None:
        if event.kind == "record" and DRY in event.facts["key"]:
            self.violate(f"{event.facts['by']} recorded {event.facts['key']}")


def is_settled(facts: Facts, began: float, end: float) -> bool:
    """Whether nothing changed and failed for some minutes, and the newest version loads."""
    windows = facts.plan.windows
    is_calm = not any(w.start < end and w.end > began - SETTLED_SECONDS for w in windows)
    newest = facts.versions.get(facts.newest)
    return (
        is_calm
        and facts.has_valid_callers(began)
        and facts.last_change < began - SETTLED_SECONDS
        and newest is not None
        and facts.is_loadable(newest)
    )


class Watched(Law):
    """The watch reports what fails, and nothing else; a cluster that calls is not silent."""

    name = "35 watch"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._called: dict[str, float] = {}

    def see(self, event: Event) -> None:
        if event.kind == "review" and event.facts["log"].get("cluster"):
            self._called[event.facts["log"]["cluster"]] = event.time
        if event.kind != "watch" or not event.facts["output"]:
            return
        found = next(
            json.loads(line)
            for line in event.facts["output"].splitlines()
            if '"message"' in line and "_aws" not in line
        )
        # The world has few environments, and the watch does not wait for a free one.
        problems = [each for each in found.get("problems", []) if "Throttled" not in each]
        is_settled_now = is_settled(self.facts, event.facts["began"], event.time)
        if problems and is_settled_now:
            self.violate(f"{event.lane}: the watch reports {problems}")
        since = event.facts["began"] - self.facts.last_change
        # An environment that has read a policy continues with it, and marks its responses.
        read = self.facts.reader(event.facts["_env"]).policy_time
        is_kept = read > event.facts["began"] - MAX_AGE_SECONDS
        is_missing = self.facts.newest == 0 and bool(found.get("injectors")) and not is_kept
        if is_missing and since > SETTLED_SECONDS and not problems:
            self.violate(f"{event.lane}: no policy is stored, and the watch reports nothing")
        for cluster in found.get("silent", []):
            if event.facts["began"] - self._called.get(cluster, -1e9) < SILENT_HOURS * HOUR_SECONDS:
                self.violate(f"{event.lane}: {cluster} is no silent cluster")


class Probed(Law):
    """No version passes whose responses differ, and in calm weather every other one passes."""

    name = "24 probe"

    def see(self, event: Event) -> None:
        if event.kind != "probe":
            return
        facts = event.facts
        # Without an injector, there is nothing to compare.
        is_compared = '"reviews":0,' not in facts["output"]
        if facts["bad"] and facts["status"] == "Succeeded" and is_compared:
            self.violate(f"{event.lane}: version {facts['version']} differs, and gets traffic")
        newest = self.facts.versions.get(self.facts.newest)
        is_simple = newest is not None and "rollout" not in newest.fields
        is_due = not facts["bad"] and is_simple
        if (
            is_due
            and facts["status"] != "Succeeded"
            and is_settled(self.facts, facts["began"], event.time)
        ):
            self.violate(f"{event.lane}: the check failed: {facts['output']}")


class CleanedUp(Law):
    """The cleanup deletes no version that an alias uses, and none during and after a shift."""

    name = "25 cleanup"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._published, self._live, self._shifts = 0.0, 1, False

    def see(self, event: Event) -> None:
        if event.kind == "publish":
            self._published = event.time
        elif event.kind == "alias":
            self._live, self._shifts = event.facts["version"], bool(event.facts["routes"])
        elif event.kind == "delete" and event.lane == "stack":
            version = event.facts["version"]
            hours = (event.time - self._published) / HOUR_SECONDS
            if version == self._live or self._shifts or hours < KEPT_HOURS - 0.01:
                self.violate(f"deleted version {version}, {hours:.1f} h after a deployment")


def find_excuses(facts: Facts, settled: dict[str, Any]) -> list[str]:
    """Return what a repeated command can say, each with a cause that the world has now."""
    versions = facts.versions.values()
    owner = load(facts.text_at("stack", 1e18) or "")
    newest = facts.versions.get(facts.newest)
    causes = {
        _RACED: settled["raced"],
        # An attempt that died, or that got no response, took effect.
        ("not found; use one of",): settled["raced"] or not settled["first"],
        # The policy was deleted, and its versions with it.
        ("not found; available versions",): bool(facts.removed),
        # A command that had to be repeated, too, denied it since.
        ("use another bundle, or allow it again",): bool(facts.text_at(DENIED, 1e18)),
        ("deploy the stack",): owner.get("documents", OVERRIDES_DOCUMENTS) < OVERRIDES_DOCUMENTS,
        ("or use --end-rollout", "or podgraft rollout abort"): newest is not None
        and (newest.is_broken or "rollout" in newest.fields),
        # Another command ended it.
        ("the policy has no rollout",): newest is None or "rollout" not in newest.fields,
        # Somebody has to choose another version than one that was edited by hand.
        ("names no bundle", "does not validate", "unknown key"): any(v.is_broken for v in versions),
        ("sign it again",): any(
            not facts.is_trusted(each, each.digests[0], facts.signers) for each in versions
        ),
    }
    return [message for messages, is_given in causes.items() if is_given for message in messages]


class Settled(Law):
    """After the healing, each repeated command succeeds, and no lock remains."""

    name = "34 abandoned locks"

    def see(self, event: Event) -> None:
        facts = event.facts
        must_succeed = self.facts.has_valid_callers(event.time)
        if event.kind == "settled" and facts["status"] != 0 and must_succeed:
            if any(each in facts["output"] for each in find_excuses(self.facts, facts)):
                return
            self.violate(f"{facts['line']!r} exits with {facts['status']}: {facts['output']}")
        if event.kind != "end" or event.lane != "world":
            return
        for name, texts in self.facts.parameters.items():
            if name.endswith("/lock") and texts[-1][1] is not None:
                self.violate(f"{name} remains")


class Memory(Law):
    """An environment keeps few objects and bytes, whatever clusters and operators did."""

    name = "39 memory"

    def see(self, event: Event) -> None:
        for name, count in event.facts["objects"].items() if event.kind == "memory" else ():
            most = MAX_BYTES if name == "bytes" else MAX_OBJECTS
            if name in {"bytes", *OF_CLUSTERS}:
                most += most * self.facts.plan.clusters
            if count > most:
                self.violate(f"{event.lane} keeps {count} {name}")


LAWS: tuple[type[Law], ...] = (Census, DryRuns, Watched, Probed, CleanedUp, Settled, Memory)
