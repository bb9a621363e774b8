"""Recorded answers: files of one JSON object a line, the first naming the release of Go."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .live import Row, ask, release


def record(path: Path, rows: Iterable[Row]) -> int:
    """Ask Go about every row, and write rows and answers; how many there are."""
    rows = list(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.write(_line({"go": release(), "rows": len(rows)}))
        for row, answer in zip(rows, ask(rows), strict=True):
            file.write(_line({**row, **answer}))
    return len(rows)


def recorded(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, with their answers."""
    with path.open(encoding="utf-8") as file:
        next(file)
        yield from map(json.loads, file)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
