#!/usr/bin/env python3
"""Record ``make demo`` in a terminal, and draw the recording as an animated SVG.

    demo_cast.py [--output docs/casts/demo.svg]

The picture has the text of the terminal, its colors, and its times. Lines that arrive at once
scroll with ``LINES_PER_SECOND``. With reduced motion, it shows the last lines.
"""

import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
COLUMNS, ROWS = 100, 24
LINES_PER_SECOND = 90
FINAL_SECONDS = 6  # until the recording starts again
LINE_HEIGHT, CHARACTER_WIDTH, MARGIN, BAR = 18, 7.82, 18, 34
COMMAND = ("make", "demo")
_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")
_COLORS = {"31": "r", "32": "g", "33": "y", "34": "b", "36": "b"}
_STYLE = """\
text{font:13px/18px ui-monospace,"SF Mono","Cascadia Code","JetBrains Mono",\
"DejaVu Sans Mono",monospace;fill:#e9f0eb;white-space:pre}
.h{fill:#94a199}.r{fill:#ff9d93}.g{fill:#62d999}.y{fill:#f2bd62}.b{fill:#86b6ff}.w{font-weight:700}
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the terminal, and the second at which it is complete."""

    text: str  # with escape sequences
    second: float


# The first frame, before the command prints a line.
PROMPT = Line(f"\x1b[1m$ {' '.join(COMMAND)}\x1b[0m", 0)


def main() -> int:
    """Record and draw; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "casts" / "demo.svg")
    options = parser.parse_args()
    printed = read_lines(record(COMMAND))
    if not printed:
        print(f"error: {' '.join(COMMAND)}: prints nothing; run it", file=sys.stderr)
        return 1
    lines = [PROMPT, *pace(printed)]
    options.output.write_text(draw(lines))
    print(f"{options.output}: {len(lines)} lines, {lines[-1].second:.1f} s")
    return 0


def record(command: Sequence[str]) -> list[tuple[float, str]]:
    """What a command writes to a terminal, with the second of each part."""
    start = time.monotonic()
    process, terminal = pty.fork()
    if not process:
        os.chdir(ROOT)
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(ROWS))
        os.execvp(command[0], list(command))  # noqa: S606 - no shell
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    parts: list[tuple[float, str]] = []
    while content := _read(terminal):
        parts.append((time.monotonic() - start, content.decode(errors="replace")))
    os.waitpid(process, 0)
    return parts


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the command ended
        return b""


def read_lines(parts: Sequence[tuple[float, str]]) -> list[Line]:
    """The lines of a recording; a style that continues is at the start of the next line."""
    lines: list[Line] = []
    text = ""
    for second, part in parts:
        *complete, text = (text + part.replace("\r", "")).split("\n")
        lines += [Line(each, second) for each in complete]
    style = ""
    styled: list[Line] = []
    for line in lines:
        styled.append(Line(style + line.text, line.second))
        codes = _ESCAPE.findall(style + line.text)
        style = "" if codes and codes[-1] in {"", "0"} else "".join(f"\x1b[{c}m" for c in codes)
    return styled


def pace(lines: Sequence[Line]) -> list[Line]:
    """The lines, each at least a part of a second after the one before."""
    paced: list[Line] = []
    second = 0.0
    for line in lines:
        second = max(line.second, second + 1 / LINES_PER_SECOND)
        paced.append(Line(line.text, second))
    return paced


def draw(lines: Sequence[Line]) -> str:
    """The recording as SVG."""
    width = round(2 * MARGIN + COLUMNS * CHARACTER_WIDTH)
    inner = width - 2 * MARGIN
    height = BAR + ROWS * LINE_HEIGHT + MARGIN
    total = lines[-1].second + FINAL_SECONDS
    last = (ROWS - len(lines)) * LINE_HEIGHT
    body = "\n".join(_draw_line(index, line) for index, line in enumerate(lines))
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A terminal that runs {" ".join(COMMAND)}</title>
<style>
{_STYLE}{"".join(_animate(lines, total))}\
@media (prefers-reduced-motion:reduce){{\
*{{animation:none!important}}.s{{transform:translateY({last}px)}}}}
</style>
<rect width="{width}" height="{height}" rx="12" fill="#131916"/>
<g fill="#28312c">{"".join(f'<circle cx="{x}" cy="17" r="5"/>' for x in (20, 38, 56))}</g>
<text class="h" x="{width // 2}" y="21" text-anchor="middle">{" ".join(COMMAND)}</text>
<svg x="{MARGIN}" y="{BAR}" width="{inner}" height="{ROWS * LINE_HEIGHT}">
<g class="s">
{body}
</g>
</svg>
</svg>
"""


def _animate(lines: Sequence[Line], total: float) -> Iterator[str]:
    """Each of the first lines appears, and then each line scrolls the others."""
    for index, line in enumerate(lines[:ROWS]):
        if not line.second:
            continue
        share = f"{100 * line.second / total:.2f}%"
        yield f"@keyframes a{index}{{0%{{opacity:0}}{share}{{opacity:1}}}}"
        yield f".l{index}{{animation:a{index} {total:.1f}s step-end infinite}}\n"
    steps: list[str] = []
    for index, line in enumerate(lines[ROWS:], 1):
        share = f"{100 * line.second / total:.2f}%"
        steps.append(f"{share}{{transform:translateY({-index * LINE_HEIGHT}px)}}")
    yield f"@keyframes s{{0%{{transform:none}}{''.join(steps)}}}\n"
    yield f".s{{animation:s {total:.1f}s step-end infinite}}\n"


def _draw_line(index: int, line: Line) -> str:
    spans = "".join(_draw_spans(line.text))
    name = f' class="l{index}"' if line.second and index < ROWS else ""
    return f'<text{name} y="{index * LINE_HEIGHT + 13}">{spans}</text>'


def _draw_spans(line: str) -> Iterator[str]:
    """The parts of a line with their colors, at most ``COLUMNS`` characters."""
    styles: list[str] = []
    available = COLUMNS
    for index, part in enumerate(_ESCAPE.split(line)):
        if index % 2:
            styles = (
                []
                if part in {"", "0"}
                else [*styles, _COLORS.get(part, "w" if part == "1" else "")]
            )
            continue
        shown = part if len(part) <= available else f"{part[: max(0, available - 1)]}…"
        available -= len(part)
        names = " ".join(filter(None, styles))
        if shown and available + len(part) > 0:
            yield (
                f'<tspan class="{names}">{escape(shown, quote=False)}</tspan>'
                if names
                else escape(shown, quote=False)
            )


if __name__ == "__main__":
    sys.exit(main())
