"""Ask Go: record its answers as fixtures, or compare it with the engine on templates made up anew.

python -m golang.texttemplate.record                     (in tests/, with layers/engine on the path)
python -m golang.texttemplate.record --compare 10000 --seed 7
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from random import Random

from oracle.fixtures import record
from oracle.live import Row, verify_with_go

from .answers import FIXTURES, answer, go_answer
from .cases import arguments, builtins, comparisons, constants, faults, formats, language
from .generator import DATA, Generator

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
        count = record(FIXTURES / f"{subject}.jsonl", filter(_is_portable, rows), _DATA)
        sys.stdout.write(f"{subject}: {count} rows\n")
    return 0


def _subjects() -> dict[str, Iterable[Row]]:
    return {
        "arguments": _make_rows(arguments.TEMPLATES),
        "builtins": _make_rows(builtins.TEMPLATES),
        "comparisons": _make_rows(comparisons.TEMPLATES),
        "constants": _make_rows(constants.TEMPLATES),
        "faults": _make_rows((*faults.PARSE, *faults.EXECUTE)),
        "formats": (Row(template=template, data=data) for template, data in formats.make_rows()),
        "generated": _make_rows(_generate_templates(_GENERATED, 0)),
        "language": (*_make_rows(language.TEMPLATES), *_delimited_rows()),
    }


def _make_rows(templates: Iterable[str]) -> Iterator[Row]:
    for template in dict.fromkeys(templates):
        yield Row(template=template, functions="probe")


def _delimited_rows() -> Iterator[Row]:
    for left, right, template in language.DELIMITED:
        yield Row(template=template, delims=(left, right))


def _generate_templates(count: int, seed: int) -> Iterator[str]:
    random = Random(seed)  # noqa: S311 - to be the same each time
    for number in range(count):
        yield Generator(random, _SENSE[number % len(_SENSE)]).template()


def _is_portable(row: Row) -> bool:
    """Whether the output says nothing of where things live."""
    return not _ADDRESS.search(str(answer({"data": _DATA, **row})))


def _compare(count: int, seed: int) -> int:
    templates = (
        row.get("template", "")
        for row in filter(_is_portable, _make_rows(_generate_templates(count, seed)))
    )
    rows = [Row(template=template, functions="probe", data=_DATA) for template in templates]
    differences = 0
    for row, theirs in zip(rows, verify_with_go(rows), strict=True):
        ours, wanted = answer(row), go_answer(theirs)
        if ours != wanted:
            differences += 1
            sys.stdout.write(f"{row.get('template')!r}\n  Go: {wanted}\n  we: {ours}\n")
    sys.stdout.write(f"{len(rows)} templates, {differences} differences\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
