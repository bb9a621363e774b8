"""``python -m simulation.fleet``: a fleet with many clusters, and what its changes cost.

The same world as for seeds, with another plan: steady pods in each cluster, a node group that
restarts, a push, a rotation of tokens, and an outage of Parameter Store.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace

from .dice import Dice
from .plan import BEGIN_SECONDS, Action, Plan, Window, make_plan
from .run import Result, run

RESTART_PODS = 500
OUTAGE_SECONDS = 400.0


def make_fleet_plan(seed: int, clusters: int, hours: float, pause: float) -> Plan:
    """Return a plan in which each cluster creates a pod each *pause* seconds."""
    dice = Dice(seed)
    begin = BEGIN_SECONDS + clusters  # the tokens are issued one after the other
    seconds = begin + hours * 3600
    count = int(clusters * hours * 3600 / pause)
    times = sorted(dice.between(f"fleet/{number}", begin, seconds - 60) for number in range(count))
    restart = begin + hours * 3600 * 0.3
    times += [restart + dice.between(f"restart/{n}", 0, 30) for n in range(RESTART_PODS)]
    reviews = [
        Action(
            id=f"review/{number}",
            time=time,
            verb="review",
            subject=_choose_cluster(dice, number, clusters) if number < count else "c0",
            options={
                "workload": dice.whole(f"workload/{number}", 0, 19),
                "timeout": 10,
                "cold": False,
                "pick": dice.unit(f"pick/{number}"),
            },
        )
        for number, time in enumerate(times)
    ]
    at = begin + hours * 3600 * 0.5
    commands = [Action("command/push", at, "push", "c0", {"bundle": 2})]
    commands += [
        Action(f"command/rotate/{n}", at + 60 + n, "rotate", f"c{n}") for n in range(clusters // 10)
    ]
    outage = begin + hours * 3600 * 0.8
    return replace(
        make_plan(seed),
        seconds=seconds,
        heal=outage + OUTAGE_SECONDS,
        features=("registry", "finished"),
        clusters=clusters,
        environments=max(4, clusters // 6),
        tie="fifo",
        windows=(Window("o", outage, outage + OUTAGE_SECONDS, "timeout", "ssm", "env", 1.0),),
        actions=tuple(sorted([*commands, *reviews], key=lambda each: each.time)),
    )


def _choose_cluster(dice: Dice, number: int, clusters: int) -> str:
    return f"c{dice.whole(f'cluster/{number}', 0, clusters - 1)}"


def describe(result: Result) -> str:
    """Return what the fleet saw, as lines of a table."""
    reviews = [each for each in result.events if each.kind == "review"]
    codes = Counter(each.facts["code"] for each in reviews)
    marked = sum(bool(each.facts.get("warnings")) for each in reviews)
    calls = Counter(each.facts["operation"] for each in result.events if each.kind == "aws")
    reads = Counter(
        int(each.time)
        for each in result.events
        if each.kind == "aws"
        and each.lane.startswith("env")
        and each.facts["operation"].startswith("GetParam")
    )
    pushed = next(
        (each.time for each in result.events if each.lane == "aws/ssm" and each.time > BEGIN_SECONDS
         and each.facts["name"] == "default/policy"), 0.0,
    )  # fmt: skip
    older = [
        each.time for each in reviews
        if each.time > pushed and each.facts.get("audit", {}).get("policy-version") == "1"
    ]  # fmt: skip
    waits = sorted(each.facts["seconds"] for each in reviews)
    rows = {
        "virtual hours": f"{result.seconds / 3600:.1f}",
        "real seconds": f"{result.real_seconds:.0f}",
        "speed": f"{result.seconds / result.real_seconds:,.0f} × real time",
        "reviews by code": ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())),
        "marked as older": str(marked),
        "wait, median, 99 %, longest": ", ".join(
            f"{waits[int(share * (len(waits) - 1))]:.3f} s" for share in (0.5, 0.99, 1)
        ),
        "cold starts": str(sum(each.kind == "start" for each in result.events)),
        "last answer before the push": f"{max(older, default=pushed) - pushed:.0f} s",
        "most reads of Parameter Store in a second": str(max(reads.values(), default=0)),
        "calls of AWS": ", ".join(f"{name} {count}" for name, count in calls.most_common(6)),
        "violations": "; ".join(f"{v.law}: {v.text}" for v in result.violations[:3]) or "none",
    }
    return "\n".join(f"| {name} | {value} |" for name, value in rows.items())


def main() -> int:
    """Run one fleet."""
    parser = argparse.ArgumentParser(prog="simulation.fleet", description=__doc__)
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--pause", type=float, default=25.0, help="seconds between two pods")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    result = run(make_fleet_plan(given.seed, given.clusters, given.hours, given.pause))
    sys.stdout.write(f"{describe(result)}\n")
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
