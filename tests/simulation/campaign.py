"""Many seeds on several processes, and what they showed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from time import perf_counter
from typing import Any

from .baton import prepare_process
from .defects import DEFECTS, plant
from .ledger import Violation
from .plan import make_plan, name_contents
from .reached import measure
from .run import run
from .situations import count_situations

CHUNK = 5
YEAR_SECONDS = 365.25 * 86_400


@dataclass(slots=True)
class Finding:
    """A seed that violates laws, and the first of them."""

    seed: int
    first: Violation


@dataclass(slots=True)
class Report:
    """The sum of all seeds."""

    seeds: int = 0
    virtual_seconds: float = 0.0
    real_seconds: float = 0.0
    reviews: int = 0
    commands: int = 0
    calls: int = 0
    findings: list[Finding] = field(default_factory=list[Finding])
    situations: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: Report) -> None:
        """Add the seeds of another report."""
        self.seeds += other.seeds
        self.virtual_seconds += other.virtual_seconds
        self.reviews += other.reviews
        self.commands += other.commands
        self.calls += other.calls
        self.findings += other.findings
        self.situations += other.situations

    def __str__(self) -> str:
        years = self.virtual_seconds / YEAR_SECONDS
        speed = self.virtual_seconds / max(self.real_seconds, 1e-9)
        return (
            f"{self.seeds} seeds, {years:.2f} virtual years in {self.real_seconds:.0f} s "
            f"({speed:,.0f} × real time): {self.reviews} reviews, {self.commands} commands, "
            f"{self.calls} calls of AWS; {len(self.findings)} seeds violate a law"
        )


def run_seeds(seeds: Sequence[int], defect: str = "", *, measures: bool = False) -> Report:
    """Run seeds in this process; with *defect*, until the first violation."""
    report = Report()
    needs = DEFECTS[defect].needs if defect else ()
    with ExitStack() as stack:
        if defect:
            stack.enter_context(plant(defect))
        if measures:
            stack.enter_context(measure())
        for seed in seeds:
            plan = make_plan(seed)
            if not set(needs) <= name_contents(plan):
                continue
            result = run(plan)
            report.seeds += 1
            report.virtual_seconds += result.seconds
            kinds = Counter(each.kind for each in result.events)
            report.reviews += kinds["review"]
            report.commands += kinds["command"]
            report.calls += kinds["aws"]
            report.situations += count_situations(result.events)
            if result.violations:
                report.findings.append(Finding(seed, result.violations[0]))
                if defect:
                    break
    return report


def open_pool(processes: int) -> ProcessPoolExecutor:
    """Open a pool of processes that run seeds, each on its own processor."""
    context = get_context("spawn")
    started = context.Value("i", 0)
    return ProcessPoolExecutor(
        processes, mp_context=context, initializer=_prepare, initargs=(started,)
    )


def _prepare(started: Any) -> None:
    with started.get_lock():
        number = started.value
        started.value += 1
    prepare_process(number)


def run_campaign(seeds: Iterable[int], processes: int, *, measures: bool = False) -> Report:
    """Run seeds on several processes; with *measures*, record which branches they reach."""
    started = perf_counter()
    listed = list(seeds)
    chunks = [listed[start : start + CHUNK] for start in range(0, len(listed), CHUNK)]
    report = Report()
    if processes == 1:
        report.add(run_seeds(listed, measures=measures))
    else:
        with open_pool(processes) as pool:
            for part in pool.map(partial(run_seeds, measures=measures), chunks):
                report.add(part)
    report.real_seconds = perf_counter() - started
    report.findings.sort(key=lambda each: each.seed)
    return report
