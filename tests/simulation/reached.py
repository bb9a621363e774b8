"""Which branches of the stores, versions, rollouts, callers, and signatures the runs reach."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coverage import Coverage

import podgraft

ENGINE = Path(podgraft.__file__).parent
SCOPE = (
    "service/store/*", "core/versions/*", "core/policy/rollout*", "core/signing/*",
    "service/http/authentication*",
)  # fmt: skip
DATA = Path("build/simulation/coverage/data")
# Functions with branches that no run reaches, each with the reason.
UNREACHED = Path(__file__).with_name("unreached.txt")


def read_unreached() -> set[str]:
    """Return the functions of the list, as ``core/versions/trial.py:Proof.advance``."""
    lines = UNREACHED.read_text().splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def _make_coverage(*, is_part: bool) -> Coverage:
    coverage = Coverage(
        data_file=str(DATA),
        data_suffix=is_part,
        branch=True,
        config_file=False,
        include=[str(ENGINE / each) for each in SCOPE],
    )
    # Imports come before the measurement.
    coverage.exclude(r"if TYPE_CHECKING:|: \.\.\.$|^\s*\.\.\.$")
    return coverage


def forget() -> None:
    """Delete an earlier measurement."""
    for each in DATA.parent.glob(f"{DATA.name}*"):
        each.unlink()


@contextmanager
def measure() -> Generator[None]:
    """Record the branches that this process reaches."""
    DATA.parent.mkdir(parents=True, exist_ok=True)
    coverage = _make_coverage(is_part=True)
    coverage.start()
    try:
        yield
    finally:
        coverage.stop()
        coverage.save()


def report() -> str:
    """Return what all measured processes did not reach."""
    coverage = _make_coverage(is_part=False)
    coverage.load()  # COVERAGE=more adds to an earlier measurement
    coverage.combine()
    coverage.json_report(outfile=str(DATA.with_suffix(".json")))
    files: dict[str, Any] = json.loads(DATA.with_suffix(".json").read_text())["files"]
    lines, reached, total = list[str](), 0, 0
    known = read_unreached()
    for path, facts in sorted(files.items()):
        name = str(Path(path).resolve().relative_to(ENGINE))
        own, of = facts["summary"]["covered_branches"], facts["summary"]["num_branches"]
        reached, total = reached + own, total + of
        missed = {
            f"{name}:{function}": sorted({start for start, _ in each["missing_branches"]})
            for function, each in facts["functions"].items()
            if each["missing_branches"]
        }
        if own < of:
            lines.append(f"{name}: {own} of {of}")
        for function, starts in missed.items():
            mark = "" if function in known else ", not in unreached.txt"
            lines.append(f"  {function.partition(':')[2]}: {', '.join(map(str, starts))}{mark}")
    share = reached / max(total, 1)
    return "\n".join([*lines, f"{reached} of {total} branches: {share:.1%}"])
