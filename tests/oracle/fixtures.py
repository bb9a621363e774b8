"""Recorded answers: files of one JSON object a line, the first naming the release of Go."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .live import Row, release, verify_with_go


def record(path: Path, rows: Iterable[Row], data: Any = None, cast: str = "") -> int:
    """Ask Go about every row, and write rows and answers; how many there are.

    ``data`` is for all rows that have none of their own; ``cast`` is for ``verify_with_go``.
    """
    rows = list(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    answers = verify_with_go([{"data": data, **row} for row in rows], cast)
    with path.open("w", encoding="utf-8") as file:
        file.write(_line({"go": release(), "rows": len(rows), "data": data}))
        for row, answer in zip(rows, answers, strict=True):
            file.write(_line({**row, **answer}))
    return len(rows)


def load_answers(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, with their data and answers."""
    with path.open(encoding="utf-8") as file:
        data = json.loads(next(file)).get("data")
        for line in file:
            yield {"data": data, **json.loads(line)}


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
