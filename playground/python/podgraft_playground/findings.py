"""What each step finds, as one sentence, and the lines of the input that it reads."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from podgraft.base.jsonvalue import Object, object_at
from podgraft.base.trace import TraceStep
from podgraft.cli.explain.decision_trace import RESULT_STEP, Verdict
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.core.policy import INJECT_KEY, InjectionRules, StepName

from .places import Path, Place, Places
from .sentences import Sentence, join, say

_TITLES: Mapping[str, str] = {
    StepName.REQUEST: "Request",
    StepName.HOST_NETWORK: "Host network",
    StepName.NAMESPACE: "Ignored namespaces",
    StepName.NEVER: "`neverInjectSelector`",
    StepName.ALWAYS: "`alwaysInjectSelector`",
    StepName.POLICY: "`policy`",
    "Istio templates": "Templates",
    "privileges": "Privileges",
    "rollout": "Rollout",
    RESULT_STEP: "Result",
    "rules": "Rules",
    "namespaceSelector": "`namespaceSelector`",
    "objectSelector": "`objectSelector`",
}
_KINDS = {
    "overlay": "Overlay",
    "mesh": "Mesh",
    "mutation": "MutatingAdmissionPolicy",
    "rule": "ValidatingAdmissionPolicy",
}
_RENDERED = re.compile(r"(?P<names>.+), as (?P<release>Istio \S+) renders them")
_ALLOWED = "allowed by the policy: "
_ACTION = re.compile(r"(Deny|Warn|Audit)(, (Warn|Audit))*: ")
_ADDED = re.compile(r"container (?P<name>\S+) ")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a step is about: the object that it reads, as the input contains it."""

    places: Places
    rules: InjectionRules
    pod: ExplainedPod
    source: Object  # the document of the input: a workload for the pod of its template
    path: Path  # of the pod in it
    cluster: str
    operations: int | None  # of the patch of this call

    def find(self, *paths: Path) -> Place | None:
        """The first of the paths in the object; those of a pod start at its template."""
        return self.places.in_object(self.source, *((*self.path, *path) for path in paths))


@dataclass(frozen=True, slots=True)
class Finding:
    """The title of a step, what it finds, and where that is written."""

    title: Sentence
    sentence: Sentence
    places: tuple[Place, ...] = ()


def find(step: TraceStep, subject: Subject, webhook: str, verdict: Verdict | None) -> Finding:
    """The finding of a step; *webhook* is the name of the one that kube-apiserver evaluates."""
    name, _, argument = step.name.partition(": ")
    if webhook:
        title = say("Match condition `{}`", argument) if argument else say(_title(name))
        return _finding(title, _plain(step), subject.places.in_webhook(webhook, name))
    if step.name == RESULT_STEP:
        return Finding(say("Result"), _describe_result(step, subject, verdict))
    finder = _FINDERS.get(step.name)
    if finder is not None:
        return finder(step, subject)
    kind, _, name = step.name.partition(" ")
    if kind in _KINDS:
        return _find_document(step, subject, kind, name.partition(", binding ")[0])
    return Finding(say(_title(step.name)), _plain(step))


def _finding(title: Sentence, sentence: Sentence, *places: Place | None) -> Finding:
    return Finding(title, sentence, tuple(place for place in places if place is not None))


def _title(name: str) -> str:
    return _TITLES.get(name, name)


def _plain(step: TraceStep) -> Sentence:
    return [step.observed]


def _find_host_network(step: TraceStep, subject: Subject) -> Finding:
    is_used = step.outcome == "stops"
    text = "used: a sidecar would capture the traffic of the host" if is_used else "not used"
    return _finding(say("Host network"), say(text), subject.find(("spec", "hostNetwork")))


def _find_namespace(step: TraceStep, subject: Subject) -> Finding:
    count = len(subject.rules.ignored_namespaces)
    is_ignored = step.outcome == "stops"
    template = "`{}` is in the list of {}" if is_ignored else "`{}` is not in the list of {}"
    if not count:
        template = "`{}` is not ignored; the list is empty"
    return _finding(
        say("Ignored namespaces"),
        say(template, subject.pod.namespace, count),
        subject.find(("metadata", "namespace"))
        or subject.places.in_object(subject.source, ("metadata", "namespace")),
        subject.places.in_policy(subject.cluster, "ignoredNamespaces") if is_ignored else None,
    )


def inject_setting(pod: Object, rules: InjectionRules) -> tuple[str, str] | None:
    """What contains the inject setting that applies, "label" or "annotation", and its value."""
    metadata = object_at(pod, "metadata")
    for kind in ["label", "annotation"] if rules.honors_label else ["annotation"]:
        value = object_at(metadata, f"{kind}s").get(INJECT_KEY)
        if value is not None:
            return kind, str(value)
    return None


def find_inject_setting(subject: Subject) -> Place | None:
    """The line of the inject label, or of the inject annotation."""
    setting = inject_setting(subject.pod.object, subject.rules)
    return subject.find(("metadata", f"{setting[0]}s", INJECT_KEY)) if setting else None


def _find_inject_setting(step: TraceStep, subject: Subject) -> Finding:
    setting = inject_setting(subject.pod.object, subject.rules)
    if setting is None:
        return Finding(say("Inject label or annotation"), say("not set"))
    kind, value = setting
    if step.outcome == "passes":
        sentence = say('`"{}"` has no effect; use `"true"` or `"false"`', value)
    else:
        sentence = say('`{}: "{}"`', INJECT_KEY, value)
    return _finding(say(f"Inject {kind}"), sentence, find_inject_setting(subject))


def _find_selector(step: TraceStep, subject: Subject) -> Finding:
    is_never = step.name == StepName.NEVER
    selectors = subject.rules.never if is_never else subject.rules.always
    match = re.fullmatch(r"number (\d+) of (\d+) matches", step.observed)
    if not selectors:
        sentence = say("no selector")
    elif match:
        selector = str(selectors[int(match[1]) - 1])
        sentence = say("selector {} of {} matches: `{}`", match[1], match[2], selector)
    elif len(selectors) == 1:
        sentence = say("1 selector, no match")
    else:
        sentence = say("{} selectors, no match", len(selectors))
    place = subject.places.in_policy(subject.cluster, step.name)
    place = place or subject.places.in_configuration(step.name)
    return _finding(say(f"`{step.name}`"), sentence, place)


def _find_policy(step: TraceStep, subject: Subject) -> Finding:
    sentences = {
        "enabled": "`enabled`: podgraft injects all other pods",
        "disabled": "`disabled`: podgraft injects only pods that opt in",
    }
    template = sentences.get(step.observed, "`{}` is neither `enabled` nor `disabled`")
    return _finding(say("`policy`"), say(template, step.observed), find_policy(subject))


def find_policy(subject: Subject) -> Place | None:
    """The line that sets the policy."""
    place = subject.places.in_policy(subject.cluster, "policy")
    return place or subject.places.in_configuration("policy")


def _find_templates(step: TraceStep, subject: Subject) -> Finding:
    match = _RENDERED.fullmatch(step.observed)
    if match is None:
        return Finding(say("Templates"), _plain(step))
    names = match["names"].split(", ")
    verb = "renders it" if len(names) == 1 else "renders them"
    listed = join([say("`{}`", name) for name in names])
    sentence = join([listed, say(f"as {{}} {verb}", match["release"])])
    place = subject.find(("metadata", "annotations", "inject.istio.io/templates"))
    template = subject.places.in_configuration(names[0])
    return _finding(say("Templates"), sentence, place, template)


def _find_privileges(step: TraceStep, subject: Subject) -> Finding:
    place = subject.places.in_policy(subject.cluster, "allows")
    if not step.observed.startswith(_ALLOWED):
        return _finding(say("Privileges"), _plain(step), place)
    parts = step.observed.removeprefix(_ALLOWED).split(", ")
    names = dict.fromkeys(match["name"] for part in parts if (match := _ADDED.match(part)))
    listed = join([say("`{}`", name) for name in names])
    sentence = join([say("{} for ", len(parts)), listed], "") if names else say("{}", len(parts))
    return _finding(say("Privileges"), join([sentence, say("allowed by the policy")]), place)


_FINDERS: Mapping[str, Callable[[TraceStep, Subject], Finding]] = {
    StepName.HOST_NETWORK: _find_host_network,
    StepName.NAMESPACE: _find_namespace,
    StepName.INJECT_SETTING: _find_inject_setting,
    StepName.NEVER: _find_selector,
    StepName.ALWAYS: _find_selector,
    StepName.POLICY: _find_policy,
    "Istio templates": _find_templates,
    "privileges": _find_privileges,
}


def _find_document(step: TraceStep, subject: Subject, kind: str, name: str) -> Finding:
    """The finding of an overlay, a mesh, or a rule: the field of its manifest that decides."""
    return _finding(
        say(f"{kind.capitalize()} `{{}}`", name),
        [_ACTION.sub("", step.observed)],
        subject.places.in_manifest(_KINDS[kind], name, *_decisive_fields(step, kind)),
    )


def _decisive_fields(step: TraceStep, kind: str) -> Iterator[Path]:
    if "matchConditions" in step.observed:
        yield ("spec", "matchConditions")
    if "resourceRules" in step.observed:
        yield ("spec", "matchConstraints")
    if kind == "rule":
        yield ("spec", "validations")
    if kind == "mutation" and step.outcome == "changes":
        yield ("spec", "mutations")
    if step.outcome == "changes":
        yield ("spec", "template")
    yield ("metadata", "name")


def _describe_result(step: TraceStep, subject: Subject, verdict: Verdict | None) -> Sentence:
    count = subject.operations
    noun = f"{count} patch operation{'' if count == 1 else 's'}"
    match verdict:
        case Verdict.INJECTED:
            return say("inject, with {}", noun)
        case Verdict.CHANGED:
            return say("change, with {}", noun)
        case Verdict.DENIED:
            return say("deny; kube-apiserver returns 403 Forbidden")
        case Verdict.FAILED:
            return say("fail; the `failurePolicy` of the webhook applies")
        case Verdict.SKIPPED if subject.pod.is_pod and step.outcome == "stops":
            return say("skip; kube-apiserver creates the pod without a sidecar")
        case _:
            return say("allow, without a change")
