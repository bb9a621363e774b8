"""The proof that the laws find defects: the first seed that finds each, and its smallest run."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from simulation.campaign import run_seeds
from simulation.plan import Plan, make_plan
from simulation.shrink import shrink

from . import DEFECTS, plant

MAX_SEEDS = 200
SHRINK_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Row:
    """One defect: who found it, and how small the run became."""

    name: str
    words: str
    is_found: bool
    law: str = ""
    seed: int = -1
    before: str = ""
    after: str = ""


def find_defects(processes: int, names: Iterable[str] = DEFECTS) -> list[Row]:
    """Return a row for each defect."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(find_defect, names))


def find_defect(name: str) -> Row:
    """Plant one defect, run seeds until a law is violated, and shrink that run."""
    defect = DEFECTS[name]
    findings = run_seeds(range(MAX_SEEDS), name).findings
    if not findings:
        return Row(name, defect.words, is_found=False)
    first = findings[0].first
    plan = make_plan(findings[0].seed)
    with plant(name):
        small = shrink(plan, first.law, SHRINK_SECONDS)
    is_found = first.law.split()[0] in defect.laws.split()
    before, after = _describe(plan), _describe(small)
    return Row(name, defect.words, is_found, first.law, plan.seed, before, after)


def _describe(plan: Plan) -> str:
    return f"{len(plan.actions)} + {len(plan.windows)}"


def format_table(rows: list[Row]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| | planted defect | law | seed | actions + windows | shortened |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        law = row.law if row.is_found else f"**not found** {row.law}"
        lines.append(
            f"| {row.name} | {row.words} | {law} | {row.seed} | {row.before} | {row.after} |"
        )
    found = sum(row.is_found for row in rows)
    return "\n".join([*lines, "", f"{found} of {len(rows)} defects are found."])
