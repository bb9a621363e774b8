"""Load ``serve`` and the Lambda handler with a load of 70 %: ``make soak SECONDS=3600``.

Measures, for each of the two: errors, memory, p99/p50, and how far a hostile share of 10 % moves
the p99 of the others. docs/reliability.md describes the load.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.bench_input import load_benchmark_input
from endurance import fronts, phases
from endurance.phases import PhaseResult
from page_sections import write_section

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
BEGIN = "<!-- soak: `make soak SECONDS=... WRITE=1` writes this table. -->"
END = "<!-- end of soak -->"
_COLUMNS = (
    *("front", "phase", "requests/s", "requests", "errors"),
    *("p50", "p99", "p99/p50", "unadjusted", "memory", "disturbed", "stolen"),
)
_OPEN = {"serve": fronts.open_serve, "lambda": fronts.open_lambda}


def main(arguments: Sequence[str] | None = None) -> int:
    """0, or 1 if a requirement is not met."""
    options = _parse(arguments)
    inputs = load_benchmark_input()
    results: list[PhaseResult] = []
    for name in options.front or list(_OPEN):
        with (
            TemporaryDirectory(prefix="podgraft-soak-") as folder,
            _OPEN[name](inputs, Path(folder)) as front,
        ):
            for result in phases.run_phases(front, inputs, Path(folder), options.seconds):
                results.append(result)
                print(describe(result), flush=True)
    problems = phases.find_problems(results)
    for problem in problems:
        print(f"not met: {problem}")
    if options.write_docs:
        today = datetime.now(UTC).date().isoformat()
        cores = os.cpu_count() or 1
        machine = f"{cores} cores, {inputs.source}"
        table = render_table(results, options.seconds, today, machine)
        write_section(PAGE, BEGIN, END, table)
    return int(bool(problems))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="duration of each phase with load"
    )
    parser.add_argument("--front", action="append", choices=list(_OPEN), help="load this one")
    parser.add_argument(
        "--write-docs", action="store_true", help="write the figures to docs/reliability.md"
    )
    options = parser.parse_args(arguments)
    if options.write_docs and options.front:
        parser.error("--write-docs: the table has both fronts; omit --front")
    return options


def describe(result: PhaseResult) -> str:
    """One line for the terminal."""
    return (
        f"{result.front}, {result.phase}: {result.rate:.0f}/s, {result.requests} requests, "
        f"{result.errors} errors, p50 {result.p50 * 1000:.1f} ms, p99 {result.p99 * 1000:.1f} ms, "
        f"p99/p50 {result.ratio:.1f}, unadjusted {result.ratio_of_all:.1f}, "
        f"memory {result.memory_before / 1e6:.0f} to {result.memory_after / 1e6:.0f} MB, "
        f"{result.disturbed:.0%} disturbed, {result.stolen:.1%} stolen"
    )


def render_table(results: Sequence[PhaseResult], seconds: float, day: str, place: str) -> str:
    """The figures as Markdown, and the requirements that they do not meet."""
    lines = [
        f"Last run: {day}, {seconds:,.0f} s for each phase, {place}. Times are of valid reviews.",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"|{'---|' * len(_COLUMNS)}",
    ]
    for each in results:
        cells = (
            each.front,
            each.phase,
            f"{each.rate:,.0f}",
            f"{each.requests:,}",
            f"{each.errors:,}",
            f"{each.p50 * 1000:.1f} ms",
            f"{each.p99 * 1000:.1f} ms",
            f"{each.ratio:.1f}",
            f"{each.ratio_of_all:.1f}",
            f"{each.memory_before / 1e6:.0f} → {each.memory_after / 1e6:.0f} MB",
            f"{each.disturbed:.0%}",
            f"{each.stolen:.1%}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    problems = phases.find_problems(results)
    met = "; ".join(problems) if problems else "none"
    return "\n".join([*lines, "", f"Requirements that this run did not meet: {met}."])


if __name__ == "__main__":
    sys.exit(main())
