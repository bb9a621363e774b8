"""``python -m simulation``: run seeds, tell the story of one, shrink a run, or prove the laws."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from .campaign import run_campaign
from .defects import ALL_DEFECTS, plant
from .defects.proof import TABLE, find_defects, format_table
from .plan import Plan, make_plan
from .reached import forget
from .reached import report as describe_branches
from .run import run
from .shrink import shrink
from .situations import SITUATIONS
from .story import tell, write_page

BUILD = Path("build/simulation")


def say(text: object) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="run one seed, and tell how it ends")
    parser.add_argument("--script", type=Path, help="run the plan in a file, and tell how it ends")
    parser.add_argument("--trace", action="store_true", help="tell the whole story")
    parser.add_argument("--events", action="store_true", help="print all events as JSON")
    parser.add_argument("--shrink", action="store_true", help="make the run as small as possible")
    parser.add_argument("--defect", choices=sorted(ALL_DEFECTS), help="plant a defect")
    parser.add_argument("--defects", action="store_true", help="plant each defect in turn")
    parser.add_argument("--write-docs", action="store_true", help="write the table of defects")
    parser.add_argument("--coverage", help="print the branches not reached; more: of earlier runs")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def run_one(arguments: argparse.Namespace) -> int:
    """Run one plan; print its story, and write its plan and its page."""
    plan = (
        Plan.load(arguments.script.read_text()) if arguments.script else make_plan(arguments.seed)
    )
    with plant(arguments.defect) if arguments.defect else nullcontext():
        result = run(plan)
        if arguments.shrink and result.violations:
            plan = shrink(plan, result.violations[0].law)
            result = run(plan)
    BUILD.mkdir(parents=True, exist_ok=True)
    script, page = BUILD / f"{plan.seed}.json", BUILD / f"{plan.seed}.html"
    script.write_text(plan.dump())
    write_page(result, page)
    say(result.trace() if arguments.events else tell(result, None if arguments.trace else 400))
    say(f"replay: make simulate SCRIPT={script}    page: {page}")
    return 1 if result.violations else 0


def prove_laws(processes: int, *, writes: bool) -> int:
    """Plant each defect, and print or write the table; the status is 1 if one is not found."""
    rows = find_defects(processes)
    table = format_table(rows)
    if writes:
        TABLE.write_text(table)
    found = sum(each.is_found for each in rows)
    say(f"{table}\n{found} of {len(rows)} defects are found.")
    return 0 if found == len(rows) else 1


def main() -> int:
    """Run what the command line says; the status is 1 if a law is violated."""
    arguments = parse_arguments()
    if arguments.seed is not None or arguments.script is not None:
        return run_one(arguments)
    if arguments.defects:
        return prove_laws(arguments.processes, writes=arguments.write_docs)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    if arguments.coverage not in {None, "more"}:
        forget()
    report = run_campaign(seeds, arguments.processes, measures=bool(arguments.coverage))
    say(report)
    for finding in report.findings[:20]:
        say(f"seed {finding.seed}: LAW {finding.first.law}: {finding.first.text}")
    missed = sorted(SITUATIONS.keys() - report.situations.keys())
    say(f"situations that no seed reached: {'; '.join(missed) or 'none'}")
    if arguments.coverage:
        say(describe_branches())
    if report.findings:
        say(f"read one: make simulate SEED={report.findings[0].seed}")
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
