"""A template gives the text or the error that Go's text/template, with sprig, gives.

Without Go: a recorded template, rewritten so that Go's answer stays the same, and a generated one,
which renders the same way twice or fails with an error of the engine. With Go: generated templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz import go_programs
from fuzz.byte_source import ByteRandom
from fuzz.go_programs import Row
from fuzz.harness import check_claim
from golang.sprig import answers as sprig_answers
from golang.sprig import random_templates
from golang.texttemplate import answers
from golang.texttemplate.generator import DATA, Generator
from oracle.fixtures import load_answers
from podgraft.golang.texttemplate import LimitError

_TESTS = Path(__file__).parents[2]
_DATA: Mapping[str, Any] = {"probe": DATA, "sprig": random_templates.DATA}
_FOLDERS = ("golang/texttemplate", "golang/sprig")
# Each keeps what a template writes, and adds text around it that is known.
_REWRITES: tuple[tuple[str, str, str], ...] = (
    ("{}", "", ""),
    ("<{}>", "<", ">"),
    ("{{{{if true}}}}{}{{{{end}}}}", "", ""),
    ("{{{{with $}}}}{}{{{{end}}}}", "", ""),
    ("{{{{if false}}}}x{{{{else}}}}{}{{{{end}}}}", "", ""),
    ("{{{{with $fuzz := 1}}}}{{{{$fuzz}}}}{{{{end}}}}{}", "1", ""),
    ("{{{{define `fuzz`}}}}{}{{{{end}}}}{{{{template `fuzz` .}}}}", "", ""),
    ("{{{{/* {{{{ */}}}}{}", "", ""),
    ("a{{{{- `b` -}}}}c{}", "abc", ""),
)
# What cannot stand inside an action, or twice.
_ADDRESS = re.compile(r"0x[0-9a-f]{8,}")
_UNMOVABLE = ("define", "block", "{{-", "-}}", "break", "continue")


def fuzz(data: bytes) -> str:
    """Compare one answer of the engine with Go's."""
    random = ByteRandom(data)
    if random.random() < 0.5:
        return _check_rewritten(random)
    row = make_row(random)
    first, second = answer(row), answer(row)
    check_claim(first == second, "two renderings differ", first, second, row)
    if first is not None and go_programs.is_live():
        go = answers.go_answer(go_programs.find_program(".").ask(row))
        same = (first[0], _hide_addresses(first[1])) == (go[0], _hide_addresses(go[1]))
        check_claim(same, "engine", first, "Go", go, row["template"])
    return "limit" if first is None else first[0]


def _hide_addresses(text: str) -> str:
    """The text without the addresses of pointers, which differ in each process."""
    return _ADDRESS.sub("0x", text)


def make_row(random: Random) -> Row:
    """A generated template with its data, for text/template's own functions or for sprig's."""
    if random.random() < 0.6:
        template, functions = Generator(random).template(), "probe"
    else:
        template, functions = random_templates.make_template(random), "sprig"
    return {"name": "t", "template": template, "data": _DATA[functions], "functions": functions}


def answer(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """The engine's answer; ``None`` beyond a limit, which Go does not have."""
    try:
        if row.get("functions") != "sprig":
            return answers.answer(row)
        ((kind, text),) = sprig_answers.answer(row).items()
    except LimitError:
        return None
    return kind, text


@cache
def _rows() -> tuple[Row, ...]:
    """All recorded templates that render with the usual delimiters."""
    rows = [
        {**row, "data": _DATA[row["functions"]]}
        for row in go_programs.load_recorded("template_engine")
    ]
    for folder in _FOLDERS:
        for path in sorted((_TESTS / folder / "fixtures").glob("*.jsonl")):
            if not path.stem.startswith("cast-"):  # of earlier releases of spf13/cast
                rows += load_answers(path)
    return tuple(row for row in rows if isinstance(row["template"], str) and "delims" not in row)


def _check_rewritten(random: ByteRandom) -> str:
    row = random.choice(_rows())
    kind, text = answers.go_answer(row)
    wrapper, before, after = random.choice(_REWRITES)
    template = row["template"]
    needs_data = "with $}" in wrapper and not row.get("data")
    if kind == "error" or needs_data or any(word in template for word in _UNMOVABLE):
        wrapper, before, after = _REWRITES[0]
    rewritten = {**row, "template": wrapper.format(template)}
    expected = (kind, before + text + after)
    actual = answer(rewritten)
    check_claim(actual in (None, expected), "engine", actual, "Go", expected, rewritten["template"])
    return f"recorded {kind}"
