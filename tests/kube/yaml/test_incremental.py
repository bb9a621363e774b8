"""Texts that differ in a few scalars mean what they mean when they are read alone."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from podgraft.base.jsonvalue import JSON, equal
from podgraft.kube import yaml
from podgraft.kube.yaml import IncrementalLoader, NotYAMLError, decoder, incremental
from support.effort import scaled

TEXT = """\
metadata:
  labels: {a: "one", b: two, "c": 'three'}
  name: web
spec:
  containers:
  - name: app
    args: ["-x", "--y=1", plain]
    image: "hub/app:1"
    port: 80
    script: |
      name: in a block
      "quoted": "in a block"
    folded: plain
      "and more": no
  - {name: log, image: hub/log, "on": off}
  last: "x" # not "this"
"""


def _count_readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are read from now on, not taken over."""
    read: list[str] = []

    def load(text: str, *, strict: bool) -> JSON:
        if strict:  # a duplicate key, and any other problem, is read again
            read.append(text)
        return decoder.load(text, strict)

    monkeypatch.setattr(incremental, "load", load)
    return read


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"one"', '"other, with: [syntax] #"'),
        ('"one"', '""'),
        ("b: two", "b: three"),
        ("b: two", "b: yes"),
        ("name: web", "name: null"),
        ("name: web", "name: kubernetes://apis/v1"),
        ("plain]", "other]"),
        ("image: hub/log", "image: hub/log:2"),
        ('last: "x"', 'last: "y"'),
    ],
)
def test_a_changed_scalar_is_exchanged(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("last:", "- last:").replace('    folded: plain\n      "and more": no\n', "")
    changed = text.replace(old, new, 1)
    texts = IncrementalLoader()
    texts.load(text)
    read = _count_readings(monkeypatch)
    assert changed != text
    assert equal(texts.load(changed).value, yaml.load(changed, strict=False))
    assert not read


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("b: two", "b: two: three"),
        ("b: two", "b: [two"),
        ("b: two", "b: &a two"),
        ("b: two", "b: two #"),
        ("b: two", "b: 2"),
        ("b: two", 'b: "two"'),
        ("b: two", "b: two,"),
        ("b: two", "other: two"),
        ('"one"', '"o\\n"'),
        ('"one"', '"o" : "p"'),
        ('"one"', '"o", "p": "q"'),
        ("'three'", "'four'"),
        ("port: 80", "port: 81"),
        ("in a block", "elsewhere"),
        ("- name: app", "- name: app\\n  b: c"),
        ('{a: "one", b: two', '{a: "two", b: one'),
    ],
)
def test_everything_else_is_read(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("last:", "- last:").replace('    folded: plain\n      "and more": no\n', "")
    changed = text.replace(old, new, 1)
    texts = IncrementalLoader()
    texts.load(text)
    read = _count_readings(monkeypatch)
    assert _outcome(_loaded(texts), changed) == _outcome(_alone, changed)
    assert read == [changed]


TEXTS = [
    TEXT.replace('    folded: plain\n      "and more": no\n', "").replace("last:", "- last:"),
    "a: x\na: x\nb: x\n",
    "a: {b: x}\na: {b: x}\n",
    "a: {b: x}\na: {c: x}\n",
    "a: &x {b: c}\nd: *x\ne: f\n",
    "<<: {a: b}\na: b\n",
    "? {a: b}\n: c\nd: e\n",
    "yes: a\n80: b\n~: c\n",
    "- a\n- - b\n  - {c: d}\n-\n  e: f\n",
    "--- a\n--- b\n",
    "word\n",
    'a: "x"\n"x": a\nb: !!str x\nc: d\n',
    "a: b\n c\nd: >\n e: f\ng: h\n",
    *(path.read_text() for path in sorted((Path(__file__).parents[3] / "samples").rglob("*.yaml"))),
]
PIECES = (
    *("x", "y z", "web-2", "true", "no", "null", "1", "0x1", "a:b", "a: b", ":", "-", "- ", "#"),
    *(" #", '"', "'", '"q"', '"', "\\", "{", "}", "[", "]", ",", "&a", "*a", "!!str", "|", ">"),
    *(
        "\n",
        "\r",
        "\r\n",
        "\n ",
        " ",
        "",
        "\t",
        "%",
        "@",
        "<<",
        "?",
        "---",
        "...",
        "é",
        "a/b",
        "a.b",
        "a-",
    ),
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("true: x\nyes: x\n", "true: y\nyes: x\n"),
        ('"1": x\n0x1: x\n', '"1": y\n0x1: x\n'),
        ("a: x\n<<: {a: x}\n", "a: y\n<<: {a: x}\n"),
        ("a: x\nb: &b {a: x}\n<<: *b\n", "a: y\nb: &b {a: x}\n<<: *b\n"),
    ],
)
def test_two_keys_that_mean_the_same_are_one(old: str, new: str) -> None:
    texts = IncrementalLoader()
    texts.load(old)
    assert texts.load(new).value == _alone(new)


def test_a_duplicate_key_is_reported_and_not_taken_over() -> None:
    texts = IncrementalLoader()
    for text, has_duplicates in (("a: x\na: y\n", True), ("a: x\nb: y\n", False)):
        assert texts.load(text).has_duplicates is has_duplicates
        assert texts.load(text.replace("x", "z")).has_duplicates is has_duplicates
    with pytest.raises(NotYAMLError):
        texts.load("a: [")


def _loaded(texts: IncrementalLoader) -> Callable[[str], JSON]:
    return lambda text: texts.load(text).value


def _alone(text: str) -> JSON:
    return yaml.load(text, strict=False)


def _outcome(load: Callable[[str], JSON], text: str) -> str:
    try:
        return repr(load(text))
    except NotYAMLError as error:
        return f"NotYAMLError: {error}"


@pytest.mark.parametrize("seed", range(4))
def test_no_text_means_anything_else_with_others(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same texts each time
    for text in TEXTS:
        texts = IncrementalLoader()
        for _ in range(scaled(60)):
            start = random.randrange(len(text) + 1)
            end = min(len(text), start + random.choice((0, 1, 1, 2, 4, 8)))
            changed = f"{text[:start]}{random.choice(PIECES)}{text[end:]}"
            if random.randrange(2):
                changed = _replace_word(text, random)
            assert _outcome(_loaded(texts), changed) == _outcome(_alone, changed), changed


def _replace_word(text: str, random: Random) -> str:
    """The text with a word of it replaced by a piece."""
    words = [*re.finditer(r"[A-Za-z0-9./-]+", text)]
    if not words:
        return text
    word = random.choice(words)
    return f"{text[: word.start()]}{random.choice(PIECES)}{text[word.end() :]}"
