"""The result of an object with one configuration: its verdict, and the object afterwards."""

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at, without_keys
from podgraft.cli.explain import flow
from podgraft.cli.explain.decision_trace import Verdict
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.cli.explain.webhooks import select_routes
from podgraft.cli.object_reviews import ObjectReviews, run_reviews
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import workload, yaml

# What the controller of a workload sets in the metadata of a pod.
_POD_METADATA = ("name", "generateName", "ownerReferences", "namespace")


class ObjectResult(Struct, frozen=True, kw_only=True):
    """The result for one object; ``object`` is ``None`` if it is not created.

    ``message`` is that of a denial or a failure.
    """

    verdict: Verdict
    object: Object | None
    message: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """What happens to the object, in one word."""
        is_unchanged = self.verdict in {Verdict.SKIPPED, Verdict.NOT_REVIEWED}
        return "unchanged" if is_unchanged else str(self.verdict)

    def to_json(self) -> Object:
        """Encode the result, without the object."""
        return {"outcome": self.outcome, "message": self.message, "warnings": [*self.warnings]}

    @property
    def text(self) -> str:
        """The result as YAML, with the verdict and the warnings as comments."""
        comments = [f"# {self.outcome}{f': {self.message}' if self.message else ''}"]
        comments.extend(f"# warning: {warning}" for warning in self.warnings)
        text = "\n".join(" ".join(comment.split("\n")) for comment in comments)
        return f"{text}\n{'' if self.object is None else yaml.dump(self.object)}"


def review_object(
    subject: ExplainedPod, snapshot: Snapshot | None, caller: ReviewContext
) -> ObjectResult:
    """Return the result of all reviews of an object, and of the pod that its controller creates."""
    if snapshot is None:
        return ObjectResult(verdict=Verdict.NOT_REVIEWED, object=subject.object)
    cluster = flow.Cluster(
        snapshot=snapshot, caller=caller, webhooks=select_routes(snapshot.bundle)
    )
    reviews = run_reviews(cluster, subject)
    return ObjectResult(
        verdict=reviews.trace.verdict,
        object=_find_object(reviews) if reviews.all.is_created else None,
        message="; ".join(reviews.all.messages),  # of what ends the creation
        warnings=reviews.trace.warnings,
    )


def _find_object(reviews: ObjectReviews) -> Object:
    """Return the object after all calls, with the pod of a workload as its pod template."""
    subject = reviews.subject.with_object(reviews.own.after)
    path, pod = subject.pod_path, reviews.pod and reviews.pod.after
    if subject.is_pod or pod is None or path is None or pod == subject.make_pod().object:
        return subject.object
    template = workload.template_of(subject.object, path)
    own: Object = {
        "metadata": _find_metadata(subject, pod, object_at(template, "metadata")),
        "spec": pod.get("spec"),
    }
    path = replace(path, metadata=(*path.template, "metadata"))
    return workload.with_pod(subject.object, path, own)


def _find_metadata(subject: ExplainedPod, pod: Object, template: Object) -> Object:
    """Return the metadata of the pod without the additions of the controller."""
    metadata = object_at(pod, "metadata")
    created = object_at(subject.make_pod().object, "metadata", "labels")
    own = object_at(template, "labels")
    labels: dict[str, JSON] = {
        key: value
        for key, value in object_at(metadata, "labels").items()
        if key in own or created.get(key) != value
    }
    names = (key for key in _POD_METADATA if key not in template)
    others = without_keys(metadata, "labels", *names)
    return {**others, "labels": labels} if labels or "labels" in template else others
