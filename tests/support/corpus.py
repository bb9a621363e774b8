"""Compare the engine with a recorded corpus: a failure shows its first differences as a table."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import eq
from typing import TypeVar

Row = TypeVar("Row")

SHOWN = 5
_WIDTH = 56
_CONTEXT = 16


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of a corpus on which the engine and the original differ."""

    row: str
    expected: str
    actual: str


def assert_corpus(
    rows: Iterable[Row],
    *,
    expected: Callable[[Row], object],
    actual: Callable[[Row], object],
    name: Callable[[Row], str] = str,
    same: Callable[[object, object], bool] = eq,
) -> None:
    """Fail with a table unless *actual* of each row is the *same* as *expected*.

    An exception of *actual* is a difference of its row, so one broken row does not hide the others.
    """
    rows = tuple(rows)
    assert rows, "the corpus is empty"
    differences = tuple(_find_differences(rows, expected, actual, name, same))
    assert not differences, (
        f"{len(differences)} of {len(rows)} rows differ\n{format_table(differences)}"
    )


def format_table(differences: Iterable[Difference]) -> str:
    """The first differences as a table; long texts are cut around their first difference."""
    differences = tuple(differences)
    lines = [("row", "expected", "actual"), *map(_cells, differences[:SHOWN])]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    lines.insert(1, ("-" * widths[0], "-" * widths[1], "-" * widths[2]))
    table = [
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    more = len(differences) - SHOWN
    return "\n".join([*table, *([f"and {more} more"] if more > 0 else [])])


def _find_differences(
    rows: Iterable[Row],
    expected: Callable[[Row], object],
    actual: Callable[[Row], object],
    name: Callable[[Row], str],
    same: Callable[[object, object], bool],
) -> Iterator[Difference]:
    for row in rows:
        expected_row = expected(row)
        try:
            got = actual(row)
        except Exception as error:  # noqa: BLE001 — a crash is the answer of its row
            yield Difference(name(row), _text(expected_row), f"raised {error!r}")
            continue
        if not same(got, expected_row):
            yield Difference(name(row), _text(expected_row), _text(got))


def _cells(difference: Difference) -> tuple[str, str, str]:
    start = _first_difference(difference.expected, difference.actual)
    return (
        _cut(difference.row, 0),
        _cut(difference.expected, start),
        _cut(difference.actual, start),
    )


def _first_difference(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def _cut(text: str, position: int) -> str:
    """A line of at most *_WIDTH* characters that contains the character at *position*."""
    text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    if len(text) <= _WIDTH:
        return text
    start = max(0, min(position - _CONTEXT, len(text) - _WIDTH))
    piece = text[start : start + _WIDTH]
    left, right = ("…" if start else ""), ("…" if start + _WIDTH < len(text) else "")
    return left + piece[len(left) : _WIDTH - len(right)] + right


def _text(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError):
        return repr(value)
