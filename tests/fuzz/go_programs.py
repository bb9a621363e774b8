"""The originals in Go as running programs, and their recorded answers.

Without Go, the harnesses compare with the answers of ``recorded``, and with inputs that are
rewritten so that the answer must stay the same. With ``PODGRAFT_FUZZ_GO=1`` they ask the programs
of tests/oracle about inputs that no one has seen before.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

VARIABLE: Final = "PODGRAFT_FUZZ_GO"
ORACLES = Path(__file__).parents[1] / "oracle"
RECORDED = Path(__file__).parent / "recorded"

Row: TypeAlias = dict[str, Any]


def is_live() -> bool:
    """Whether the harnesses ask Go itself."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


class GoProgram:
    """A program that answers rows of JSON, one a line; ``header`` lines come before the answers."""

    def __init__(self, folder: str, *arguments: str, header: int = 0) -> None:
        built = Path(tempfile.mkdtemp(prefix="podgraft-fuzz-")) / "oracle"
        subprocess.run(["go", "build", "-o", built, "."], cwd=ORACLES / folder, check=True)
        self._process = subprocess.Popen(
            [built, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        atexit.register(self.stop)
        for _ in range(header):
            self._read_line()

    def ask(self, row: Row) -> Row:
        """The answer to a row."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(row).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._read_line())

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the program ended with {self._process.wait()}")
        return line

    def stop(self) -> None:
        """End the program."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


@cache
def find_program(folder: str, *arguments: str, header: int = 0) -> GoProgram:
    """The running program of a folder of tests/oracle; the first call builds it."""
    return GoProgram(folder, *arguments, header=header)


@cache
def load_recorded(name: str) -> tuple[Row, ...]:
    """The recorded rows of a harness; without the first line, which names the releases."""
    path = RECORDED / f"{name}.jsonl"
    return tuple(read_rows(path)[1:]) if path.exists() else ()


def read_rows(path: Path) -> list[Row]:
    """Rows of JSON; lines end at line feeds only, because texts can contain U+2028."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
