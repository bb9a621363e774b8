"""Ask Go: record its answers as fixtures, or compare it with the engine on templates made up anew.

python -m golang.sprig.record                     (in tests/, with layers/engine on the path)
python -m golang.sprig.record --compare 10000 --seed 7
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

from oracle.fixtures import record
from oracle.live import Row, verify_with_go
from podgraft.golang.texttemplate import LimitError

from . import cases, random_templates
from .answers import FIXTURES, answer, go_answer
from .cases.typed import DATA

RECORDED_RANDOM_TEMPLATES = 1000
# The last releases of cast before a change, besides the one of go.mod.
OLD_CASTS = ("1.4.1", "1.8.0")


def main(argv: list[str]) -> int:
    """0, or 1 if a comparison found differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", type=int, metavar="TEMPLATES")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    os.environ["TZ"] = "UTC"
    # Go reads the files that the engine reads, and no newer ones of the machine.
    os.environ["ZONEINFO"] = str(resources.files("tzdata") / "zoneinfo")
    if options.compare is None:
        _record(FIXTURES)
        return 0
    return _compare(islice(random_templates.templates(options.seed), options.compare))


def _record(folder: Path) -> None:
    for family in cases.FAMILIES:
        _print_progress(family, record(folder / f"{family}.jsonl", _rows(cases.templates(family))))
    for cast in OLD_CASTS:
        rows = _rows(cases.cast_templates())
        _print_progress(cast, record(folder / f"cast-{cast}.jsonl", rows, cast=cast))
    _print_progress("typed", record(folder / "typed.jsonl", _make_typed_rows()))
    _print_progress("misuses", record(folder / "misuses.jsonl", _rows(cases.misuse_templates())))
    guessed = islice(random_templates.templates(0), RECORDED_RANDOM_TEMPLATES)
    _print_progress(
        "guesses", record(folder / "guesses.jsonl", _rows(guessed, random_templates.DATA))
    )


def _rows(templates: Iterable[str], data: Mapping[str, Any] | None = None) -> Iterator[Row]:
    for template in dict.fromkeys(templates):
        row: Row = {"template": template, "functions": "sprig"}
        if data is not None:
            row["data"] = data
        yield row


def _make_typed_rows() -> Iterator[Row]:
    """Each with as much of the data as it names."""
    for row in _rows(cases.typed_templates()):
        named = {name: DATA[name] for name in DATA if f".{name}" in row.get("template", "")}
        yield {**row, "data": named}


def _compare(templates: Iterable[str]) -> int:
    answered = [
        (row, ours)
        for row in _rows(templates, random_templates.DATA)
        if (ours := _answer_within_limits(row))
    ]
    differing = 0
    for (row, ours), go in zip(answered, verify_with_go(row for row, _ in answered), strict=True):
        if ours != go_answer(go):
            differing += 1
            _print_progress(row.get("template"), "\n  ours", ours, "\n  Go  ", go)
    _print_progress(len(answered), "templates,", differing, "differ")
    return int(differing > 0)


def _answer_within_limits(row: Row) -> dict[str, str] | None:
    """Our answer, unless it is that a limit was met: Go has none and would not survive."""
    try:
        return answer(row)
    except LimitError:
        return None


def _print_progress(*words: object) -> None:
    print(*words)  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
