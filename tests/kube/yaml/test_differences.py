"""Where we differ from sigs.k8s.io/yaml on purpose, or because libyaml is not go-yaml."""

import json
import os
from dataclasses import dataclass

import pytest

from oracle import program
from podgraft.base.jsonvalue import JSON, MAX_DEPTH, equal
from podgraft.kube import yaml
from podgraft.kube.yaml import NotYAMLError

REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    text: str
    go: JSON
    ours: JSON


READING = (
    # libyaml reads what go-yaml, an older translation of it, does not
    Case("JSON's escaped slash", '"\\/"', REFUSED, "/"),
    Case("? in a word of a flow list", "[http://x/y?z=1]", REFUSED, ["http://x/y?z=1"]),
    Case("? in a word of a flow map", "{a?b: c}", REFUSED, {"a?b": "c"}),
    # go-yaml reads what libyaml does not
    Case("word of a flow list that ends in a colon", "[a:]", ["a:"], REFUSED),
    Case("word of a flow map that ends in a colon", "{a: b:}", {"a": "b:"}, REFUSED),
    Case("comma in a tag", "!,x a", "a", REFUSED),
    Case("bracket in a tag", "!!]x a", "a", REFUSED),
    Case("colon right after a flow list", "[]:", [], REFUSED),
    # each reads something else
    Case("comma after a tag in a flow list", "[!x, a]", ["a"], ["", "a"]),
    Case("byte order mark within the text", "\n\ufeffa", "\ufeffa", "a"),
    # ours on purpose
    Case("impossible key in a value that is replaced", "a: {~: 1}\na: 2", {"a": 2}, REFUSED),
    Case("infinity in a value that is replaced", "a: .inf\na: 2", {"a": 2}, REFUSED),
    Case("lists a level too deep", "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "deep", REFUSED),
)


@pytest.mark.parametrize("case", READING, ids=lambda case: case.name)
def test_texts_that_go_reads_otherwise(case: Case) -> None:
    if case.ours == REFUSED:
        with pytest.raises(NotYAMLError):
            yaml.load(case.text, strict=False)
    else:
        assert equal(yaml.load(case.text, strict=False), case.ours)


@pytest.mark.skipif("PODGRAFT_LIVE_ORACLE" not in os.environ, reason="asks Go itself")
@pytest.mark.parametrize("case", READING, ids=lambda case: case.name)
def test_go_does_read_them_so(case: Case) -> None:
    (answer,) = program.ask_program("yaml", [{"load": case.text}])
    if case.go == "deep":
        assert "error" not in answer
    else:
        assert answer.get("want", REFUSED) == case.go


@pytest.mark.parametrize(
    "text", ['1: a\n"1": b', 'yes: a\n"true": b', "1: a\n1.0: b", "{1: a, 0x1: b}"]
)
def test_keys_that_become_one_string_are_a_repeated_key(text: str) -> None:
    """In Go the winner changes from run to run, even where it is strict."""
    with pytest.raises(NotYAMLError, match="duplicate key"):
        yaml.load(text)


@pytest.mark.parametrize("character", ["\x7f", "\x80", "\x85", "\x9f", "\ufffe", "\U0010ffff"])
def test_characters_that_marshal_loses_or_fails_on_are_escaped(character: str) -> None:
    for text in (character, f"a{character}b", f"a\n{character}"):
        assert yaml.load(yaml.dump({text: text})) == {text: text}
        assert yaml.dump(text).startswith('"')


def test_keys_longer_than_libyaml_would_look_ahead_are_written_as_explicit_ones() -> None:
    key = "k" * 1025
    assert yaml.load(yaml.dump({key: {key: [1]}})) == {key: {key: [1]}}


def test_keys_that_go_orders_in_a_circle_have_one_order_here() -> None:
    """1e before 8 (a number less than eight), 8 before 12, and 12 before 1e (letters go last)."""
    texts = {yaml.dump(dict.fromkeys(keys, 0)) for keys in (("1e", "8", "12"), ("12", "8", "1e"))}
    assert len(texts) == 1


def test_half_a_surrogate_pair_is_written_escaped() -> None:
    assert json.loads(yaml.dump("\ud800")) == "\ud800"
