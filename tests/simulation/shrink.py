"""Make a run that violates a law as small as possible: fewer actions, windows, and processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import process_time
from typing import TypeVar

from .plan import Action, Plan
from .run import run

T = TypeVar("T")
LIMIT_SECONDS = 60.0  # of processor time


def shrink(plan: Plan, law: str, limit_seconds: float = LIMIT_SECONDS) -> Plan:
    """Return a smaller plan whose first violation is of the same law."""
    ends = process_time() + limit_seconds

    def fails(candidate: Plan) -> bool:
        if process_time() > ends:
            return False
        violations = run(candidate).violations
        return bool(violations) and violations[0].law == law

    plan = _cut_after(plan, law, fails)
    for _ in range(2):
        plan = _remove_windows(plan, fails)
        plan = _remove_actions(plan, fails)
        plan = _reduce_sizes(plan, fails)
    return plan


def _cut_after(plan: Plan, law: str, fails: Callable[[Plan], bool]) -> Plan:
    """Remove what happens after the violation."""
    time = next(each.time for each in run(plan).violations if each.law == law)
    kept = tuple(each for each in plan.actions if each.time <= time)
    cut = replace(plan, actions=kept, seconds=min(plan.seconds, time + 60))
    return cut if fails(cut) else plan


def _remove_windows(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    return replace(
        plan, windows=_minimize(plan.windows, lambda kept: fails(replace(plan, windows=kept)))
    )


def _remove_actions(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    return replace(
        plan, actions=_minimize(plan.actions, lambda kept: fails(replace(plan, actions=kept)))
    )


def _reduce_sizes(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    for smaller in (
        replace(plan, environments=1),
        replace(plan, clusters=1, actions=tuple(map(_move_to_first, plan.actions))),
        replace(plan, tie="fifo"),
        replace(plan, actions=tuple(replace(each, kill=0) for each in plan.actions)),
    ):
        if smaller != plan and fails(smaller):
            plan = smaller
    return plan


def _move_to_first(action: Action) -> Action:
    return replace(action, subject="c0") if action.subject.startswith("c") else action


def _minimize(items: Sequence[T], fails: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Return a part of *items* that still fails: delta debugging by halves, quarters, and so on."""
    kept, size = tuple(items), max(len(items) // 2, 1)
    while kept:
        start, removed = 0, False
        while start < len(kept):
            smaller = kept[:start] + kept[start + size :]
            if fails(smaller):
                kept, removed = smaller, True
            else:
                start += size
        if size == 1 and not removed:
            break
        size = max(size // 2, 1) if not removed or size > 1 else size
    return kept
