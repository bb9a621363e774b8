"""``python -m simulation.fleet``: a fleet for a week, and what happens to its pods.

The same world as for seeds, with another plan. In calm weather, a review stands for many equal
ones; around each event, every pod is simulated.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

from .baton import prepare_process
from .dice import Dice
from .ledger import Event
from .plan import Action, Plan, Window, make_plan
from .run import run

POD_SECONDS = 30 * 86_400 / 100_000  # between two pods of a cluster: 100,000 a month
STEADY_SECONDS = 20.0  # between two simulated reviews in calm weather
RESTART_PODS, RESTART_SECONDS = 500, 25.0
OUTAGE_SECONDS, BAD_SECONDS = 400.0, 300.0
LOST_SECONDS = 90.0  # three health checks in 30 s, then the minute that a name is cached
AFTER_SECONDS = 60.0
DOLLARS_PER_MILLION = 2.71  # requests: docs/aws.md
BEGIN, END = (
    "<!-- fleet: `make simulate-fleet WRITE=1` writes this table. -->",
    "<!-- end of fleet -->",
)
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"


@dataclass(frozen=True, slots=True)
class Phase:
    """Something that happens to the fleet, at a share of the run; ``restarts`` are clusters."""

    name: str
    share: float
    seconds: float
    restarts: int = 0


PHASES = (
    Phase("a node group of 500 pods restarts", 0.1, RESTART_SECONDS, 1),
    Phase("the same in 8 clusters at once", 0.2, RESTART_SECONDS, 8),
    Phase("the same in 40 clusters at once", 0.3, RESTART_SECONDS, 40),
    Phase("a push, and new tokens for a tenth", 0.4, 120.0),
    Phase("a bad push at 100 %, rolled back after 300 s", 0.5, BAD_SECONDS),
    Phase("Parameter Store is away for 400 s", 0.7, OUTAGE_SECONDS),
    Phase("the region is lost, DNS moves after 90 s", 0.9, LOST_SECONDS),
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
        longest = f"{self.longest:,.0f} s" if self.longest >= 1 else "-"
        counts = (self.pods, self.failed, self.requests, self.failures, self.throttled)
        pods, failed, *rest = (f"{each:,.0f}" for each in counts)
        return pods, failed, longest, *rest, f"{self.starts:,}", f"{most}", f"{self.slowed:,}"


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


def run_fleet(seed: int, clusters: int, hours: float, sample: int = 1) -> tuple[str, bool]:
    """Return the report of a fleet as Markdown, and whether all laws hold."""
    planner = Planner(seed, clusters, hours, sample)
    counts = Counts(planner)
    started = process_time()
    result = run(planner.make(), counts.see)
    seconds = process_time() - started
    names = [CALM, *(each.name for each in PHASES)]
    rows = [HEAD, *((n, *counts.phases[n].cells()) for n in names)]
    requests = sum(each.requests for each in counts.phases.values())
    bill = requests * DOLLARS_PER_MILLION / 1e6
    laws = "; ".join(f"LAW {v.law}: {v.text}" for v in result.violations[:3])
    text = (
        f"{clusters:,} clusters, {hours:.0f} hours in {seconds:.0f} s of processor time "
        f"({result.seconds / seconds:,.0f} × real time): {requests:,.0f} requests, which cost "
        f"${bill:,.2f}. Violated laws: {laws or 'none'}.{_describe_sample(sample)}\n\n"
    )
    first, *others = (f"| {' | '.join(row)} |" for row in rows)
    table = "\n".join([first, "|" + "---|" * len(HEAD), *others])
    return text + table, not result.violations


def _describe_sample(sample: int) -> str:
    if sample == 1:
        return ""
    return (
        f" Each simulated pod, environment, and read stands for {sample}, and the limits of AWS "
        f"are {sample} times lower."
    )


def main() -> int:
    """Run one fleet."""
    parser = argparse.ArgumentParser(prog="simulation.fleet", description=__doc__)
    parser.add_argument("--clusters", type=int, default=300)
    parser.add_argument("--hours", type=float, default=168.0)
    parser.add_argument("--sample", type=int, default=1, help="one pod stands for so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write-docs", action="store_true")
    given = parser.parse_args()
    prepare_process(os.getpid())
    report, holds = run_fleet(given.seed, given.clusters, given.hours, given.sample)
    sys.stdout.write(f"{report}\n")
    if given.write_docs:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n\n{report}\n\n{END}{after}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
