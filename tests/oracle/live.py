"""Go itself, as a running program: what fixtures are recorded from."""

import json
import shutil
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


def verify_with_go(rows: Iterable[Row], cast: str = "") -> Iterator[dict[str, str]]:
    """Go's answer to each row: ``{"output": …}`` or ``{"error": …}``, perhaps as ``…_hex``.

    *cast* replaces the release of spf13/cast.
    """
    lines = "".join(json.dumps({"name": "t", **row}, ensure_ascii=True) + "\n" for row in rows)
    answered = subprocess.run(
        [_program(cast)], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    yield from map(json.loads, answered.stdout.splitlines())


def release() -> str:
    """The release of Go that answers, such as go1.26.8."""
    return subprocess.run(
        [_program(), "version"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()


@cache
def _program(cast: str = "") -> str:
    """The oracle, built anew for this run."""
    folder = Path(tempfile.mkdtemp(prefix="oracle"))
    built = folder / "oracle"
    flags: list[str | Path] = []
    if cast:
        for name in ("go.mod", "go.sum"):
            shutil.copyfile(HERE / name, folder / name)
        modfile, module = folder / "go.mod", "github.com/spf13/cast"
        edit = ["go", "mod", "edit", f"-replace={module}={module}@v{cast}", modfile]
        subprocess.run(edit, cwd=HERE, check=True)
        flags = ["-mod=mod", f"-modfile={modfile}"]
    subprocess.run(["go", "build", *flags, "-o", built, "."], cwd=HERE, check=True)
    return str(built)
