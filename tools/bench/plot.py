"""The measurements as a picture: small multiples on logarithmic axes, as one SVG file.

On such axes a cost that grows linearly ends parallel to the dashed diagonal, whatever its fixed
part, and one that grows by a square leaves it twice as steeply. Lines are labelled where they end.
Colours follow the reader's light or dark mode.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from .amounts import Unit, format_amount
from .table import Row

Point = tuple[float, float]

COLUMNS = 3
_WIDTH, _HEIGHT = 320, 236  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 66, 40, 34  # around its axes
_LABEL_GAP = 12


@dataclass(frozen=True, slots=True)
class PlotLine:
    """One line: its label, and the class that colours it."""

    label: str
    style: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One small picture of cost against size."""

    title: str
    across: str
    unit: Unit
    lines: tuple[PlotLine, ...]


# Series of the table → title and name of the axis, in the order of the picture.
PANELS: Mapping[str, tuple[str, str]] = {
    "containers": ("Review of a growing pod", "containers"),
    "bytes of annotations": ("Review of a growing pod", "bytes of annotations"),
    "selectors": ("Review under more selectors", "selectors of each kind"),
    "bytes of the bundle, reviewing": ("Review by a growing bundle", "bytes of the bundle"),
    "bytes of the bundle, loading": ("Loading a growing bundle", "bytes of the bundle"),
    "connections": ("podgraft serve on two cores", "connections at once"),
}
# A baseline's label is shorter than its name in the table; unnamed ones are «baseline».
_BASELINES = {
    "json decode + encode of the review": "json",
    "reading the YAML of its files": "YAML alone",
    "the same without selectors": "without",
    "GET /ping of the same server": "/ping",
}


def make_panels(rows: Sequence[Row]) -> list[Panel]:
    """A panel for each series that was measured."""
    found = ([row for row in rows if row.series == series] for series in PANELS)
    return [_make_panel(series) for series in found if len(series) > 1]


def render_svg(drawn: Sequence[Panel]) -> str:
    """The panels as one picture."""
    lines = ceil(len(drawn) / COLUMNS)
    width, height = min(len(drawn), COLUMNS) * _WIDTH, lines * _HEIGHT
    positioned = (
        f'<g transform="translate({index % COLUMNS * _WIDTH} {index // COLUMNS * _HEIGHT})">'
        f"{''.join(_draw_panel(panel))}</g>"
        for index, panel in enumerate(drawn)
    )
    titles = "; ".join(f"{panel.title}: {panel.across}" for panel in drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Cost against size. {escape(titles)}">\n<style>{_STYLE}</style>\n'
        + "\n".join(positioned)
        + "\n</svg>\n"
    )


def _make_panel(rows: Sequence[Row]) -> Panel:
    title, across = PANELS[rows[0].series]

    def line(label: str, style: str, value: str) -> PlotLine:
        return PlotLine(label, style, tuple((row.size or 0, getattr(row, value)) for row in rows))

    baseline = _BASELINES.get(rows[0].baseline, "baseline")
    lines = (
        line("p99", "p99", "p99"),
        line("median", "ours", "median"),
        line(baseline, "base", "baseline_median"),
    )
    return Panel(title=title, across=across, unit=rows[0].unit, lines=lines)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where a value is on a logarithmic axis, which goes from power to power of ten."""

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def from_values(cls, values: Sequence[float], start: float, end: float) -> "_Scale":
        low, high = floor(log10(min(values))), ceil(log10(max(values)))
        return cls(low, max(high, low + 1), start, end)

    def position(self, value: float) -> float:
        share = (log10(value) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    @property
    def ticks(self) -> list[float]:
        step = ceil((self.high - self.low) / 5)
        return [10.0**power for power in range(self.low, self.high + 1, step)]


def _draw_panel(panel: Panel) -> Iterator[str]:
    points = [point for line in panel.lines for point in line.points]
    across = _Scale.from_values([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    up = _Scale.from_values([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    yield f'<text class="title" x="{_LEFT}" y="18">{escape(panel.title)}</text>'
    yield f'<text class="axis" x="{_LEFT}" y="31">{escape(panel.across)}</text>'
    yield from _draw_grid(panel, across, up)
    yield _draw_diagonal(panel.lines[1].points[-1], across, up)
    for line in panel.lines:
        path = " ".join(f"{across.position(x)},{up.position(y)}" for x, y in line.points)
        yield f'<polyline class="line {line.style}" points="{path}"/>'
    for x, y in panel.lines[1].points:
        yield f'<circle class="ours" cx="{across.position(x)}" cy="{up.position(y)}" r="2.4"/>'
    yield from _draw_labels(panel.lines, across, up)


def _draw_grid(panel: Panel, across: _Scale, up: _Scale) -> Iterator[str]:
    for tick in up.ticks:
        y = up.position(tick)
        yield f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>'
        amount_text = escape(format_amount(tick, panel.unit))
        at = f'x="{_LEFT - 6}" y="{y + 3.5}" text-anchor="end"'
        yield f'<text class="tick" {at}>{amount_text}</text>'
    for tick in across.ticks:
        x, y = across.position(tick), _HEIGHT - _BOTTOM + 15
        label = _format_count(tick)
        yield f'<text class="tick" x="{x}" y="{y}" text-anchor="middle">{label}</text>'


def _draw_diagonal(last: Point, across: _Scale, up: _Scale) -> str:
    """Linear growth, through the last point and as far down as there is room."""
    x, y = last
    decades = min(log10(x) - across.low, log10(y) - up.low)
    start = f"{across.position(x / 10**decades)} {up.position(y / 10**decades)}"
    return f'<path class="linear" d="M{start}L{across.position(x)} {up.position(y)}"/>'


def _draw_labels(lines: Sequence[PlotLine], across: _Scale, up: _Scale) -> Iterator[str]:
    """Place each label next to the end of its line, without overlaps."""
    ends = sorted((up.position(line.points[-1][1]), line.style, line.label) for line in lines)
    occupied: list[float] = []
    for y, _, _ in ends:
        occupied.append(max(y, occupied[-1] + _LABEL_GAP) if occupied else y)
    over = max(0.0, occupied[-1] - (_HEIGHT - _BOTTOM))
    x = max(across.position(line.points[-1][0]) for line in lines) + 7
    for y, (_, style, label) in zip(occupied, ends, strict=True):
        at = round(y - over + 3.5, 1)
        yield f'<text class="label {style}" x="{x}" y="{at}">{escape(label)}</text>'


def _format_count(value: float) -> str:
    """A round number: 1, 10, 100, 1k, 10k, 1M."""
    for name, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.0f}{name}"
    return f"{value:.0f}"


# No CSS variables: programs other than browsers read the picture too.
_STYLE = """
text { font: 11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #59636e; }
.title { font-size: 13px; font-weight: 600; fill: #1f2328; }
.tick { font-size: 10px; }
.grid { stroke: #d1d9e0; stroke-width: .6; }
.linear { stroke: #59636e; stroke-width: .9; stroke-dasharray: 2 4; fill: none; }
.line { fill: none; stroke-width: 1.2; stroke-linejoin: round; stroke-linecap: round; }
.line.ours { stroke: #0969da; stroke-width: 2; }
.line.p99 { stroke: #bc4c00; }
.line.base { stroke: #59636e; }
.label { font-weight: 600; }
circle.ours, .label.ours { fill: #0969da; }
.label.p99 { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .title { fill: #f0f6fc; }
  .grid { stroke: #3d444d; }
  .linear, .line.base { stroke: #9198a1; }
  .line.ours { stroke: #4493f8; }
  .line.p99 { stroke: #f0883e; }
  circle.ours, .label.ours { fill: #4493f8; }
  .label.p99 { fill: #f0883e; }
}
"""
