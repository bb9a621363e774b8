"""The verdict of an object: one word, one tone, one sentence, and the way to another verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import documents
from podgraft.cli.explain.decision_trace import (
    RESULT_STEP,
    DecisionTrace,
    Review,
    Stage,
    Verdict,
    describe_conclusion,
)
from podgraft.core.policy import INJECT_KEY

from .findings import Subject, find_inject_setting, find_policy, inject_setting
from .path import tone_of
from .places import Place
from .sentences import Sentence, say
from .step_inputs import Manifests

_WORDS = {
    Verdict.INJECTED: "Injected",
    Verdict.CHANGED: "Changed",
    Verdict.DENIED: "Denied",
    Verdict.FAILED: "Failed",
    Verdict.NOT_REVIEWED: "Not injected",
}
_ADD = f'To inject it, add the label `{INJECT_KEY}: "true"`.'


@dataclass(frozen=True, slots=True)
class Hint:
    """What changes the verdict; ``edit`` is the change of a line that the page offers."""

    sentence: Sentence
    place: Place | None = None
    edit: Object | None = None


def verdict_to_json(
    trace: DecisionTrace, subject: Subject, manifests: Manifests, operations: int
) -> Object:
    """The verdict as the page prints it."""
    stage = _deciding_stage(trace)
    review = stage.review if stage else None
    code = _code(review)
    hint = _find_hint(code, subject)
    word = _WORDS.get(trace.verdict) or _skipped_word(trace)
    return {
        "word": word,
        "tone": tone_of(trace.verdict),
        "icon": _icon(trace.verdict),
        "reason": _reason(trace, stage, subject, manifests),
        "code": code,
        "name": documents.object_name(subject.source).partition("/")[2],
        "namespace": subject.pod.namespace,
        "isPod": subject.pod.is_pod,
        "kind": str(subject.source.get("kind", "Object")),
        "operations": operations,
        "warnings": list(trace.warnings),
        "hint": None if hint is None else _hint_to_json(hint),
        "message": review.message if review else "",
    }


def _hint_to_json(hint: Hint) -> Object:
    place: JSON = None if hint.place is None else hint.place.to_json()
    return {"sentence": hint.sentence, "place": place, "edit": hint.edit}


def _icon(verdict: Verdict) -> str:
    icons = {
        Verdict.INJECTED: "leaf",
        Verdict.CHANGED: "leaf",
        Verdict.DENIED: "cross",
        Verdict.FAILED: "alert",
    }
    return icons.get(verdict, "bars")


def _skipped_word(trace: DecisionTrace) -> str:
    return "Unchanged" if describe_conclusion(trace).startswith("unchanged") else "Not injected"


def _deciding_stage(trace: DecisionTrace) -> Stage | None:
    for stage in trace.stages:
        if any(step.is_deciding for step in stage.steps):
            return stage
    return None


def _reason(
    trace: DecisionTrace, stage: Stage | None, subject: Subject, manifests: Manifests
) -> Sentence:
    step = trace.deciding_step
    if step is None or stage is None:
        return say("No webhook of the configuration is for this object.")
    kind, _, name = step.name.partition(" ")
    name = name.partition(", binding ")[0]
    if kind == "rule" and trace.verdict is Verdict.DENIED:
        return _describe_rejection(stage, step.name, name, manifests)
    noun = "pod" if subject.pod.is_pod else "object"
    if kind == "mutation":
        return say(f"The policy `{{}}` matches, and changes the {noun}.", name)
    if kind == "overlay":
        return say(f"The overlay `{{}}` matches, and changes the {noun}.", name)
    if kind == "mesh":
        return say("The mesh `{}` selects the pod, and adds its containers.", name)
    if stage.review is None:
        verb = "do" if step.name.endswith("s") else "does"  # rules, matchConditions
        return say(f"No webhook selects the {{}}: its {{}} {verb} not match.", noun, step.name)
    if step.name == RESULT_STEP:
        return [_sentence(step.reason or step.observed)]
    reason = _REASONS.get(_code(stage.review))
    if reason is not None:
        return reason(subject, stage.review)
    return [_sentence(step.reason or step.observed)]


def _code(review: Review | None) -> str:
    """The first reason of a decision, which is the one that decides."""
    return "" if review is None else review.reason.partition(",")[0]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _describe_rejection(stage: Stage, step: str, name: str, manifests: Manifests) -> Sentence:
    steps = [each for each in stage.steps if each.name == step]
    failed = sum(each.outcome == "denies" for each in steps)
    total = manifests.count_validations(name)
    fails = "validation fails" if total == 1 else "validations fail"
    if total < failed or failed == total == 1:
        return say("The rule `{}` rejects the object.", name)
    return say("The rule `{}` rejects the object: {} of {} {}.", name, failed, total, fails)


def _of_setting(template: str) -> Callable[[Subject, Review], Sentence]:
    def describe(subject: Subject, _: Review) -> Sentence:
        kind, value = inject_setting(subject.pod.object, subject.rules) or ("label", "")
        return say(template, kind, INJECT_KEY, value)

    return describe


def _of_namespace(template: str) -> Callable[[Subject, Review], Sentence]:
    return lambda subject, _: say(template, subject.pod.namespace)


def _constant(template: str) -> Callable[[Subject, Review], Sentence]:
    return lambda _subject, _review: say(template)


_REASONS: Mapping[str, Callable[[Subject, Review], Sentence]] = {
    "policy-enabled": _constant("The policy is `enabled`, and no earlier check stops the pod."),
    "policy-disabled": _constant("The policy is `disabled`, and the pod does not opt in."),
    "policy-unknown": _constant("The policy is neither `enabled` nor `disabled`."),
    "inject-true": _of_setting('The pod opts in: its {} `{}` is `"{}"`.'),
    "inject-false": _of_setting('The pod opts out: its {} `{}` is `"{}"`.'),
    "always-selector": _constant("An `alwaysInjectSelector` matches the labels of the pod."),
    "never-selector": _constant("A `neverInjectSelector` matches the labels of the pod."),
    "host-network": _constant("The pod uses the network of its host."),
    "ignored-namespace": _of_namespace("The namespace `{}` is ignored."),
}


def _find_hint(code: str, subject: Subject) -> Hint | None:
    match code:
        case "inject-false":
            kind, _ = inject_setting(subject.pod.object, subject.rules) or ("label", "")
            place = find_inject_setting(subject)
            edit = None if place is None else _removal(subject, place, kind)
            return Hint(say("To inject it, remove the {} `{}`.", kind, INJECT_KEY), place, edit)
        case "host-network":
            return Hint(say("podgraft never injects such pods."))
        case "ignored-namespace":
            return Hint(say("podgraft never injects pods in this namespace."))
        case "never-selector" | "policy-disabled":
            return Hint(say(_ADD), None, _addition(subject))
        case "policy-unknown":
            return Hint(say("Set it in the policy document."), find_policy(subject))
        case _:
            return None


def _removal(subject: Subject, place: Place, kind: str) -> Object | None:
    line = subject.places.given.texts[place.file].split("\n")[place.line - 1]
    if not line.strip().startswith(INJECT_KEY):
        return None  # another style than one key a line
    return {"label": f"Remove the {kind}", "file": place.file, "line": place.line, "text": None}


def _addition(subject: Subject) -> Object | None:
    """The label as a line after the key ``labels``, or with it after ``metadata``."""
    key = "label" if subject.rules.honors_label else "annotation"
    for path, prefix in ((("metadata", f"{key}s"), ""), (("metadata",), f"{key}s:")):
        place = subject.find(path)
        if place is None:
            continue
        line = subject.places.given.texts[place.file].split("\n")[place.line - 1]
        if not line.rstrip().endswith(":"):
            return None
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        setting = f'{INJECT_KEY}: "true"'
        text = f"{indent}{prefix}\n{indent}  {setting}" if prefix else f"{indent}{setting}"
        edit: Object = {"file": place.file, "line": place.line, "text": text}
        return {"label": f"Add the {key}", **edit}
    return None
