"""Stages of explain out of what a review recorded and returned."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from podgraft.base.trace import TEMPLATES_STEP, Effect, Trace, TraceStep
from podgraft.cli import documents
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.offline import read_message
from podgraft.core.injectors.overlay.overlay_set import UNCHANGED
from podgraft.core.policy import Policy, StepName
from podgraft.core.policy.rollout import BUCKETS, RolloutMode
from podgraft.core.review.candidate import select_workload
from podgraft.core.review.results import ReviewOutcome, ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot

from .decision_trace import RESULT_STEP, Stage, Verdict
from .pod_source import ExplainedPod

_DECISION_STEPS = frozenset(map(str, StepName))

# By outcome: the verdict, the effect of the last step, and its reason.
_OUTCOMES: Mapping[ReviewOutcome, tuple[Verdict, Effect, str]] = {
    ReviewOutcome.INJECT: (Verdict.INJECTED, "injects", "the decision is to inject"),
    ReviewOutcome.MUTATE: (
        Verdict.CHANGED,
        "changes",
        "an overlay or a policy changes the object",
    ),
    ReviewOutcome.SKIP: (
        Verdict.SKIPPED,
        "stops",
        "no template, mesh, overlay, or policy of the bundle changes the object",
    ),
    ReviewOutcome.ALLOW: (Verdict.SKIPPED, "passes", "every rule allows the object"),
    ReviewOutcome.DENY: (Verdict.DENIED, "denies", ""),
    ReviewOutcome.FAIL: (Verdict.FAILED, "fails", ""),
}
_VERDICTS = {outcome: verdict for outcome, (verdict, _, _) in _OUTCOMES.items()}
_CHANGES = frozenset({"injects", "changes"})


def review_stage(
    subject: ExplainedPod, webhook: Webhook, outcome: ReviewResult, trace: Trace
) -> Stage:
    """Return the stage of a request: each recorded step, and the result."""
    word = ReviewOutcome(outcome.record.decision)
    steps = trace.steps
    deciding = _find_deciding(steps, word)
    result = _result(webhook.route, outcome, trace, word, decides=deciding is None)
    return Stage(
        name=f"podgraft /{webhook.route}, {documents.object_name(subject.object)}",
        object=documents.object_name(subject.object),
        route=webhook.route,
        steps=(*_mark_deciding(steps, deciding), result),
        verdict=_VERDICTS[word],
    )


def add_policy_steps(stage: Stage, snapshot: Snapshot, context: ReviewContext) -> Stage:
    """Add the rollout, then the keys that groups or the cluster set, as the first steps."""
    context = replace(context, groups=snapshot.groups)
    steps = (*_rollout_steps(snapshot.policy, context), *_origin_steps(snapshot, context.cluster))
    return replace(stage, steps=(*steps, *stage.steps))


def _origin_steps(snapshot: Snapshot, cluster: str | None) -> Iterator[TraceStep]:
    if cluster and (origins := snapshot.policy.find_origins(cluster, snapshot.groups)):
        keys = ", ".join(f"{key} from {origin}" for key, origin in origins.items())
        yield TraceStep("cluster", f"{cluster}: {keys}", "passes")


def _rollout_steps(policy: Policy, context: ReviewContext) -> Iterator[TraceStep]:
    """Yield the bucket and the track of the workload; nothing without a rollout.

    The other steps are those of stable: a candidate usually has another bundle.
    """
    rollout = policy.rollout
    if rollout is None or context.request is None:
        return
    bucket, is_selected = select_workload(rollout, context, context.request)
    selected = "compared" if rollout.mode is RolloutMode.SHADOW else "candidate"
    track = selected if is_selected else "stable"
    mode = " (paused)" if rollout.mode is RolloutMode.PAUSED else ""
    share = f"{rollout.percentage(context.cluster, context.groups):g} %{mode}"
    observed = f"{rollout.id}: bucket {bucket} of {BUCKETS:,}, {share}, {track}"
    if is_selected:
        observed += "; the other steps are those of stable"
    yield TraceStep("rollout", observed, "passes")


def uncalled_stage(
    subject: ExplainedPod, webhook: Webhook, outcome: ReviewResult, trace: Trace
) -> Stage:
    """Return the stage of a request that kube-apiserver does not send; it has no effect."""
    stage = review_stage(subject, webhook, outcome, trace)
    steps = (replace(each, is_deciding=False, reached=False) for each in stage.steps)
    return replace(
        stage,
        name=f"podgraft /{webhook.route}, which kube-apiserver does not call",
        steps=tuple(steps),
        verdict=None,
    )


def _find_deciding(steps: Sequence[TraceStep], word: ReviewOutcome) -> int | None:
    """Return the index of the recorded step that decides; ``None`` if only the result does."""
    if (change := _find_selecting_step(steps, word)) is not None:
        return change
    for index, step in enumerate(steps):
        decided = step.is_deciding and step.outcome == _OUTCOMES[word][1]
        if decided or (word is ReviewOutcome.DENY and step.outcome == "denies"):
            return index
    if word is ReviewOutcome.SKIP:
        unchanged = (number for number, each in enumerate(steps) if each.observed == UNCHANGED)
        return next(unchanged, None)
    return None


def _find_selecting_step(steps: Iterable[TraceStep], word: ReviewOutcome) -> int | None:
    """Return the index of the mesh or overlay that matches and makes the first change.

    Istio's templates are for every pod that the decision injects, so its step decides then.
    """
    if word not in {ReviewOutcome.INJECT, ReviewOutcome.MUTATE}:
        return None
    for index, step in enumerate(steps):
        if step.name == TEMPLATES_STEP:
            return None
        if step.name not in _DECISION_STEPS and step.outcome in _CHANGES:
            return index
    return None


def _mark_deciding(steps: list[TraceStep], deciding: int | None) -> Iterator[TraceStep]:
    """Mark the deciding step, and the steps of the policy after it as not reached."""
    settled = False
    for index, step in enumerate(steps):
        reached = not settled or step.name not in _DECISION_STEPS
        settled = settled or step.is_deciding
        reason = step.reason or (step.observed if index == deciding else "")
        yield replace(step, is_deciding=index == deciding, reached=reached, reason=reason)


def _result(
    route: str, outcome: ReviewResult, trace: Trace, word: ReviewOutcome, *, decides: bool
) -> TraceStep:
    observed = f"{word} ({outcome.record.reason})"
    _, effect, reason = _OUTCOMES[word]
    if word in {ReviewOutcome.DENY, ReviewOutcome.FAIL}:
        reason = trace.error or read_message(outcome)
    if word is ReviewOutcome.SKIP and route != "inject":
        effect = "passes"
    return TraceStep(RESULT_STEP, observed, effect, decides, reason if decides else "")
