"""A Go program of this folder that answers rows of JSON, one a line."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

HERE = Path(__file__).parent
# Go walks maps in random order. Rows whose answer depends on it are asked so often to be found:
# among the eight slots of a small map, an order may come up but once in eight times.
TRIES = 64


def ask_program(program: str, rows: Sequence[Row]) -> list[Row]:
    """The rows, each with Go's answer to it."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    answered = subprocess.run(
        [_build_program(program)], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    return [json.loads(line) for line in answered.stdout.split(b"\n") if line]


def stable_answers(program: str, rows: Sequence[Row]) -> list[Row]:
    """The answered rows, without those whose answer differs from one time to the next."""
    answers = [ask_program(program, rows) for _ in range(TRIES)]
    return [
        first for first, *others in zip(*answers, strict=True) if others == [first] * len(others)
    ]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Rows to a fixture, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def load_rows(path: Path) -> list[Row]:
    """The rows of a fixture. Lines end at line feeds alone: a text may hold U+2028."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@cache
def _build_program(program: str) -> str:
    """The program, built anew for this run."""
    built = Path(tempfile.mkdtemp(prefix="oracle")) / program
    subprocess.run(["go", "build", "-o", built, "."], cwd=HERE / program, check=True)
    return str(built)
