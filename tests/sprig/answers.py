"""The engine's answers, in the form that Go's are recorded in."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from oracle.typed import decode
from podgraft import sprig
from podgraft.texttemplate import ExecError, Function, TemplateError, compile_

FIXTURES = Path(__file__).parent / "fixtures"


def answer(row: Mapping[str, Any]) -> dict[str, str]:
    """What the engine makes of a row: ``{"output": …}`` or ``{"error": …}``."""
    try:
        program = compile_(row["template"], name="t", functions=_functions())
        return {"output": program.render(decode(row.get("data")))}
    except (TemplateError, ExecError) as error:
        return {"error": str(error)}


@cache
def _functions() -> Mapping[str, Function]:
    return sprig.functions()


def is_same_answer(ours: Mapping[str, str], go: Mapping[str, Any]) -> bool:
    """Whether two answers are the same bytes."""
    return all(_bytes(ours, key) == _bytes(go, key) for key in ("output", "error"))


def _bytes(answer: Mapping[str, Any], key: str) -> bytes | None:
    if f"{key}_hex" in answer:
        return bytes.fromhex(answer[f"{key}_hex"])
    return answer[key].encode("utf-8", "surrogateescape") if key in answer else None
