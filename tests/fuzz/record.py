"""Record Go's answers to inputs of the harnesses: ``python -m fuzz.record`` (needs Go).

The rows are those that the harnesses generate from fixed seeds. ``make test`` compares with them
without Go.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice

from fuzz import go_programs
from fuzz.byte_source import ByteRandom
from fuzz.campaign import make_input
from fuzz.claims import cel, patches_apply, selectors, template_engine, yaml_reader
from fuzz.go_programs import Row
from fuzz.harness import HARNESSES, Harness, find_harness

_ROWS = 300
_SEED = 1
_CORPUS_SEEDS = 500


def _answer_patches(random: ByteRandom) -> Row | None:
    before, _, operations = patches_apply.make_change(random)
    if before is None or not operations:
        return None
    return go_programs.find_program("jsonpatch").ask({"before": before, "patch": operations})


def _answer_template(random: ByteRandom) -> Row | None:
    row = template_engine.make_row(random)
    if template_engine.answer(row) is None:
        return None  # beyond a limit, which Go does not have
    answers = [go_programs.find_program(".").ask(row) for _ in range(8)]
    without_data = {key: value for key, value in row.items() if key != "data"}
    return {**without_data, **answers[0]} if all(each == answers[0] for each in answers) else None


def _answer_cel(random: ByteRandom) -> Row:
    return cel.ask_go(cel.make_expression(random))


def _answer_selector(random: ByteRandom) -> Row:
    return go_programs.find_program("kube", "selectors", header=1).ask(selectors.make_row(random))


def _answer_yaml(random: ByteRandom) -> Row | None:
    text = yaml_reader.make_text(random)
    if yaml_reader.may_differ(text):
        return None
    answers = [go_programs.find_program("yaml").ask({"load": text}) for _ in range(8)]
    return answers[0] if all(each == answers[0] for each in answers) else None


_ANSWERS: dict[str, Callable[[ByteRandom], Row | None]] = {
    "patches_apply": _answer_patches,
    "template_engine": _answer_template,
    "cel": _answer_cel,
    "selectors": _answer_selector,
    "yaml_reader": _answer_yaml,
}


def main() -> int:
    """Write all files of recorded answers."""
    go = subprocess.run(["go", "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name, answer in _ANSWERS.items():
        rows = list(islice(_make_rows(name, answer), _ROWS))
        header = {"go": go.split()[2], "rows": len(rows)}
        lines = (
            json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in (header, *rows)
        )
        path = go_programs.RECORDED / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(name, len(rows))  # noqa: T201 - a program for the terminal
    for harness in HARNESSES.values():
        _store_outcomes(harness)
    return 0


def _store_outcomes(harness: Harness) -> None:
    """Store the shortest input for each outcome, the first corpus of a fuzzer."""
    inputs: dict[str, bytes] = {}
    for seed in range(_CORPUS_SEEDS):
        data = make_input(harness, seed)
        outcome = harness.run(data)
        if outcome not in inputs or len(data) < len(inputs[outcome]):
            inputs[outcome] = data
    harness.corpus.mkdir(parents=True, exist_ok=True)
    for outcome, data in inputs.items():
        name = re.sub(r"[^a-z0-9]+", "-", outcome.lower())
        (harness.corpus / f"outcome-{name}.bin").write_bytes(data)


def _make_rows(name: str, answer: Callable[[ByteRandom], Row | None]) -> Iterator[Row]:
    harness, seed = find_harness(name), _SEED
    while True:
        row = answer(ByteRandom(make_input(harness, seed)))
        seed += 1
        if row is not None:
            yield row


if __name__ == "__main__":
    sys.exit(main())
