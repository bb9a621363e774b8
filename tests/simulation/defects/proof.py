"""The proof that the laws find defects: the first seed that finds each, and the law."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from simulation.campaign import open_pool, run_seeds
from simulation.plan import Plan, make_plan
from simulation.shrink import shrink

from . import DEFECTS, plant

MAX_SEEDS = 200
TABLE = Path(__file__).with_name("table.md")
_HEAD = f"""\
# Planted defects

`make simulate-defects WRITE=1` writes this table: which law finds each defect first, at which of
{MAX_SEEDS} seeds, and what is left of the plan of that seed when its run is made small: its actions
and windows of weather, and how many clusters and environments they need. `make simulate SEED=0
DEFECT=D2 SHRINK=1` prints the story of such a small run.

| | planted defect | law | seed | actions + windows | made small | clusters + environments |
|---|---|---|---|---|---|---|
"""
SHRINK_SECONDS = 15.0  # of processor time


@dataclass(frozen=True, slots=True)
class Row:
    """One defect: the law that finds it first, and the seed; no law if none does."""

    name: str
    law: str = ""
    seed: int = -1
    small: Plan | None = None

    @property
    def is_found(self) -> bool:
        """Whether one of the laws that the catalog lists finds the defect first."""
        return self.law.partition(" ")[0] in DEFECTS[self.name].laws.split()

    def __str__(self) -> str:
        plan = make_plan(self.seed)
        small = self.small or plan
        law = self.law if self.is_found else f"**not found** {self.law}"
        sizes = [f"{len(each.actions)} + {len(each.windows)}" for each in (plan, small)]
        sizes.append(f"{small.clusters} + {small.environments}")
        cells = [self.name, DEFECTS[self.name].words, law, str(self.seed), *sizes]
        return f"| {' | '.join(cells)} |\n"


def find_defects(processes: int, names: Iterable[str] = DEFECTS) -> list[Row]:
    """Return a row for each defect."""
    with open_pool(processes) as pool:
        return list(pool.map(find_defect, names))


def find_defect(name: str) -> Row:
    """Plant one defect, run seeds until a law is violated, and make that run small."""
    for each in run_seeds(range(MAX_SEEDS), name).findings:
        with plant(name):
            small = shrink(make_plan(each.seed), each.first.law, SHRINK_SECONDS)
        return Row(name, each.first.law, each.seed, small)
    return Row(name)


def format_table(rows: list[Row]) -> str:
    """Return the table as Markdown."""
    return _HEAD + "".join(map(str, rows))
