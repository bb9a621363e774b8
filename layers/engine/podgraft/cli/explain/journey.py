"""The way of one pod from kube-apiserver to its sidecars, station by station.

kube-apiserver looks at the registration first (rules, namespaceSelector, objectSelector,
matchConditions) and calls podgraft only for what passes; then podgraft's own decision follows.
Istio's check-inject knows the selectors alone; this is the whole way in one value.
"""

from dataclasses import dataclass
from enum import StrEnum

from podgraft.jsonvalue import JSON, Object
from podgraft.policy import SENTENCES, Decision, Step, Verdict


class Outcome(StrEnum):
    """What a station makes of the pod."""

    PASSES = "passes"
    INJECTS = "injects"
    STOPS = "stops"


@dataclass(frozen=True, slots=True)
class Station:
    """One station: what it saw, what it made of it, and whether it settled the matter."""

    name: str
    saw: str
    outcome: Outcome
    decides: bool = False
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The stations of one party: kube-apiserver's, then podgraft's."""

    name: str
    stations: tuple[Station, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecars:
    """What injection brings to the pod."""

    templates: tuple[str, ...] = ()
    image: str = ""
    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """The whole way of one pod; ``sidecars`` is what waits at its end, if it gets there."""

    subject: str
    stages: tuple[Stage, ...]
    sidecars: Sidecars | None = None
    warnings: tuple[str, ...] = ()

    @property
    def injected(self) -> bool:
        """Whether the pod receives sidecars."""
        return self.sidecars is not None

    @property
    def settled_by(self) -> Station | None:
        """The station that decided."""
        return next((s for stage in self.stages for s in stage.stations if s.decides), None)


_OUTCOMES = {
    Verdict.INJECT: Outcome.INJECTS,
    Verdict.SKIP: Outcome.STOPS,
    Verdict.UNDECIDED: Outcome.PASSES,
}


def decision_stage(decision: Decision) -> Stage:
    """The stations of podgraft itself, in the order in which it looks at them."""
    stations = tuple(_station(step, step is decision.by) for step in decision.steps)
    return Stage(name="podgraft", stations=stations)


def _station(step: Step, decides: bool) -> Station:
    because = SENTENCES[step.reason] if step.reason is not None else ""
    return Station(step.name, step.saw, _OUTCOMES[step.verdict], decides, because)


def conclusion(journey: Journey) -> str:
    """The journey's end in one sentence."""
    word = "injected" if journey.injected else "not injected"
    station = journey.settled_by
    if station is None:
        return word
    because = f": {station.because}" if station.because else ""
    return f"{word}, decided by {station.name}{because}"


def as_json(journey: Journey) -> Object:
    """The journey for programs; keys are stable."""
    stages: list[JSON] = [
        {"name": stage.name, "stations": [_station_json(station) for station in stage.stations]}
        for stage in journey.stages
    ]
    sidecars = journey.sidecars
    return {
        "subject": journey.subject,
        "injected": journey.injected,
        "conclusion": conclusion(journey),
        "stages": stages,
        "sidecars": None if sidecars is None else _sidecars_json(sidecars),
        "warnings": list(journey.warnings),
    }


def _station_json(station: Station) -> Object:
    return {
        "name": station.name,
        "saw": station.saw,
        "outcome": station.outcome,
        "decides": station.decides,
        "because": station.because,
    }


def _sidecars_json(sidecars: Sidecars) -> Object:
    return {
        "templates": list(sidecars.templates),
        "image": sidecars.image,
        "initContainers": list(sidecars.init_containers),
        "containers": list(sidecars.containers),
        "volumes": list(sidecars.volumes),
    }
