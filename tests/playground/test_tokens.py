"""The colors of the playground and of the site have the contrast that WCAG AA requires."""

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[2] / "playground" / "page" / "tokens.css"
SCHEMES = ("light", "dark")
TEXT, CONTROL = 4.5, 3.0
BACKGROUNDS = ("page", "surface", "sunken")
# Text on each of its backgrounds; borders of controls and the focus on each background of a page.
PAIRS = (
    *((name, back, TEXT) for name in ("text", "text-2", "text-3", "link") for back in BACKGROUNDS),
    *((name, back, TEXT) for name in ("graft", "left", "deny", "warn") for back in BACKGROUNDS),
    *((tone, f"{tone}-tint", TEXT) for tone in ("graft", "left", "deny", "warn")),
    *(("text", f"{tone}-tint", TEXT) for tone in ("graft", "left", "deny", "warn")),
    *(("on-solid", f"{tone}-solid", TEXT) for tone in ("graft", "left", "deny")),
    *((f"syn-{name}", back, TEXT) for name in ("key", "string", "number", "comment", "tpl")
      for back in ("surface", "graft-tint")),
    *(("page", name, TEXT) for name in ("text", "text-2")),
    *(("line-strong", back, CONTROL) for back in BACKGROUNDS),
    *(("focus", back, CONTROL) for back in BACKGROUNDS),
    ("on-solid", "warn-solid", CONTROL),
)  # fmt: skip


def read_tokens(scheme: str) -> dict[str, str]:
    """The colors of a scheme by name."""
    blocks = re.findall(r"^:root[^{]*\{(.*?)^\}", TOKENS.read_text(), re.DOTALL | re.MULTILINE)
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[SCHEMES.index(scheme)]))


def luminance(color: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_pair_of_colors_has_enough_contrast(scheme: str) -> None:
    tokens = read_tokens(scheme)
    low: dict[tuple[str, str], float] = {}
    for front, back, limit in PAIRS:
        lighter, darker = sorted(map(luminance, (tokens[front], tokens[back])), reverse=True)
        ratio = (lighter + 0.05) / (darker + 0.05)
        if ratio < limit:
            low[front, back] = round(ratio, 2)

    assert low == {}
