"""The engine's answers, in the form that Go's are recorded in."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from oracle.typed import decode
from podgraft.golang import sprig
from podgraft.golang.sprig.signatures import NEWEST_CAST
from podgraft.golang.texttemplate import ExecError, Function, TemplateError, compile_

FIXTURES = Path(__file__).parent / "fixtures"


def answer(row: Mapping[str, Any], cast: str = NEWEST_CAST) -> dict[str, str]:
    """What the engine makes of a row: ``{"output": …}`` or ``{"error": …}``."""
    try:
        program = compile_(row["template"], name="t", functions=_functions(cast))
        return {"output": program.render(decode(row.get("data")))}
    except (TemplateError, ExecError) as error:
        return {"error": str(error)}


@cache
def _functions(cast: str) -> Mapping[str, Function]:
    return sprig.functions(cast=cast)


def go_answer(row: Mapping[str, Any]) -> dict[str, str]:
    """Go's answer of a row, in the same form; text that is not UTF-8 is recorded as hexadecimal."""
    for key in ("output", "error"):
        if key in row:
            return {key: row[key]}
        if f"{key}_hex" in row:
            return {key: bytes.fromhex(row[f"{key}_hex"]).decode("utf-8", "surrogateescape")}
    raise ValueError(f"no answer in {row}")
