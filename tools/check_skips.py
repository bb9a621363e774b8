#!/usr/bin/env python3
"""Print which tests of a run were skipped, and fail if no target of the run executed one of them.

    check_skips.py FOLDER TARGET ...

FOLDER contains the records that ``tests/support/outcome_log.py`` writes, and TARGET are the targets
of make that must have written one. ``tests/may_skip.txt`` lists the tests that may be skipped
everywhere, each with the program or variable that the machine must lack.
"""

import argparse
import json
import os
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAY_SKIP = ROOT / "tests" / "may_skip.txt"
HEADINGS = ("tests", "skipped by", "reason", "executed by")


class SkipError(Exception):
    """A record or the list of tests that may be skipped is wrong; the message states how."""


@dataclass(frozen=True, slots=True)
class Permission:
    """One line of the list: tests may be skipped while *lacks* is missing; *runner* runs them."""

    prefix: str
    lacks: str
    runner: str

    def covers(self, test: str) -> bool:
        """Whether the line is about a test, by the start of its id."""
        return test.startswith(self.prefix)

    def holds(self) -> bool:
        """Whether this machine lacks the program or the ``$VARIABLE``."""
        name = self.lacks.removeprefix("$")
        return not (os.environ.get(name) if name != self.lacks else shutil.which(name))


@dataclass(frozen=True, slots=True)
class Run:
    """What the targets of a run did: the targets by test, and reasons by test and target."""

    ran: Mapping[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    skipped: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    deselected: set[str] = field(default_factory=set[str])

    @property
    def tests(self) -> set[str]:
        """The ids of all tests, and of modules that were skipped as a whole."""
        return {*self.ran, *(test for test, _ in self.skipped), *self.deselected}


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if a test was skipped by all targets without permission."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("targets", nargs="+", metavar="target")
    parser.add_argument("--may-skip", type=Path, default=MAY_SKIP)
    options = parser.parse_args(arguments)
    try:
        run = read_run(options.folder, options.targets)
        permissions = read_permissions(options.may_skip)
        lost = check_permissions(run, permissions)
    except SkipError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(make_table(run, permissions)))
    for test, reason in sorted(lost.items()):
        print(f"error: {test}: no target executes it: {reason}", file=sys.stderr)
    return 1 if lost else 0


def read_run(folder: Path, targets: Iterable[str]) -> Run:
    """The records of a folder; raises ``SkipError`` if a target has no record of a test."""
    run = Run()
    written: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        target = record["target"]
        for test in record["ran"]:
            run.ran[test].add(target)
            written.add(target)
        run.skipped.update({(test, target): reason for test, reason in record["skipped"].items()})
        run.deselected.update(record["deselected"])
    if missing := sorted({*targets} - written):
        raise SkipError(f"{folder}: no test of {', '.join(missing)}; run make check")
    return run


def read_permissions(path: Path) -> list[Permission]:
    """The lines of the list; raises ``SkipError``."""
    permissions: list[Permission] = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line and not line.startswith("#"):
            fields = [each.strip() for each in line.split("|")]
            if len(fields) != len(Permission.__dataclass_fields__) or not all(fields):
                raise SkipError(
                    f"{path.name}:{number}: expected tests | program or $VARIABLE | who"
                )
            permissions.append(Permission(*fields))
    return permissions


def check_permissions(run: Run, permissions: list[Permission]) -> dict[str, str]:
    """The tests that nothing executes or permits, with the reason; raises ``SkipError``."""
    for permission in permissions:
        if not any(map(permission.covers, run.tests)):
            raise SkipError(f"{permission.prefix}: no such test in this run; correct the list")
    return {
        test: reason
        for (test, _), reason in run.skipped.items()
        if not run.ran.get(test) and not _find_permission(test, permissions)
    }


def make_table(run: Run, permissions: list[Permission]) -> Iterator[str]:
    """The lines of the table, one for each target and reason, and the tests that no target has."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for (test, target), reason in run.skipped.items():
        permission = _find_permission(test, permissions)
        others = ", ".join(sorted(run.ran.get(test, ())))
        elsewhere = f"none; elsewhere: {permission.runner}" if permission else "NONE"
        counts[target, reason, others or elsewhere] += 1
    rows = [(str(count), *names) for names, count in sorted(counts.items())]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    for row in (HEADINGS, *rows):
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
    long = run.deselected - run.ran.keys() - {test for test, _ in run.skipped}
    yield f"{len(run.ran)} tests were executed; {len(long)} long tests were not: make test-all"


def _find_permission(test: str, permissions: list[Permission]) -> Permission | None:
    return next((each for each in permissions if each.covers(test) and each.holds()), None)


if __name__ == "__main__":
    sys.exit(main())
