"""The path of a decision: a row for each step of each webhook, which the page draws as a line.

Steps of one rule form one row. Steps after the deciding one that the object did not reach form one
row as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.trace import TraceStep
from podgraft.cli.explain.decision_trace import RESULT_STEP, Stage, Verdict

from .findings import Finding
from .sentences import Sentence, join, say, to_text
from .step_inputs import REGISTRATION, StepInput

_MATCHES = "matches; validations:"  # the first step of a rule that applies
_TONES = {
    Verdict.INJECTED: "graft",
    Verdict.CHANGED: "graft",
    Verdict.DENIED: "deny",
    Verdict.FAILED: "deny",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the engine with what the page prints of it."""

    step: TraceStep
    finding: Finding
    read: StepInput


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the path; ``state`` is the look of its node and of the line after it."""

    state: str
    title: Sentence
    found: list[Sentence]
    steps: list[Step] = field(default_factory=list[Step])

    def to_json(self) -> Object:
        """Encode the row; the input of its step has no text that the finding has."""
        last = self.steps[-1] if self.steps else None
        places = () if last is None or self.state == "cut" else last.finding.places
        found: list[JSON] = [*self.found]
        return {
            "state": self.state,
            "name": last.step.name if last else "",
            "title": self.title,
            "found": found,
            "places": [place.to_json() for place in places],
            "object": last.read.object if last and self.state != "cut" else "",
            "configuration": last.read.configuration if last and self.state != "cut" else "",
            "steps": [row.to_json() for row in _plain_rows(self)],
        }


def tone_of(verdict: Verdict | None) -> str:
    """The color of a result."""
    return _TONES.get(verdict, "left") if verdict else "left"


def make_path(stage: Stage, steps: Sequence[Step]) -> Object:
    """One stage as rows; ``isQuiet`` if it neither decides nor changes the object."""
    decides = any(each.step.is_deciding for each in steps)
    rows: list[JSON] = [row.to_json() for row in _rows(steps, decides)]
    is_registration = stage.name.startswith(REGISTRATION)
    return {
        "title": _heading(stage, is_registration),
        "webhook": stage.name.removeprefix(REGISTRATION) if is_registration else "",
        "route": stage.route,
        "object": stage.object,
        "tone": tone_of(stage.verdict),
        "isDeciding": decides,
        "isQuiet": not decides and stage.verdict in {Verdict.SKIPPED, None},
        "summary": to_text(steps[-1].finding.sentence) if steps else "",
        "rows": rows,
    }


def _heading(stage: Stage, is_registration: bool) -> Sentence:
    if is_registration:
        return say("kube-apiserver, webhook `{}`", stage.name.removeprefix(REGISTRATION))
    if not stage.review and stage.route:
        return say("`/{}`, which kube-apiserver does not call", stage.route)
    return say("`/{}` for {}", stage.route, stage.object)


def _rows(steps: Sequence[Step], decides: bool) -> Iterator[Row]:
    is_after = False
    for (name, reached), members in groupby(
        steps, lambda each: (each.step.name, each.step.reached)
    ):
        group = [*members]
        if not reached:
            continue
        found = _found(group)
        is_deciding = any(each.step.is_deciding for each in group)
        state = _state(group, is_deciding, is_after)
        if name == RESULT_STEP:
            cut = [each for each in steps if not each.step.reached]
            if cut and decides:
                yield _cut_row(cut)
            state = "decides end" if is_deciding else "end"
        is_after = is_after or is_deciding
        yield Row(state, group[-1].finding.title, found, group)
    if steps and not any(each.step.reached for each in steps):
        yield _cut_row(list(steps))


def _found(group: Sequence[Step]) -> list[Sentence]:
    """The findings of a row; a rule that fails does not repeat that it matches."""
    others = [each for each in group if not each.step.observed.startswith(_MATCHES)]
    return [each.finding.sentence for each in others or group]


def _state(group: Sequence[Step], is_deciding: bool, is_after: bool) -> str:
    if is_deciding:
        return "decides"
    if any(each.step.observed.startswith("Warn") for each in group):
        return "warns"
    if group[-1].step.outcome == "fails":
        return "warns"
    return "after" if is_after else "continues"


def _cut_row(steps: list[Step]) -> Row:
    count = len(steps)
    title = say("{} more check{}", count, "" if count == 1 else "s")
    names = join([each.finding.title for each in steps])
    return Row("cut", title, [join([say("not needed"), names], ": ")], steps)


def _plain_rows(row: Row) -> Iterator[Row]:
    """The steps of a row that stands for several."""
    if row.state == "cut":
        for each in row.steps:
            yield Row("continues", each.finding.title, [each.finding.sentence], [each])
