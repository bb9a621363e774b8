"""Reviews without a cluster: one snapshot in hand, and objects made into admission requests.

The command line and the function call the same use case, so their results are equal.
"""

import msgspec
from msgspec import Struct

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli import annotation_remedies, documents
from podgraft.cli.failure import CommandError
from podgraft.core import review
from podgraft.core.injectors.errors import redact
from podgraft.core.injectors.istio import yaml_stream
from podgraft.core.review.results import ReviewResponse, ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import patch, workload
from podgraft.kube.admission import AdmissionRequest

_EXPLAIN = "run podgraft explain to see what the webhook does"


class FixedStore:
    """A ``Store`` that holds one snapshot under every name."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        """The one snapshot."""
        del injector, cluster, deadline, groups
        return self._snapshot

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """No names are stored."""
        del deadline
        return ()


def review_pod(
    pod: Object, namespace: str, snapshot: Snapshot, caller: ReviewContext
) -> ReviewResult:
    """Return the pod after the review of the webhook."""
    request = AdmissionRequest(
        api_version="admission.k8s.io/v1", uid="offline", namespace=namespace, object=pod, raw={}
    )
    return review.inject(caller.with_request(request), FixedStore(snapshot))


class InjectedStream(Struct):
    """A YAML stream whose pods go through the webhook, what to report, and how many."""

    namespace: str
    snapshot: Snapshot
    caller: ReviewContext
    text: str = ""
    warnings: list[str] = []
    injected: int = 0
    workloads: int = 0

    def change(self, document: Object) -> Object:
        """A pod as the webhook changes it; another object as it is."""
        if document.get("kind") == "Pod":
            return self._review(document)
        if workload.find_pod_template_path(document, workload.ALL_KINDS) or workload.has_pod(
            document
        ):
            self.workloads += 1
            self._warn(document, f"not injected: --webhook injects Pods only; {self._remedy}")
        elif self.snapshot.bundle.object_mutators or self.snapshot.bundle.validators:
            self._warn(document, f"copied: --webhook injects Pods only; {_EXPLAIN}")
        return document

    @property
    def _remedy(self) -> str:
        has_istio = self.snapshot.bundle.istio is not None
        return "leave out --webhook to inject workloads" if has_istio else _EXPLAIN

    def _review(self, pod: Object) -> Object:
        self.workloads += 1
        namespace = string_at(pod, "metadata", "namespace") or self.namespace
        outcome = review_pod(pod, namespace, self.snapshot, self.caller)
        if not isinstance(outcome, ReviewResponse) or not outcome.response.allowed:
            raise CommandError(f"{documents.object_name(pod)}: {describe_outcome(outcome)}")
        for warning in outcome.response.warnings:
            self._warn(pod, warning)
        if not outcome.response.patch:
            self._warn(pod, describe_outcome(outcome))
            return pod
        self.injected += 1
        return apply_response(pod, outcome)

    def _warn(self, document: Object, text: str) -> None:
        self.warnings.append(f"{documents.object_name(document)}: {text}")


def inject_stream(
    text: str, namespace: str, snapshot: Snapshot, caller: ReviewContext
) -> InjectedStream:
    """The stream with every Pod as the webhook would make it; all else byte for byte as it was.

    Raises ``CommandError`` for a pod that would be refused or fail.
    """
    stream = InjectedStream(namespace, snapshot, caller)
    stream.text = yaml_stream.rewrite_objects(text, stream.change)
    return stream


def apply_response(value: Object, outcome: ReviewResult) -> Object:
    """The object with the patch of a response, as kube-apiserver applies it.

    Raises ``CommandError`` if the patch does not apply.
    """
    changes = outcome.response.patch if isinstance(outcome, ReviewResponse) else b""
    if not changes:
        return value
    operations: list[patch.Operation] = msgspec.json.decode(changes)
    try:
        after = patch.apply(value, operations)
    except patch.PatchError as error:
        raise CommandError(
            f"{documents.object_name(value)}: {error}; report it as a bug"
        ) from error
    return after if isinstance(after, dict) else value


def read_message(outcome: ReviewResult) -> str:
    """Return the message of a denial or of a failure; empty for other results."""
    if not isinstance(outcome, ReviewResponse):
        return redact(outcome.error)
    status = outcome.response.status
    return "" if status is None else status.message


def is_patched(outcome: ReviewResult) -> bool:
    """Whether a review changes its object."""
    return isinstance(outcome, ReviewResponse) and bool(outcome.response.patch)


def describe_outcome(outcome: ReviewResult) -> str:
    """Format an outcome in one line: the decision, or the error."""
    text = read_message(outcome)
    if not isinstance(outcome, ReviewResponse):
        return f"fails: {text}"
    message = f": {annotation_remedies.describe_problem(text)}" if text else ""
    return f"{outcome.record.decision} ({outcome.record.reason}){message}"
