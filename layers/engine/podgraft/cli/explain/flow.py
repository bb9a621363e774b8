"""The requests that kube-apiserver sends for a document, reviewed as in the function.

A workload is reviewed first, then the pod that its controller creates from the result. Each
mutating webhook receives the result of the previous one, and the validating webhooks receive the
last result. Objects between a workload and its pod (ReplicaSet, Job) and reinvocation are omitted.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, names_at, object_at
from podgraft.base.trace import Additions, Trace
from podgraft.cli import documents, offline
from podgraft.cli.live.registrations import Webhook
from podgraft.core import review
from podgraft.core.review.results import ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import native_sidecars

from . import stages, webhook_match
from .decision_trace import DecisionTrace, Review, Stage, Verdict, make_trace
from .hints import add_hints, find_field_notes
from .pod_source import ExplainedPod

_STOPPING = {Verdict.DENIED, Verdict.FAILED}


class Cluster(Struct, frozen=True, kw_only=True):
    """The calling cluster: its webhooks, and the snapshot for their reviews.

    ``labels`` are those of the namespace, if they are given; kube-apiserver alone reads them. The
    function reads the Namespaces of the bundle. Without ``creates_pods``, no controller creates the
    pod of a workload. ``snapshot`` is None if no webhook matches, so no configuration is needed.
    """

    snapshot: Snapshot | None
    caller: ReviewContext
    webhooks: tuple[Webhook, ...]
    labels: Mapping[str, str] = {}
    creates_pods: bool = True
    live_namespaces: Mapping[str, Object] = {}

    def namespaces(self, namespace: str) -> Mapping[str, Object]:
        """The Namespaces that kube-apiserver reads."""
        namespaces = self.live_namespaces
        if self.snapshot is not None:
            namespaces = {**self.snapshot.bundle.namespaces, **namespaces}
        if not self.labels:
            return namespaces
        manifest: Object = {"metadata": {"name": namespace, "labels": dict(self.labels)}}
        return {**namespaces, namespace: manifest}

    def explain(self, subject: ExplainedPod) -> DecisionTrace:
        """Everything that the creation of the subject leads to."""
        run = _Run(self)
        after = run.review(subject)
        pod = subject if subject.is_pod else None
        if after is not None and self._creates_pod(subject):
            pod = after.make_pod()
            after = run.review(pod)
        sidecars = None if pod is None or after is None else run.sidecars(pod, after)
        trace = make_trace(subject.name, run.stages, sidecars)
        if notes := (*find_field_notes(subject.object),):
            trace = replace(trace, warnings=(*trace.warnings, *notes))
        if pod is None:
            return trace
        namespace = self.namespaces(pod.namespace).get(pod.namespace, {})
        trace = add_hints(trace, pod.object, namespace)
        lost = () if after is None else _find_lost_sidecars(pod, after)
        warnings = (*trace.warnings, *map(_describe_lost_sidecar, lost))
        return replace(trace, warnings=warnings) if lost else trace

    def _creates_pod(self, subject: ExplainedPod) -> bool:
        is_workload = subject.pod_path is not None and not subject.is_pod
        return self.creates_pods and is_workload and not subject.fields.is_delete


class _Run(Struct):
    """The stages of one document so far."""

    cluster: Cluster
    stages: list[Stage] = []
    additions: Additions = Additions()

    def review(self, subject: ExplainedPod) -> ExplainedPod | None:
        """The subject after all webhooks; ``None`` if it is not created."""
        called = False
        for webhook in self.cluster.webhooks:
            if not self._is_sent(webhook, subject):
                continue
            called = True
            after = self._call(webhook, subject)
            if after is None:
                return None
            subject = after
        if not called:
            self._add_uncalled(subject)
        return subject

    def _is_sent(self, webhook: Webhook, subject: ExplainedPod) -> bool:
        """Whether kube-apiserver calls the webhook; without a registration by the route's nature.

        A webhook that is registered for other resources than a workload is not reported for it.
        """
        if not webhook.is_registered:
            return subject.is_pod or webhook.route != "inject"
        namespaces = self.cluster.namespaces(subject.namespace)
        stage = webhook_match.evaluate(webhook, subject.request, namespaces)
        is_for_resource = stage.steps[0].outcome == "passes"
        if is_for_resource or subject.pod_path is None or subject.is_pod:
            name = documents.object_name(subject.object)
            self.stages.append(replace(stage, object=name))
        return stage.verdict is None

    def _call(self, webhook: Webhook, subject: ExplainedPod) -> ExplainedPod | None:
        """The subject after one call; ``None`` if it ends the request."""
        trace = Trace()
        outcome = self._review(webhook, subject, trace)
        stage = stages.review_stage(subject, webhook, outcome, trace)
        stage = stages.add_policy_steps(stage, self._snapshot(), self._context(subject))
        after = self._after(webhook, subject, outcome, stage)
        review = Review(subject, webhook, outcome, after)
        self.stages.append(replace(stage, review=review))
        self.additions = trace.additions or self.additions
        return after

    @staticmethod
    def _after(
        webhook: Webhook, subject: ExplainedPod, outcome: ReviewResult, stage: Stage
    ) -> ExplainedPod | None:
        if stage.verdict is Verdict.FAILED and webhook.ignores_failure:
            return subject
        if stage.verdict in _STOPPING:
            return None
        return subject.with_object(offline.apply_response(subject.object, outcome))

    def _review(self, webhook: Webhook, subject: ExplainedPod, trace: Trace) -> ReviewResult:
        context = self._context(subject, trace)
        context = replace(context, url_path=context.url_path or webhook.url_path)
        return review.REVIEWS[webhook.route](context, offline.FixedStore(self._snapshot()))

    def _snapshot(self) -> Snapshot:
        assert self.cluster.snapshot is not None  # noqa: S101 - only without a matching webhook
        return self.cluster.snapshot

    def _context(self, subject: ExplainedPod, trace: Trace | None = None) -> ReviewContext:
        return self.cluster.caller.with_request(subject.request, trace)

    def _add_uncalled(self, subject: ExplainedPod) -> None:
        """Add the decision of /inject for a pod that matches no webhook."""
        webhook = next((each for each in self.cluster.webhooks if each.route == "inject"), None)
        if webhook is None or not webhook.is_registered or not subject.is_pod:
            return
        if self.cluster.snapshot is None:
            return
        trace = Trace()
        outcome = self._review(webhook, subject, trace)
        self.stages.append(stages.uncalled_stage(subject, webhook, outcome, trace))

    def sidecars(self, before: ExplainedPod, after: ExplainedPod) -> Additions:
        """Return the additions to the pod after all steps."""
        additions = self.additions
        added = {key: _find_added_names(before.object, after.object, key) for key in _LISTS}
        return Additions(
            templates=additions.templates,
            image=additions.image,
            init_containers=_merge_names(additions.init_containers, added["initContainers"]),
            containers=_merge_names(additions.containers, added["containers"]),
            volumes=_merge_names(additions.volumes, added["volumes"]),
        )


def _find_lost_sidecars(before: ExplainedPod, after: ExplainedPod) -> tuple[str, ...]:
    specs = (object_at(each.object, "spec") for each in (before, after))
    return native_sidecars.find_lost_sidecars(*specs)


def _describe_lost_sidecar(name: str) -> str:
    return (
        f"init container {name} has no restartPolicy: Always, so the pod never starts: another "
        "webhook removed the field after injection; update that webhook, or register podgraft with "
        "--reinvocation-policy IfNeeded"
    )


_LISTS = ("initContainers", "containers", "volumes")


def _find_added_names(before: Object, after: Object, key: str) -> Sequence[str]:
    names, after_names = (names_at(each, "spec", key) for each in (before, after))
    return [name for name in after_names if name not in names]


def _merge_names(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
