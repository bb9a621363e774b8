"""What the engine answers to a recorded row, in the form in which Go's answer was recorded."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oracle.go_types import PROBES
from oracle.typed import decode
from podgraft.golang.texttemplate import ExecError, TemplateError, compile_

FIXTURES = Path(__file__).parent / "fixtures"


def answer(row: Mapping[str, Any]) -> tuple[str, str]:
    """``("output", …)`` or ``("error", …)``."""
    functions = PROBES if row.get("functions") == "probe" else {}
    left, right = row.get("delims", ("", ""))
    try:
        program = compile_(
            row["template"],
            name=row.get("name", "t"),
            functions=functions,
            delimiters=(left, right),
        )
        return "output", program.render(decode(row.get("data")))
    except (TemplateError, ExecError) as error:
        return "error", str(error)


def go_answer(row: Mapping[str, str]) -> tuple[str, str]:
    """Go's answer, of which what is not UTF-8 was kept in hexadecimal."""
    for kind in ("output", "error"):
        if kind in row:
            return kind, row[kind]
        if f"{kind}_hex" in row:
            data = bytes.fromhex(row[f"{kind}_hex"])
            return kind, data.decode("utf-8", "surrogateescape")
    raise ValueError(f"no answer in {row}")
