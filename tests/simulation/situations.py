"""Situations that runs must reach: a law that never meets its situation proves nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from .baton import NEWEST_DOCUMENTS
from .ledger import Event

_Test = Callable[[Event], bool]


def _review(test: _Test) -> _Test:
    return lambda event: event.kind == "review" and test(event)


def _command(start: str) -> _Test:
    return lambda event: (
        event.kind == "command"
        and event.facts["line"].startswith(start)
        and event.facts["status"] == 0
    )


def _has_warning(part: str) -> _Test:
    return _review(lambda event: any(part in each for each in event.facts.get("warnings", [])))


SITUATIONS: dict[str, _Test] = {
    "a candidate responds": _review(lambda event: event.facts.get("track") == "candidate"),
    "a candidate is disabled": _review(
        lambda event: event.facts["log"].get("candidate") == "disabled"
    ),
    "an older version responds, because the store fails": _has_warning("confirmed"),
    "an older version responds, because a newer one does not load": _has_warning("instead of"),
    "older callers are in force": _has_warning("callers"),
    "no version is loaded": _review(lambda event: event.facts["code"] == 503),
    "a revoked or unknown token is refused": _review(lambda event: event.facts["code"] == 401),
    "a caller is throttled": _review(
        lambda event: event.facts["code"] == 429 and event.facts["env"] != "gateway"
    ),
    "no response comes in time": _review(lambda event: event.facts["code"] == 0),
    "a command is killed": lambda event: event.kind == "killed",
    "a registry is stored": lambda event: (
        event.kind == "parameter" and event.facts["name"] == "callers"
    ),
    "a bundle is pruned": lambda event: (
        event.kind == "store"
        and event.facts["operation"] == "DeleteObject"
        and event.facts["key"].startswith("bundles/")
    ),
    "overrides are stored": lambda event: (
        event.kind == "store" and event.facts["key"].endswith("clusters.yaml")
    ),
    "an address is refused": _review(lambda event: event.facts["code"] == 403),
    "a workload is recorded": lambda event: event.kind == "record",
    "the probe refuses a version": lambda event: (
        event.kind == "probe" and event.facts["status"] == "Failed"
    ),
    "the monotonic clock stopped in a freeze": lambda event: event.kind == "clock",
    "a version is deleted": lambda event: event.kind == "delete",
    "two versions of the code get requests": lambda event: (
        event.kind == "alias" and len(event.facts["releases"]) > 1
    ),
    "an earlier release starts": lambda event: (
        event.kind == "init" and event.facts.get("documents", NEWEST_DOCUMENTS) < NEWEST_DOCUMENTS
    ),
    "an environment is restored": lambda event: event.kind == "restore",
    "a pod is created without the webhook": lambda event: (
        event.kind == "fate" and event.facts["fate"] == "failed-open"
    ),
    "a request is sent again": _review(lambda event: event.facts["verb"] == "again"),
    "a workload has its pods": lambda event: event.kind == "workload",
    "a review takes long": lambda event: event.kind == "duration" and event.facts["seconds"] > 2,
    "a disk is lost": lambda event: event.kind == "disk" and event.facts["is_lost"],
    **{
        f"{line} succeeds": _command(line)
        for line in (
            "policy push",
            "policy rollback",
            "policy delete",
            "policy deny",
            "policy undeny",
            "policy prune",
            "policy rollout start",
            "policy rollout start --shadow",
            "policy rollout step",
            "policy rollout pause",
            "policy rollout promote",
            "policy rollout abort",
            "policy rollout release",
            "tokens rotate",
            "tokens revoke",
            "fleet adopt",
            "fleet apply",
            "tokens allow",
            "tokens forbid",
            "policy census on",
            "policy census off",
        )
    },
}


def count_situations(events: Iterable[Event]) -> Counter[str]:
    """Return how often each situation was reached."""
    counts: Counter[str] = Counter()
    for event in events:
        if event.kind != "aws":  # most events, and no situation is one of them
            counts.update(name for name, test in SITUATIONS.items() if test(event))
    return counts
