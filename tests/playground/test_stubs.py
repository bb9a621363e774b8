"""The replacement of google-re2 returns what the original does."""

import random
from importlib import import_module
from typing import Any

from podgraft_playground.unsupported import UnsupportedError
from support.playground_stubs import load_stub

PIECES = r"""
    \d \w \s \D \S . [a-c] [^a] [\w.-] [^/] \. ^ $ \b [-a] [a-] []] [^\s:] [.] \n \A \z
    \x41 \pL [[:alpha:]] (?i)a \Q { } ] \B [a-\d]
"""
ATOMS = [*"abAB01._-/:@ \n\té", *PIECES.split()]
COUNTS = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{0}", "{,2}"]
ALPHABET = "abcABx01._-/:@ \n\t\véü[]{}"


def make_pattern(generator: random.Random, depth: int = 0) -> str:
    pieces: list[str] = []
    for _ in range(generator.randint(1 - bool(depth), 4)):
        chance = generator.random()
        if depth < 3 and chance < 0.25:
            start = generator.choice(["(", "(?:", f"(?P<n{generator.randint(0, 99)}>"])
            inner = make_pattern(generator, depth + 1)
            pieces.append(f"{start}{inner}){generator.choice(COUNTS)}")
        elif chance < 0.32:
            pieces.append("|")
        else:
            pieces.append(generator.choice(ATOMS) + generator.choice(COUNTS))
    return "".join(pieces)


def spans(match: Any, groups: int) -> Any:
    return match and [match.span(group) for group in range(groups + 1)]


def test_re2_matches_the_same_or_refuses_the_pattern() -> None:
    stub, generator = load_stub("re2"), random.Random(2)  # noqa: S311 - test data
    re2: Any = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    accepted = 0
    for _ in range(10_000):
        pattern = make_pattern(generator)
        try:
            replacement = stub.compile(pattern)
        except UnsupportedError:
            continue
        original = re2.compile(pattern, options)
        accepted += 1
        assert replacement.groups == original.groups
        assert replacement.groupindex == dict(original.groupindex)
        for _ in range(4):
            text = "".join(generator.choices(ALPHABET, k=generator.randint(0, 12)))
            expected = spans(original.search(text), original.groups)
            assert spans(replacement.search(text), original.groups) == expected, (pattern, text)
            try:
                found = [spans(match, original.groups) for match in replacement.finditer(text)]
            except UnsupportedError:
                continue
            assert found == [spans(match, original.groups) for match in original.finditer(text)]
    assert accepted > 1_000
