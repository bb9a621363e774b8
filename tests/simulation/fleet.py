"""``python -m simulation.fleet``: a fleet for a week, and what happens to its pods.

The same world as for seeds, with another plan. In calm weather, a review stands for many equal
ones; around each event, every pod is simulated.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

from .actors.functions import BURST, RATE
from .baton import prepare_process
from .dice import Dice
from .ledger import Event, Violation
from .plan import Action, Plan, Window, make_plan
from .run import run

POD_SECONDS = 30 * 86_400 / 100_000  # between two pods of a cluster: 100,000 a month
STEADY_SECONDS = 20.0  # between two simulated reviews in calm weather
RESTART_PODS, RESTART_SECONDS = 500, 25.0
OUTAGE_SECONDS, BAD_SECONDS = 400.0, 300.0
LOST_SECONDS = 90.0  # three health checks in 30 s, then the minute that a name is cached
AFTER_SECONDS = 60.0
BEGIN, END = (
    "<!-- fleet: `make simulate-fleet WRITE=1` writes this table. -->",
    "<!-- end of fleet -->",
)
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
COSTS = PAGE.with_name("aws.md")  # tools/cost.py works its figures out
MONTH_SECONDS = 30 * 86_400.0
FLEETS = ((300, 1), (3_000, 10))  # clusters, and how many pods a simulated one stands for
# What is worked out instead of simulated: pods a second of a node group, the seconds of a cold
# start, and what a person plans for if DNS moves, with connections that stay idle for 90 s.
PODS_A_SECOND, COLD_SECONDS, MOVED_SECONDS = 20, 0.2, 180.0
TOLERANCE = 0.1
COMPARISON = "More than 10 % from what [was worked out](aws.md#cost-of-a-fleet):"


@dataclass(frozen=True, slots=True)
class Phase:
    """Something that happens to the fleet, at a share of the run; ``restarts`` are clusters."""

    name: str
    share: float
    seconds: float
    restarts: int = 0


PHASES = (
    Phase("a node group of 500 pods restarts", 0.1, RESTART_SECONDS, 1),
    Phase("the same in 8 clusters", 0.2, RESTART_SECONDS, 8),
    Phase("the same in 40 clusters", 0.3, RESTART_SECONDS, 40),
    Phase("a push, and new tokens for a tenth", 0.4, 120.0),
    Phase("a bad push at 100 %, rolled back after 300 s", 0.5, BAD_SECONDS),
    Phase("Parameter Store is away for 400 s", 0.7, OUTAGE_SECONDS),
    Phase("the region is lost for 90 s", 0.9, LOST_SECONDS),
)
CALM = "calm weather"


class Planner:
    """The plan of one fleet."""

    def __init__(self, seed: int, clusters: int, hours: float, sample: int = 1) -> None:
        self.sample = sample
        self._dice, self._seed, self._clusters = Dice(seed), seed, clusters
        self.begin = 120.0 + clusters  # the tokens are issued one after the other
        self._seconds = hours * 3600
        self._pods = 0

    @property
    def _pause(self) -> float:
        """The seconds between two simulated pods."""
        return POD_SECONDS / self._clusters * self.sample

    def at(self, phase: Phase) -> float:
        """Return when a phase begins."""
        return self.begin + phase.share * self._seconds

    def make(self) -> Plan:
        """Return the plan."""
        lost, outage = self.at(PHASES[6]), self.at(PHASES[5])
        actions = [*self._make_calm(), *self._make_commands()]
        for phase in PHASES:
            start, end = self.at(phase), self.at(phase) + phase.seconds + AFTER_SECONDS
            actions += self._make_steady(phase.name, start, end, self._pause)
            for cluster in range(min(phase.restarts, self._clusters)):
                for number in range(cluster % self.sample, RESTART_PODS, self.sample):
                    time = start + number * RESTART_SECONDS / RESTART_PODS
                    actions.append(self._make_pod(phase.name, time, cluster, self.sample))
        return replace(
            make_plan(self._seed),
            seconds=self.begin + self._seconds,
            heal=self.begin + self._seconds,
            features=("registry", "finished", "fleet"),
            clusters=self._clusters,
            environments=1000 // self.sample,
            sample=self.sample,
            tie="fifo",
            windows=(
                Window("ssm", outage, outage + OUTAGE_SECONDS, "timeout", "ssm", "env", 1.0),
                Window("gateway", lost, lost + LOST_SECONDS, "lost", "gateway", "none", 1.0),
            ),
            actions=tuple(sorted(actions, key=lambda each: each.time)),
        )

    def _make_calm(self) -> list[Action]:
        busy = [(self.at(each), self.at(each) + each.seconds + AFTER_SECONDS) for each in PHASES]
        pause = max(STEADY_SECONDS, self._pause)
        pods = self._make_steady(CALM, self.begin, self.begin + self._seconds - 60, pause)
        return [each for each in pods if not any(a <= each.time < b for a, b in busy)]

    def _make_steady(self, phase: str, start: float, end: float, pause: float) -> list[Action]:
        weight = pause * self._clusters / POD_SECONDS
        count = int((end - start) / pause)
        times = (self._dice.between(f"{phase}/{number}", start, end) for number in range(count))
        return [self._make_pod(phase, time, None, weight) for time in times]

    def _make_pod(
        self, phase: str, time: float, cluster: int | None, weight: float = 1.0
    ) -> Action:
        self._pods += 1
        path = f"pod/{self._pods}"
        if cluster is None:
            cluster = self._dice.whole(f"{path}/cluster", 0, self._clusters - 1)
        options = {"workload": self._dice.whole(path, 1, 19), "timeout": 10, "cold": False}
        options |= {"pick": 0.0, "phase": phase, "weight": weight}
        return Action(path, time, "review", f"c{cluster}", options)

    def _make_commands(self) -> list[Action]:
        push, bad, lost = self.at(PHASES[3]), self.at(PHASES[4]), self.at(PHASES[6])
        return [
            Action("command/push", push, "push", "c0", {"bundle": 2}),
            *[
                Action(f"command/rotate/{n}", push + 60 + n, "rotate", f"c{n}")
                for n in range(self._clusters // 10)
            ],
            Action("command/bad", bad, "push", "c0", {"bundle": 3, "kind": "bad"}),
            Action("command/back", bad + BAD_SECONDS, "rollback", "c0", {"back": 1}),
            # The other region has no environment yet.
            Action("lambda/lost", lost + LOST_SECONDS - 0.1, "deploy", "env/0"),
        ]


@dataclass(slots=True)
class Count:
    """What happened in a phase. Pods of calm weather have a weight."""

    pods: float = 0
    failed: float = 0  # not created at once: delayed, or with Ignore without its sidecar
    longest: float = 0.0
    requests: float = 0
    throttled: float = 0
    failures: float = 0  # responses with 5xx, none, or a denial
    starts: int = 0
    slowed: int = 0  # reads of Parameter Store above its limit
    reads: Counter[int] = field(default_factory=Counter[int])

    def cells(self) -> tuple[str, ...]:
        """Return the cells of its row."""
        most = max(self.reads.values(), default=0)
        longest = f"{self.longest:,.0f}s" if self.longest >= 1 else "-"
        counts = (self.pods, self.failed, self.requests, self.failures, self.throttled)
        pods, failed, *rest = (f"{each:,.0f}" for each in counts)
        return pods, failed, longest, *rest, f"{self.starts:,}", f"{most:,}", f"{self.slowed:,}"


class Counts:
    """The counts of all phases; a watcher of the ledger."""

    def __init__(self, planner: Planner) -> None:
        self.phases: dict[str, Count] = defaultdict(Count)
        self._sample = planner.sample
        self._times = [(planner.at(each), each) for each in PHASES]

    def see(self, event: Event) -> None:
        """Count an event."""
        facts = event.facts
        is_throttled = facts.get("result") == "ThrottlingException"
        match event.kind:
            case "review":
                self._see_review(event)
            case "pod":
                count = self.phases[facts["phase"]]
                count.pods += facts["weight"]
                count.failed += facts["weight"] if facts["failures"] else 0
                count.longest = max(count.longest, facts["seconds"])
            case "start":
                self.phases[self._find_phase(event.time)].starts += self._sample
            case "aws" if event.lane.startswith("env") and facts["operation"].startswith("GetPar"):
                count = self.phases[self._find_phase(event.time)]
                count.reads[int(event.time)] += self._sample
                count.slowed += self._sample * is_throttled
            case _:
                pass

    def _see_review(self, event: Event) -> None:
        facts = event.facts
        count = self.phases[facts["_phase"]]
        count.requests += facts["_weight"]
        count.throttled += facts["_weight"] if facts["env"] == "gateway" else 0
        if facts["env"] != "gateway" and not facts.get("allowed"):
            count.failures += facts["_weight"]

    def _find_phase(self, time: float) -> str:
        for start, phase in self._times:
            if start <= time < start + phase.seconds + AFTER_SECONDS:
                return phase.name
        return CALM


HEAD = (
    "", "pods", "delayed", "longest", "requests", "failed", "refused", "cold starts",
    "reads/s", "throttled",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one fleet."""

    planner: Planner
    clusters: int
    hours: float
    processor_seconds: float
    phases: dict[str, Count]
    violations: list[Violation]

    @property
    def requests(self) -> float:
        """The requests of all phases."""
        return sum(each.requests for each in self.phases.values())

    def __str__(self) -> str:
        speed = self.hours * 3600 / self.processor_seconds
        laws = "; ".join(f"LAW {v.law}: {v.text}" for v in self.violations[:3])
        sample = self.planner.sample
        each = "" if sample == 1 else f", one pod simulated for {sample}"
        return (
            f"{self.clusters:,} clusters, {self.hours:.0f} hours{each}: "
            f"{self.processor_seconds:.0f} s of processor time ({speed:,.0f}× real time), "
            f"{self.requests:,.0f} requests for ${self.requests * _read_price() / 1e6:,.2f}. "
            f"Violated laws: {laws or 'none'}."
        )

    def compare(self) -> Iterator[tuple[str, float, float, str]]:
        """Yield what was worked out, what happened, and the reason of a difference."""
        large = self.phases[PHASES[2].name]
        together = min(PHASES[2].restarts, self.clusters)
        pods = together * RESTART_PODS
        month = self.clusters * MONTH_SECONDS / POD_SECONDS
        yield (
            "requests of a week", month * self.hours * 3600 / MONTH_SECONDS, self.requests,
            "restarts, and reviews that are repeated",
        )  # fmt: skip
        yield (
            "cold starts of 40 clusters", together * PODS_A_SECOND * COLD_SECONDS, large.starts,
            "throttled reads prolong each",
        )  # fmt: skip
        yield (
            "their delayed pods", max(0.0, pods - RATE * RESTART_SECONDS - BURST),
            large.failed, "repeated reviews and other pods count too",
        )  # fmt: skip
        yield (
            "seconds without the region", MOVED_SECONDS,
            self.phases[PHASES[6].name].longest, "no idle connections",
        )  # fmt: skip


def _read_price() -> float:
    """Return the dollars of a million requests, as docs/aws.md works them out."""
    found = re.search(r"reviews × \$([0-9.]+) a million", COSTS.read_text())
    assert found is not None
    return float(found[1])


def run_fleet(seed: int, clusters: int, hours: float, sample: int = 1) -> Outcome:
    """Run one fleet."""
    planner = Planner(seed, clusters, hours, sample)
    counts = Counts(planner)
    started = process_time()
    result = run(planner.make(), counts.see)
    seconds = process_time() - started
    return Outcome(planner, clusters, hours, seconds, counts.phases, result.violations)


def format_report(outcomes: Sequence[Outcome]) -> str:
    """Return the report as Markdown: a cell has a figure for each fleet."""
    names = [CALM, *(each.name for each in PHASES)]
    rows: list[Sequence[str]] = []
    for name in names:
        cells = zip(*(each.phases[name].cells() for each in outcomes), strict=True)
        rows.append((name, *("/".join(each) for each in cells)))
    first, *others = (f"| {' | '.join(row)} |" for row in (HEAD, *rows))
    table = "\n".join([first, "|" + "---|" * len(HEAD), *others])
    head = "\n\n".join(map(str, outcomes))
    return f"{head}\n\n{table}\n\n{format_comparison(outcomes)}"


def format_comparison(outcomes: Sequence[Outcome]) -> str:
    """Return which figures differ from those that were worked out, and why."""
    lines: list[str] = []
    for rows in zip(*(each.compare() for each in outcomes), strict=True):
        if any(abs(simulated - paper) > TOLERANCE * paper for _, paper, simulated, _ in rows):
            paper, simulated = ("/".join(f"{row[at]:,.0f}" for row in rows) for at in (1, 2))
            lines.append(f"- {rows[0][0]}: {paper}, simulated {simulated}; {rows[0][3]}")
    return "\n".join([COMPARISON, "", *lines])


def main() -> int:
    """Run one fleet, or, for the page, all of them."""
    parser = argparse.ArgumentParser(prog="simulation.fleet", description=__doc__)
    parser.add_argument("--clusters", type=int, default=FLEETS[0][0])
    parser.add_argument("--hours", type=float, default=168.0)
    parser.add_argument("--sample", type=int, default=1, help="one pod stands for so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write-docs", action="store_true", help="run all fleets of the page")
    given = parser.parse_args()
    prepare_process(os.getpid())
    fleets = FLEETS if given.write_docs else ((given.clusters, given.sample),)
    outcomes = [run_fleet(given.seed, each, given.hours, sample) for each, sample in fleets]
    report = format_report(outcomes)
    sys.stdout.write(f"{report}\n")
    if given.write_docs:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n\n{report}\n\n{END}{after}")
    return 1 if any(each.violations for each in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
