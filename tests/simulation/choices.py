"""What people and callers choose: the kinds of commands and mistakes, with their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dice import Dice

# Where requests come from: two addresses, IPv6, a private front, and what is none.
SOURCES = (
    "198.51.100.24", "198.51.100.24", "198.51.100.24", "203.0.113.9", "2001:db8::9",
    "::ffff:198.51.100.7", "vpce-0123456789abcdef0", "unknown",
)  # fmt: skip
GOLDEN = 0.618034
# Mistakes of each world with edits by hand, and what replaces a file of a folder.
MISTAKES = (
    "callers", "rollout", "pointer", "denied", "stray", "no bundle", "cut", "tampered", "unsigned",
    "object", "brake", "overrides",
)  # fmt: skip
LINKS = ("nowhere", "folder", "empty", "bytes", "loop", "self")
_Options = Callable[[Dice, str], dict[str, Any]]


def choose_bundle(dice: Dice, path: str) -> dict[str, Any]:
    halves = dice.chance(f"{path}/halves", 0.3)  # how an editor writes, in a folder
    is_large = dice.chance(f"{path}/large", 0.7)  # a policy, or what is denied of it
    return {"bundle": dice.whole(f"{path}/bundle", 1, 4), "halves": halves, "large": is_large}


def _choose_gap(dice: Dice, path: str) -> dict[str, Any]:
    seconds, broken = dice.scale(f"{path}/gap", 20, 600), dice.chance(f"{path}/broken", 0.5)
    return {**choose_bundle(dice, path), "seconds": seconds, "broken": broken}


def _choose_share(dice: Dice, path: str) -> dict[str, Any]:
    return {
        **choose_bundle(dice, path),
        "group": dice.chance(f"{path}/group", 0.5),
        "kind": "bad" if dice.chance(f"{path}/bad", 0.15) else "",
        "share": dice.pick(f"{path}/share", (10, 50, 50, 100)),
        "mode": dice.pick(f"{path}/mode", ("start", "start", "shadow")),
    }


def _choose_back(dice: Dice, path: str) -> dict[str, Any]:
    return {"back": dice.whole(f"{path}/back", 1, 3)}


def _choose_hand(dice: Dice, path: str) -> dict[str, Any]:
    kinds = (
        "yaml", "key", "missing", "unsigned", "replay", "replay", "brake", "brake", "brake",
        "denied", "object", "restore", "mend", "callers", "callers", "callers", "rollout",
        "rollout", "rollout", "pointer", "pointer", "secure", "stray", "incomplete",
        "tampered", "cut", "no bundle", "overrides",
    )  # fmt: skip
    kind = dice.pick(f"{path}/kind", kinds)
    return {**choose_bundle(dice, path), "kind": kind, "pick": dice.unit(f"{path}/pick")}


def _choose_days(_dice: Dice, _path: str) -> dict[str, Any]:
    return {"days": 1}


def _choose_flood(_dice: Dice, _path: str) -> dict[str, Any]:
    return {"workload": 0, "timeout": 10, "cold": False, "pick": 0.0, "source": SOURCES[0]}


def _choose_nothing(_dice: Dice, _path: str) -> dict[str, Any]:
    return {}


def _choose_census(dice: Dice, path: str) -> dict[str, Any]:
    return {"action": dice.pick(f"{path}/action", ("on", "on", "on", "off", "stats", "purge"))}


def _choose_fleet(dice: Dice, path: str) -> dict[str, Any]:
    return {"pick": dice.unit(f"{path}/pick")}


def choose_disk(dice: Dice, path: str) -> dict[str, Any]:
    return {
        "seconds": dice.scale(f"{path}/seconds", 1, 1000),
        "empty": dice.chance(f"{path}/empty", 0.5),
        "kind": dice.pick(f"{path}/kind", LINKS),
        "file": dice.pick(f"{path}/file", _FILES),
    }


_FILES = (
    "default/policy.yaml", "default/bundle/injector.yaml", "default/brake.yaml", "denied.yaml",
    "auth/c0.yaml", "brake.yaml",
)  # fmt: skip


def _choose_alarm(dice: Dice, path: str) -> dict[str, Any]:
    return {"deliveries": dice.pick(f"{path}/deliveries", (1, 1, 2))}


# What people do: verb, the feature that it belongs to, weight, and its options.
VERBS: tuple[tuple[str, str, int, _Options], ...] = (
    ("push", "", 6, choose_bundle),
    ("dry-run", "", 1, choose_bundle),
    ("rollback", "", 2, _choose_back),
    ("recreate", "", 1, _choose_gap),
    ("deny", "deny", 3, choose_bundle),
    ("undeny", "deny", 2, choose_bundle),
    ("rotate", "tokens", 4, _choose_nothing),
    ("revoke", "tokens", 3, _choose_nothing),
    ("hand", "hands", 4, _choose_hand),
    ("prune", "prune", 2, _choose_days),
    ("flood", "floods", 1, _choose_flood),
    ("rollout", "rollout", 8, _choose_share),
    ("step", "rollout", 4, _choose_share),
    ("pause", "rollout", 3, _choose_nothing),
    ("promote", "rollout", 4, _choose_nothing),
    ("abort", "rollout", 3, _choose_nothing),
    ("release", "rollout", 2, _choose_nothing),
    ("alarm", "rollout", 2, _choose_alarm),
    ("keys", "signatures", 2, choose_bundle),
    ("wander", "", 1, _choose_flood),
    ("ready", "", 2, _choose_flood),
    ("census", "census", 4, _choose_census),
    ("apply", "sources", 4, _choose_fleet),
    ("shift", "functions", 2, _choose_fleet),
    ("watch", "functions", 2, _choose_nothing),
    ("cleanup", "functions", 2, _choose_nothing),
    ("unmount", "serve", 4, choose_disk),
    ("link", "serve", 4, choose_disk),
)
