"""Stages of explain out of what a review recorded and returned."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from podgraft.cli import documents
from podgraft.injection import discreet
from podgraft.policy import StepName
from podgraft.review import Answered, Outcome, Word
from podgraft.trace import Trace

from .journey import Outcome as Effect
from .journey import Review, Stage, Station, Verdict
from .subject import Subject
from .webhooks import Webhook

_DECISION_STEPS = frozenset(map(str, StepName))

_VERDICTS = {
    Word.INJECT: Verdict.INJECTED,
    Word.MUTATE: Verdict.CHANGED,
    Word.SKIP: Verdict.SKIPPED,
    Word.ALLOW: Verdict.SKIPPED,
    Word.DENY: Verdict.DENIED,
    Word.FAIL: Verdict.FAILED,
}
_EFFECTS = {
    Word.INJECT: Effect.INJECTS,
    Word.MUTATE: Effect.CHANGES,
    Word.SKIP: Effect.STOPS,
    Word.ALLOW: Effect.PASSES,
    Word.DENY: Effect.DENIES,
    Word.FAIL: Effect.FAILS,
}
_REASONS = {
    Word.INJECT: "the decision is to inject",
    Word.MUTATE: "an overlay changes the object",
    Word.SKIP: "no template, mesh, or overlay of the bundle changes the object",
    Word.ALLOW: "every rule allows the object",
}


def of_registration(subject: Subject, stage: Stage) -> Stage:
    """kube-apiserver's stage, with the object that it is about."""
    return replace(stage, object=documents.name(subject.object))


def of_review(subject: Subject, webhook: Webhook, outcome: Outcome, trace: Trace) -> Stage:
    """The stage of a call: each recorded step, and the result."""
    word = Word(outcome.facts.decision)
    stations = [*_stations(trace)]
    deciding = _deciding(stations, word)
    result = _result(webhook.route, outcome, trace, word, decides=deciding is None)
    return Stage(
        name=f"podgraft /{webhook.route}, {documents.name(subject.object)}",
        object=documents.name(subject.object),
        route=webhook.route,
        stations=(*_mark_deciding(stations, deciding), result),
        verdict=_VERDICTS[word],
        review=_review(subject, webhook, outcome),
    )


def of_uncalled(subject: Subject, webhook: Webhook, outcome: Outcome, trace: Trace) -> Stage:
    """The stage of a call that kube-apiserver does not make: it settles nothing."""
    stage = of_review(subject, webhook, outcome, trace)
    stations = (replace(each, decides=False, reached=False) for each in stage.stations)
    return replace(
        stage,
        name=f"podgraft /{webhook.route}, which is not called",
        stations=tuple(stations),
        verdict=None,
        review=None,
    )


def _stations(trace: Trace) -> Iterator[Station]:
    for step in trace.steps:
        effect = Effect(step.effect)
        yield Station(step.name, step.observed, effect, step.is_deciding, step.reason)


def _deciding(stations: Iterable[Station], word: Word) -> int | None:
    """The index of the recorded step that decides, if the result alone does not."""
    for index, station in enumerate(stations):
        decided = station.decides and station.outcome is _EFFECTS[word]
        if decided or (word is Word.DENY and station.outcome is Effect.DENIES):
            return index
    return None


def _mark_deciding(stations: list[Station], deciding: int | None) -> Iterator[Station]:
    """The stations; steps of the policy after its deciding step are not reached."""
    settled = False
    for index, station in enumerate(stations):
        reached = not settled or station.name not in _DECISION_STEPS
        settled = settled or station.decides
        because = station.because or (station.saw if index == deciding else "")
        yield replace(station, decides=index == deciding, reached=reached, because=because)


def _result(route: str, outcome: Outcome, trace: Trace, word: Word, *, decides: bool) -> Station:
    saw = f"{word} ({outcome.facts.reason})"
    because = _REASONS.get(word, "")
    if word in {Word.DENY, Word.FAIL}:
        because = trace.error or _message(outcome)
    effect = _EFFECTS[word]
    if word is Word.SKIP and route != "inject":
        effect = Effect.PASSES
    return Station("result", saw, effect, decides, because if decides else "")


def _review(subject: Subject, webhook: Webhook, outcome: Outcome) -> Review:
    facts = outcome.facts
    response = outcome.response if isinstance(outcome, Answered) else None
    status = None if response is None else response.status
    return Review(
        object=documents.name(subject.object),
        route=webhook.route,
        decision=facts.decision,
        reason=facts.reason,
        allowed=None if response is None else response.allowed,
        is_changed=response is not None and bool(response.patch),
        code=None if status is None else status.code,
        message=_message(outcome),
        warnings=() if response is None else response.warnings,
    )


def _message(outcome: Outcome) -> str:
    if isinstance(outcome, Answered):
        return outcome.response.status.message if outcome.response.status else ""
    return discreet(outcome.error)
