"""Every recorded answer of sigs.k8s.io/yaml, given again without Go."""

import os
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from oracle import program
from oracle.yaml.record import dump_rows, load_rows
from podgraft.base.jsonvalue import JSON, equal
from podgraft.kube import yaml
from podgraft.kube.yaml import NotYAMLError, events
from support.corpus import assert_corpus

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


def assert_reads_as_go(rows: list[program.Row]) -> None:
    assert_corpus(rows, expected=go_result, actual=outcome, same=is_same_result)


def is_same_result(ours: Any, go: Any) -> bool:
    return ours[0] == go[0] and equal(ours[1], go[1])


def assert_writes_as_go(rows: list[program.Row]) -> None:
    assert_corpus(rows, expected=itemgetter("want"), actual=lambda row: yaml.dump(row["dump"]))


def test_the_fixtures_are_as_large_as_they_were() -> None:
    assert len(LOADS) >= 900
    assert len(DUMPS) >= 500
    assert sum("error" in row for row in LOADS) >= 150


@pytest.mark.parametrize("reader", ["load", "strict", "all"])
def test_every_recorded_text_is_read_as_go_reads_it(reader: str) -> None:
    assert_reads_as_go([row for row in LOADS if reader in row])


def test_every_recorded_value_is_written_as_go_writes_it() -> None:
    assert_writes_as_go([row for row in DUMPS if "want" in row])


def test_pyyamls_own_parser_reads_the_same_but_for_tabs_and_two_escapes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "CParser", None)
    others = [row for row in LOADS if not any(sign in str(row) for sign in ("\\t", "%FOO", "ud8"))]
    assert len(others) > 1000
    assert_reads_as_go(others)


@live
def test_go_itself_agrees_on_texts_and_values_never_seen_before() -> None:
    random = Random()  # noqa: S311 - other rows each time
    rows = program.stable_answers("yaml", [*load_rows(random), *dump_rows(random)])
    assert_reads_as_go([row for row in rows if "dump" not in row])
    assert_writes_as_go([row for row in rows if "dump" in row])
