"""The case of letters, compared with package strings of Go (``oracle cases`` in tests/oracle)."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from podgraft.core.injectors.istio import injector, releases
from podgraft.golang import strings
from podgraft.golang.sprig import strings as sprig_strings

CASES: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "data/cases.json").read_text(encoding="utf-8")
)
# Letters that Unicode 16 and 17 add, and old letters for which they add another case.
NEWER = frozenset(
    {0x19B, 0x264, 0x1C89, 0x1C8A}
    | {*range(0xA7CB, 0xA7D4), *range(0xA7DA, 0xA7DD)}
    | {*range(0x10D50, 0x10D90), *range(0x16EA0, 0x16ED4)}
)


@pytest.mark.parametrize("name", ["to_upper", "to_lower", "title"])
def test_every_letter_has_the_case_that_go_gives_it(name: str) -> None:
    function = getattr(strings, name)
    letters, mapped = CASES[name]
    recorded = dict(zip(letters, mapped, strict=True))

    differ = {
        letter: function(letter)
        for letter in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(letter) != "Cs"
        and ord(letter) not in NEWER
        and function(letter) != recorded.get(letter, letter)
    }

    assert differ == {}


# As Go 1.26 returns them; Python's own methods return other texts for each.
LOWER = (("İ ΣΑΣ", "i σασ"), ("ẞ", "ß"), ("ΌΔΟΣ", "όδοσ"))
UPPER = (("ß", "ß"), ("ﬁ", "ﬁ"), ("ŉ", "ŉ"), ("ᾳ", "ᾼ"), ("ǆ", "Ǆ"))


@pytest.mark.parametrize(("text", "lower"), LOWER)
def test_lower_case_of_functions(text: str, lower: str) -> None:
    assert strings.to_lower(text) == sprig_strings.lower(text) == lower


@pytest.mark.parametrize(("text", "upper"), UPPER)
def test_upper_case_of_functions_and_of_the_url(text: str, upper: str) -> None:
    assert strings.to_upper(text) == sprig_strings.upper(text) == upper
    assert injector.parse_environment(releases.newest(), f"{text}/x") == {upper: "x"}


# unicode.IsSpace: Python's strip() would also remove the separators U+001C to U+001F.
TRIMMED = (
    (" \t\n\v\f\r80 ", "80"),
    ("\x1c80\x1f", "\x1c80\x1f"),
    ("\x8580\u2028\u3000", "80"),
    ("\u200b80", "\u200b80"),
    ("", ""),
)


@pytest.mark.parametrize(("text", "expected"), TRIMMED)
def test_white_space_at_the_ends(text: str, expected: str) -> None:
    assert strings.trim_space(text) == sprig_strings.trim(text) == expected
