"""The page parses YAML without libyaml. It rejects more documents, and reads no other value."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podgraft.kube import yaml
from podgraft.kube.yaml import events

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    text
    for path in sorted(ROOT.glob("samples/*/**/*.yaml"))
    if len(text := path.read_text()) < 4_000
]
PIECES = [
    *"\"':#?,@`!%~\\{}[]|>",
    *(" ", "\n", "\t", "\r", "\r\n", "- ", "? ", ": ", "|-", ">+", "&a ", "*a", "!!str ", "<<: "),
    *(
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "null",
        "0x1",
        "1e3",
        "\\x41",
        "\x85",
        "\u2028",
        "\x07",
        "\0",
    ),
]
EXAMPLES = 1_500


def load(monkeypatch: pytest.MonkeyPatch, parser: Any, text: str) -> tuple[bool, str]:
    """Whether the text is valid, and its value."""
    with monkeypatch.context() as patches:
        patches.setattr(events, "CParser", parser)
        try:
            return True, repr(list(yaml.load_all(text)))
        except yaml.NotYAMLError as error:
            return False, str(error)


def make_text(generator: random.Random) -> str:
    """A part of a document with random changes."""
    text = generator.choice(DOCUMENTS)
    start = generator.randrange(len(text))
    text = text[max(0, start - 200) : start + 300]
    for _ in range(generator.randint(1, 3)):
        index = generator.randrange(len(text) + 1)
        end = index + generator.choice([0, 0, 0, 1, 2])
        text = text[:index] + generator.choice(PIECES) + text[end:]
    return text


def make_flow(generator: random.Random) -> str:
    """A short text of indicators."""
    pieces = [*"aab:,?[]{}-'\"#\n|>!\t%", ": ", "- ", "? ", " #", "\n  ", "&a", "*a ", "\x85"]
    text = "".join(generator.choices(pieces, k=generator.randint(1, 14)))
    return generator.choice([text, f"{{{text}}}"])


@pytest.mark.parametrize("make", [make_text, make_flow])
def test_no_document_has_another_value_than_with_libyaml(
    make: Callable[[random.Random], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = random.Random(1)  # noqa: S311 - test data
    original = events.CParser
    assert original is not None
    both = 0
    for _ in range(EXAMPLES):
        text = make(generator)
        is_valid, value = load(monkeypatch, None, text)
        if is_valid:
            both += 1
            assert load(monkeypatch, original, text) == (True, value), text
    assert both > EXAMPLES // 10
