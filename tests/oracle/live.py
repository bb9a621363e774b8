"""Go itself, as a running program: what fixtures are recorded from."""

import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

HERE = Path(__file__).parent


class Row(TypedDict, total=False):
    """One question; see main.go. ``data`` is typed JSON."""

    name: str
    template: str
    data: Any
    delims: tuple[str, str]
    functions: str


def verify_with_go(rows: Iterable[Row]) -> Iterator[dict[str, str]]:
    """Go's answer to each row: ``{"output": …}`` or ``{"error": …}``, perhaps as ``…_hex``."""
    lines = "".join(json.dumps({"name": "t", **row}, ensure_ascii=True) + "\n" for row in rows)
    answered = subprocess.run(
        [_program()], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    yield from map(json.loads, answered.stdout.splitlines())


def release() -> str:
    """The release of Go that answers, such as go1.26.8."""
    return subprocess.run(
        [_program(), "version"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()


@cache
def _program() -> str:
    """The oracle, built anew for this run."""
    built = Path(tempfile.mkdtemp(prefix="oracle")) / "oracle"
    subprocess.run(["go", "build", "-o", built, "."], cwd=HERE, check=True)
    return str(built)
