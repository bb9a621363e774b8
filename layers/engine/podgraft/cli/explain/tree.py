"""A journey as a tree for the terminal, in colour where the terminal has any."""

from collections.abc import Iterator

import click

from .journey import Journey, Outcome, Sidecars, Stage, Station, Verdict, conclusion

_SIGNS = {
    Outcome.PASSES: "·",
    Outcome.INJECTS: "✓",
    Outcome.CHANGES: "✓",
    Outcome.STOPS: "✗",
    Outcome.DENIES: "✗",
    Outcome.FAILS: "!",
}
_COLOURS = {
    Outcome.PASSES: "white",
    Outcome.INJECTS: "green",
    Outcome.CHANGES: "green",
    Outcome.STOPS: "red",
    Outcome.DENIES: "red",
    Outcome.FAILS: "red",
}


def tree(journey: Journey) -> str:
    """The journey, a line a station; the one that decided is marked ``◀``."""
    return "\n".join(_lines(journey)) + "\n"


def _lines(journey: Journey) -> Iterator[str]:
    yield click.style(journey.subject, bold=True)
    for stage in journey.stages:
        yield f"├─ {click.style(stage.name, bold=True)}"
        yield from _stage_lines(stage)
    colour = "green" if journey.verdict in {Verdict.INJECTED, Verdict.CHANGED} else "red"
    yield f"╰─ {click.style(conclusion(journey), fg=colour, bold=True)}"
    if journey.sidecars is not None:
        yield from _sidecar_lines(journey.sidecars)
    for warning in journey.warnings:
        yield click.style(f"   warning: {warning}", fg="yellow")


def _stage_lines(stage: Stage) -> Iterator[str]:
    """The stage's stations; those that the object did not reach are dim."""
    width = max((len(station.name) for station in stage.stations), default=0)
    for index, station in enumerate(stage.stations):
        branch = "╰" if index == len(stage.stations) - 1 else "├"
        yield f"│  {branch}─ {_station_line(station, width)}"


def _station_line(station: Station, width: int) -> str:
    text = f"{_SIGNS[station.outcome]} {station.name:<{width}}  {station.saw}"
    if not station.reached:
        return click.style(text, dim=True)
    line = click.style(text, fg=_COLOURS[station.outcome], bold=station.decides)
    if not station.decides:
        return line
    because = f": {station.because}" if station.because not in {"", station.saw} else ""
    return line + click.style(f"  ◀ decides{because}", bold=True)


def _sidecar_lines(sidecars: Sidecars) -> Iterator[str]:
    rows = (
        ("templates", sidecars.templates),
        ("image", (sidecars.image,) if sidecars.image else ()),
        ("init containers", sidecars.init_containers),
        ("containers", sidecars.containers),
        ("volumes", sidecars.volumes),
    )
    for name, values in rows:
        if values:
            yield f"   {name:<16}{', '.join(values)}"
