"""Every recorded answer of sigs.k8s.io/yaml, given again without Go."""

import os
from pathlib import Path
from random import Random

import pytest

from oracle import program
from oracle.yaml.record import dump_rows, load_rows
from podgraft import yaml
from podgraft.jsonvalue import JSON, equal
from podgraft.yaml import NotYAMLError, events

FIXTURES = Path(__file__).parent / "fixtures"
LOADS = program.load_rows(FIXTURES / "load.jsonl")
DUMPS = program.load_rows(FIXTURES / "dump.jsonl")

live = pytest.mark.skipif(
    "PODGRAFT_LIVE_ORACLE" not in os.environ, reason="set PODGRAFT_LIVE_ORACLE=1 to ask Go itself"
)


def outcome(row: program.Row) -> tuple[str, JSON]:
    """What we read from a row's text, or that we refuse it."""
    try:
        match row:
            case {"load": str() as text}:
                return "value", yaml.load(text, strict=False)
            case {"strict": str() as text}:
                return "value", yaml.load(text)
            case _:
                return "value", yaml.load_all(row["all"])
    except NotYAMLError:
        return "refused", None


def go_result(row: program.Row) -> tuple[str, JSON]:
    """What Go reads. Its callers drop documents that hold nothing, so ``load_all`` has none."""
    if "error" in row:
        return "refused", None
    if "all" in row:
        return "value", [one for one in row["want"] if one is not None]
    return "value", row.get("want")


def disagreements(rows: list[program.Row]) -> list[tuple[program.Row, object]]:
    answers = [(row, outcome(row)) for row in rows]
    return [
        (row, got)
        for row, got in answers
        if got[0] != go_result(row)[0] or not equal(got[1], go_result(row)[1])
    ]


def test_the_fixtures_are_as_large_as_they_were() -> None:
    assert len(LOADS) >= 900
    assert len(DUMPS) >= 500
    assert sum("error" in row for row in LOADS) >= 150


@pytest.mark.parametrize("reader", ["load", "strict", "all"])
def test_every_recorded_text_is_read_as_go_reads_it(reader: str) -> None:
    assert disagreements([row for row in LOADS if reader in row]) == []


def test_every_recorded_value_is_written_as_go_writes_it() -> None:
    written = [(row["want"], yaml.dump(row["dump"])) for row in DUMPS if "want" in row]
    assert [pair for pair in written if pair[0] != pair[1]] == []


def test_pyyamls_own_parser_reads_the_same_but_for_tabs_and_two_escapes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "CParser", None)
    others = [row for row in LOADS if not any(sign in str(row) for sign in ("\\t", "%FOO", "ud8"))]
    assert len(others) > 1000
    assert disagreements(others) == []


@live
def test_go_itself_agrees_on_texts_and_values_never_seen_before() -> None:
    random = Random()  # noqa: S311 - other rows each time
    rows = program.stable_answers("yaml", [*load_rows(random), *dump_rows(random)])
    written = [(row["want"], yaml.dump(row["dump"])) for row in rows if "dump" in row]
    assert disagreements([row for row in rows if "dump" not in row]) == []
    assert [pair for pair in written if pair[0] != pair[1]] == []
