"""The times of reviews with one or two versions, template by template, in interleaved rounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from podgraft.base import jsonvalue
from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.core import review
from podgraft.core.injectors import redact
from podgraft.core.review import ReviewFailure
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate import OBSERVER, Program
from podgraft.service.store import Snapshot

from .results import Measurement, Row
from .timing import Action, time_interleaved

NEW, REPEATED, RULES = "review, new object", "review, repeated object", "rules"
_CALIBRATION = "calibration"
_CALIBRATION_REPEATS = 10
# A new workload has other names and labels, so cached results do not apply to it.
_UNIQUE_KEY = "podgraft.dev/bench"

Maker = Callable[[int], Action]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """A version to measure: its name for people, and its snapshot for one cluster."""

    name: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class _FixedStore:
    """A store with one snapshot."""

    fixed: Snapshot

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """Return the snapshot."""
        del injector, cluster, deadline
        return self.fixed

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """No command needs the list."""
        del deadline
        return ()


def measure(
    versions: Sequence[MeasuredVersion],
    subjects: Sequence[ExplainedPod],
    caller: ReviewContext,
    rounds: int,
    clock: Clock,
) -> list[Measurement]:
    """Measure all versions in the same rounds; *subjects* are the reviewed objects."""
    subjects = [*_with_pods(subjects)]
    makers: dict[tuple[int, str], Maker] = {}
    counts: dict[tuple[int, str], int] = {}
    for number, version in enumerate(versions):
        bench = _VersionBench(version.snapshot, caller, subjects)
        for name, (count, maker) in bench.find_rows().items():
            makers[number, name] = maker
            counts[number, name] = count
    makers[-1, _CALIBRATION] = _make_calibration(subjects)
    named = {f"{number} {name}": maker for (number, name), maker in makers.items()}
    timings = time_interleaved(named, rounds, warmup=max(1, rounds // 20), clock=clock)
    calibration = timings[f"-1 {_CALIBRATION}"].seconds
    digest = hash_objects(subjects)
    return [
        Measurement(
            name=version.name,
            objects=digest,
            calibration=calibration,
            rows=tuple(
                Row(
                    name=name,
                    objects=count,
                    seconds=tuple(each / count for each in timings[f"{number} {name}"].seconds),
                )
                for (owner, name), count in counts.items()
                if owner == number
            ),
        )
        for number, version in enumerate(versions)
    ]


def hash_objects(subjects: Sequence[ExplainedPod]) -> str:
    """A digest that changes with the objects."""
    text = jsonvalue.dump([[subject.namespace, subject.object] for subject in subjects])
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def find_failures(
    version: MeasuredVersion, subjects: Sequence[ExplainedPod], caller: ReviewContext
) -> Iterator[str]:
    """Yield an error for each object of which a review fails."""
    for subject in _with_pods(subjects):
        for handler in _handlers(version.snapshot, subject):
            context = caller.with_request(subject.request)
            result = handler(context, _FixedStore(version.snapshot))
            if isinstance(result, ReviewFailure):
                yield f"{version.name}: {subject.name}: {redact(result.error)}"


def _with_pods(subjects: Sequence[ExplainedPod]) -> Iterator[ExplainedPod]:
    """Each object, and the pod that the controller of a workload creates."""
    for subject in subjects:
        yield subject
        if subject.pod_path is not None and not subject.is_pod:
            yield subject.make_pod()


def _handlers(
    snapshot: Snapshot, subject: ExplainedPod
) -> Iterator[Callable[[ReviewContext, _FixedStore], review.ReviewResult]]:
    """The webhooks that kube-apiserver calls for an object."""
    if subject.is_pod and snapshot.bundle.pod_mutators:
        yield review.inject
    elif not subject.is_pod and snapshot.bundle.object_mutators:
        yield review.mutate
    if snapshot.bundle.validators:
        yield review.validate


class _VersionBench:
    """The rows of one version, with the functions that run them."""

    def __init__(
        self, snapshot: Snapshot, caller: ReviewContext, subjects: Sequence[ExplainedPod]
    ) -> None:
        self._snapshot = snapshot
        self._store = _FixedStore(snapshot)
        self._caller = caller
        self._subjects = subjects

    def find_rows(self) -> Mapping[str, tuple[int, Maker]]:
        """The number of objects and the maker of each row, by name."""
        count = len(self._subjects)
        rows: dict[str, tuple[int, Maker]] = {
            NEW: (count, self._make_new_reviews),
            REPEATED: (count, lambda _: self._make_reviews(self._subjects)),
        }
        for name, renderings in sorted(self._find_renderings().items()):
            rows[name] = len(renderings), _make_rendering(renderings)
        if self._snapshot.bundle.validators:
            rows[RULES] = count, lambda _: self._run_rules
        return rows

    def _make_reviews(self, subjects: Sequence[ExplainedPod]) -> Action:
        calls = [
            (handler, self._caller.with_request(subject.request))
            for subject in subjects
            for handler in _handlers(self._snapshot, subject)
        ]
        store = self._store
        return lambda: [handler(context, store) for handler, context in calls]

    def _make_new_reviews(self, number: int) -> Action:
        """The reviews of objects that no round has reviewed before."""
        run_reviews = self._make_reviews([_make_unique(each, number) for each in self._subjects])

        def run_without_cache() -> None:
            # With an observer, templates render again even if they read nothing that changes.
            token = OBSERVER.set(_ignore_rendering)
            try:
                run_reviews()
            finally:
                OBSERVER.reset(token)

        return run_without_cache

    def _run_rules(self) -> None:
        for subject in self._subjects:
            for validator in self._snapshot.bundle.validators:
                validator(subject.request)

    def _find_renderings(self) -> Mapping[str, list[Action]]:
        """The renderings of each template for all objects."""
        renderings: dict[str, list[Action]] = {}

        def observe(name: str, program: Program, render: Callable[[Program], str]) -> None:
            renderings.setdefault(name, []).append(lambda: render(program))

        token = OBSERVER.set(observe)
        try:
            self._make_reviews(self._subjects)()
        finally:
            OBSERVER.reset(token)
        return renderings


def _ignore_rendering(_name: str, _program: Program, _render: Callable[[Program], str]) -> None:
    """An observer of renderings that does nothing."""


def _make_rendering(renderings: Sequence[Action]) -> Maker:
    return lambda _: lambda: [render() for render in renderings]


def _make_unique(subject: ExplainedPod, number: int) -> ExplainedPod:
    """The object of another workload: with a unique label and annotation, and another owner."""
    metadata = object_at(subject.object, "metadata")
    value = f"round-{number}"
    changed: Object = {
        key: {**object_at(metadata, key), _UNIQUE_KEY: value} for key in ("labels", "annotations")
    }
    prefix = string_at(metadata, "generateName")
    if prefix:
        changed["generateName"] = f"{prefix}{number}-"
    owners = objects_at(metadata, "ownerReferences")
    if owners:
        changed["ownerReferences"] = [
            {**owner, "name": f"{string_at(owner, 'name')}-{number}"} for owner in owners
        ]
    return subject.with_object({**subject.object, "metadata": {**metadata, **changed}})


def _make_calibration(subjects: Sequence[ExplainedPod]) -> Maker:
    """Decode and encode the objects with the standard library."""
    texts = [json.dumps(subject.object) for subject in subjects] * _CALIBRATION_REPEATS
    return lambda _: lambda: [json.dumps(json.loads(text)) for text in texts]
