"""The recording of the demo as SVG: its text, its times, and its colors."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import demo_cast

ROOT = Path(__file__).parents[2]
CAST = ROOT / "docs" / "casts" / "demo.svg"


def test_lines_have_the_time_and_the_style_of_the_terminal() -> None:
    parts = [(1.0, "\x1b[32mfirst\r\nsec"), (2.0, "ond\x1b[0m\r\nthird\r\n")]
    lines = demo_cast.read_lines(parts)

    assert [line.second for line in lines] == [1.0, 2.0, 2.0]
    assert [line.text for line in lines] == ["\x1b[32mfirst", "\x1b[32msecond\x1b[0m", "third"]


def test_lines_that_arrive_at_once_scroll() -> None:
    lines = demo_cast.pace([demo_cast.Line("a", 1.0)] * 10)
    seconds = [line.second for line in lines]

    assert seconds == sorted(set(seconds))


def test_a_long_line_is_cut_and_markup_stays_text() -> None:
    root = ET.fromstring(demo_cast.draw([demo_cast.Line("<b>&" + "x" * 200, 1.0)]))  # noqa: S314 - our own file
    (*_, text) = root.iter("{http://www.w3.org/2000/svg}text")

    assert (text.text or "").startswith("<b>&x")
    assert len(text.text or "") == demo_cast.COLUMNS


def test_the_first_frame_shows_the_command() -> None:
    """Without an animation, so it is there before the command prints a line."""
    picture = demo_cast.draw([demo_cast.PROMPT, demo_cast.Line("printed", 1.0)])

    assert '<text y="13"><tspan class="w">$ make demo</tspan></text>' in picture
    assert '<text class="l1" y="31">printed</text>' in picture


def test_the_stored_recording_is_whole_and_has_the_commands_of_the_demo() -> None:
    root = ET.fromstring(CAST.read_text())  # noqa: S314 - our own file
    lines = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    commands = [line for line in lines if line.startswith("$ podgraft")]

    assert "$ make demo" in lines
    assert [command.split()[2] for command in commands] == ["certs", "certs", "tokens", "serve"]
    assert any(line.startswith("decision: inject") for line in lines)
    assert "prefers-reduced-motion" in CAST.read_text()
    assert re.search(r"<title>A terminal that runs make demo</title>", CAST.read_text())
