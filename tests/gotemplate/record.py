"""Ask Go: record its answers as fixtures, or compare it with the engine on templates made up anew.

python -m gotemplate.record                     (in tests/, with layers/engine on the path)
python -m gotemplate.record --compare 10000 --seed 7
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from random import Random

from oracle.fixtures import record
from oracle.live import Row, ask

from .answers import FIXTURES, answer, recorded_answer
from .generator import DATA, Generator
from .questions import arguments, builtins, comparisons, constants, faults, formats, language

_GENERATED = 1200
_SENSE = (0.97, 0.93, 0.6)  # from templates that mostly succeed to such that mostly do not
_DATA = DATA | {"nan": {"$type": "float64", "value": "NaN"}}
_ADDRESS = re.compile(r"0x[0-9a-f]{9,}", re.IGNORECASE)


def main(argv: list[str]) -> int:
    """0, or 1 if a comparison found differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", type=int, metavar="TEMPLATES")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    if options.compare is not None:
        return _compare(options.compare, options.seed)
    for subject, rows in _subjects().items():
        count = record(FIXTURES / f"{subject}.jsonl", filter(_portable, rows), _DATA)
        sys.stdout.write(f"{subject}: {count} rows\n")
    return 0


def _subjects() -> dict[str, Iterable[Row]]:
    return {
        "arguments": _rows(arguments.TEMPLATES),
        "builtins": _rows(builtins.TEMPLATES),
        "comparisons": _rows(comparisons.TEMPLATES),
        "constants": _rows(constants.TEMPLATES),
        "faults": _rows((*faults.PARSE, *faults.EXECUTE)),
        "formats": (Row(template=template, data=data) for template, data in formats.rows()),
        "generated": _rows(_generated(_GENERATED, 0)),
        "language": (*_rows(language.TEMPLATES), *_delimited()),
    }


def _rows(templates: Iterable[str]) -> Iterator[Row]:
    for template in dict.fromkeys(templates):
        yield Row(template=template, functions="probe")


def _delimited() -> Iterator[Row]:
    for left, right, template in language.DELIMITED:
        yield Row(template=template, delims=(left, right))


def _generated(count: int, seed: int) -> Iterator[str]:
    random = Random(seed)  # noqa: S311 - to be the same each time
    for number in range(count):
        yield Generator(random, _SENSE[number % len(_SENSE)]).template()


def _portable(row: Row) -> bool:
    """Whether the output says nothing of where things live."""
    return not _ADDRESS.search(str(answer({"data": _DATA, **row})))


def _compare(count: int, seed: int) -> int:
    templates = (
        row.get("template", "") for row in filter(_portable, _rows(_generated(count, seed)))
    )
    rows = [Row(template=template, functions="probe", data=_DATA) for template in templates]
    differences = 0
    for row, theirs in zip(rows, ask(rows), strict=True):
        ours, wanted = answer(row), recorded_answer(theirs)
        if ours != wanted:
            differences += 1
            sys.stdout.write(f"{row.get('template')!r}\n  Go: {wanted}\n  we: {ours}\n")
    sys.stdout.write(f"{len(rows)} templates, {differences} differences\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
