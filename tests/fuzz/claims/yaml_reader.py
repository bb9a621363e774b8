"""A text is read as sigs.k8s.io/yaml reads it, and reading it incrementally changes nothing.

Without Go: the recorded texts, each also with another text read before it, and damaged texts, which
have a value or are rejected. With Go: generated and damaged texts.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TypeAlias

from fuzz import go_programs, mutation
from fuzz.byte_source import ByteRandom
from fuzz.go_programs import Row
from fuzz.harness import check_claim
from oracle import program
from oracle.yaml import record
from podgraft.base.jsonvalue import JSON, equal
from podgraft.kube import yaml
from podgraft.kube.yaml import IncrementalLoader, NotYAMLError
from support.store_fixture import CONFIG

Result: TypeAlias = tuple[str, JSON]

_FIXTURE = Path(__file__).parents[2] / "kube" / "yaml" / "fixtures" / "load.jsonl"
# What libyaml and go-yaml read differently (tests/kube/yaml/test_differences.py).
_KNOWN_DIFFERENCES = ("\\", "%", "?", "!", "\ufeff", "\t", "\x00", ":]", ":}", ":,", "]:", "}:")


def fuzz(data: bytes) -> str:
    """Read one text in every way, and compare."""
    random = ByteRandom(data)
    kind = random.random()
    if kind < 0.3:
        row = random.choice(_rows())
        _compare(row)
        return f"recorded {_check_text(random, row['load'])}"
    text = make_text(random)
    if go_programs.is_live() and not may_differ(text):
        _compare(go_programs.find_program("yaml").ask({"load": text}), has_twins=_has_twins(text))
    return _check_text(random, text)


@cache
def _rows() -> tuple[Row, ...]:
    rows = (*program.load_rows(_FIXTURE), *go_programs.load_recorded("yaml_reader"))
    return tuple(row for row in rows if "load" in row)


def make_text(random: ByteRandom) -> str:
    """A document, damaged or not; a manifest; or bytes of the input as they are."""
    kind = random.random()
    if kind < 0.4:
        return record.document(random)
    if kind < 0.6:
        return record.damage_text(random, record.document(random))
    if kind < 0.8:
        return mutation.mutate_text(random, CONFIG)
    return random.take_text(200)


def may_differ(text: str) -> bool:
    """Whether the text has a sign that the two libraries read differently."""
    return any(sign in text for sign in _KNOWN_DIFFERENCES)


def _has_twins(text: str) -> bool:
    """Whether a key is there twice: podgraft rejects errors in the value that is replaced."""
    answer = go_programs.find_program("yaml").ask({"strict": text})
    return "already set in map" in answer.get("error", "")


def _compare(row: Row, *, has_twins: bool = False) -> None:
    actual = read(row["load"])
    expected: Result = ("refused", None) if "error" in row else ("value", row.get("want"))
    same = actual[0] == expected[0] and equal(actual[1], expected[1])
    is_stricter = has_twins and actual[0] == "refused"
    check_claim(same or is_stricter, "podgraft", actual, "Go", row)


def read(text: str) -> Result:
    """The value of a text, or that it is rejected."""
    try:
        return "value", yaml.load(text, strict=False)
    except NotYAMLError:
        return "refused", None


def _check_text(random: ByteRandom, text: str) -> str:
    """Read it after a similar text, and write its value and read that."""
    plain = read(text)
    loader = IncrementalLoader()
    other = mutation.mutate_text(random, text)
    for each in (other, text, other):
        try:
            incremental: Result = "value", loader.load(each).value
        except NotYAMLError:
            incremental = "refused", None
        expected = read(each)
        same = incremental[0] == expected[0] and equal(incremental[1], expected[1])
        check_claim(same, "incrementally", incremental, "alone", expected, text, other)
    # A key << is written as Marshal writes it, and no library reads that.
    if plain[0] == "value" and '"<<":' not in json.dumps(plain[1]):
        written = yaml.dump(plain[1])
        check_claim(equal(yaml.load(written), plain[1]), "read back", written, text)
        if "\\ud" not in (escaped := json.dumps(plain[1])) and "\x7f" not in escaped:
            check_claim(equal(yaml.load(escaped), plain[1]), "read as JSON", escaped, text)
    return plain[0]
