"""The picture shows each series where it belongs, and nothing covers anything."""

from itertools import pairwise
from math import log10
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench import plot, scaling, throughput
from bench.plot import PANELS
from bench.table import Row
from tools.benchmarks.rows import make_row

_SVG = "{http://www.w3.org/2000/svg}"


def _draw(rows: list[Row]) -> ET.Element:
    return ET.fromstring(plot.render_svg(plot.make_panels(rows)))  # noqa: S314  our own text


def _series(name: str, costs: dict[float, float]) -> list[Row]:
    return [
        make_row(series=name, size=size, median=cost, p99=2 * cost, baseline_median=cost / 100)
        for size, cost in costs.items()
    ]


def _points(line: ET.Element) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in line.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def _line(picture: ET.Element, style: str) -> list[tuple[float, float]]:
    (found,) = picture.findall(f".//{_SVG}polyline[@class='line {style}']")
    return _points(found)


def test_only_series_of_the_picture_are_drawn(rows: list[Row]) -> None:
    (panel,) = plot.make_panels([*rows, *_series("reviews", {1: 1.0, 2: 2.0})])
    assert (panel.across, panel.unit) == ("containers", "s")
    assert [line.label for line in panel.lines] == ["p99", "median", "baseline"]
    assert panel.lines[1].points == ((1, 0.001), (10, 0.002), (500, 0.08))


def test_a_tenfold_cost_at_a_tenfold_size_is_parallel_to_the_diagonal() -> None:
    costs = {10.0**power: 1e-5 * 10**power for power in range(4)}
    picture = _draw(_series("containers", costs))
    ours = _line(picture, "ours")
    (diagonal,) = picture.findall(f".//{_SVG}path[@class='linear']")
    start, end = diagonal.attrib["d"].removeprefix("M").split("L")
    assert tuple(map(float, end.split())) == ours[-1]
    assert tuple(map(float, start.split())) == pytest.approx(ours[0])


def test_a_square_is_twice_as_steep() -> None:
    linear = _series("containers", {1.0: 1e-5, 1000.0: 1e-2})
    square = _series("bytes of annotations", {1.0: 1e-5, 1000.0: 1e1})
    one, other = (
        next(line.points for line in panel.lines if line.style == "ours")
        for panel in plot.make_panels([*linear, *square])
    )
    slopes = [log10(line[1][1] / line[0][1]) for line in (one, other)]
    assert slopes[1] == pytest.approx(2 * slopes[0])


def test_what_costs_more_is_higher_and_what_is_larger_is_further_right() -> None:
    picture = _draw(_series("connections", {1.0: 0.002, 4.0: 0.005, 64.0: 0.04}))
    for style in ("ours", "p99", "base"):
        points = _line(picture, style)
        assert points == sorted(points)
        assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    assert _line(picture, "p99")[0][1] < _line(picture, "ours")[0][1]


def test_labels_do_not_cover_each_other_and_stay_in_the_picture() -> None:
    same = [
        make_row(series=series, size=size, median=0.001, p99=0.001, baseline_median=0.001)
        for series in PANELS
        for size in (1, 10)
    ]
    picture = _draw(same)
    width, height = map(float, picture.attrib["viewBox"].split()[2:])
    assert (width, height) == (960, 472)
    for panel in picture.findall(f"{_SVG}g"):
        labels = [each for each in panel.iter(f"{_SVG}text") if "label" in each.attrib["class"]]
        places = sorted(float(each.attrib["y"]) for each in labels)
        assert len(places) == 3
        assert min(b - a for a, b in pairwise(places)) >= 11
        assert 0 < places[0] < places[-1] < height / 2


def test_names_are_escaped() -> None:
    drawn = plot.Panel(
        title="a < b",
        across="& more",
        unit="s",
        lines=tuple(
            plot.PlotLine("<p99>", style, ((1, 1.0), (2, 2.0))) for style in ("p99", "ours")
        ),
    )
    picture = ET.fromstring(plot.render_svg([drawn]))  # noqa: S314  our own text
    assert {"a < b", "& more", "<p99>"} <= {each.text for each in picture.iter(f"{_SVG}text")}


def test_the_reader_chooses_light_or_dark() -> None:
    style = _draw(_series("connections", {1.0: 0.1, 4.0: 0.2})).findtext(f"{_SVG}style") or ""
    light, _, dark = style.partition("@media (prefers-color-scheme: dark)")
    for name in ("line.ours", "line.p99", "line.base", "title", "grid", "label.ours", "label.p99"):
        assert f".{name}" in light
        assert f".{name}" in dark


def test_every_series_that_is_plotted_is_measured() -> None:
    told = Path(scaling.__file__).read_text() + Path(throughput.__file__).read_text()
    assert all(f'"{series}"' in told for series in PANELS)
