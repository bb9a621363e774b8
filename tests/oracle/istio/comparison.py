"""The same settings and reviews for Istio's own injector and podgraft, and what differs."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from conformance.comparison import compare_streams
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.core.injectors.errors import InvalidDocumentsError

from . import podgraft_side, pods, typed_mesh, typed_pods
from .expressions import normalize
from .podgraft_side import Podgraft
from .program import Istio, Outcome
from .settings import EXPRESSIONS, Settings, make_settings

# Go's maps have no order: a result that depends on it comes up again within so many tries.
TRIES = 96
MESHES = 20
_NEWER = "unable to find api field in struct"


class Kind(StrEnum):
    """What both sides made of one question."""

    EQUAL = "equal"
    SKIPPED = "skipped by both"
    REFUSED = "refused by both"
    OPERATORS = "refused by Istio, HTTP 500 by podgraft"
    PANIC = "panic in Istio"
    OPENSHIFT = "ids on OpenShift"
    NEWER = "refused by Istio for a field of newer pods"
    STATE = "changed by an earlier pod in Istio"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Difference:
    """A question with two answers."""

    seed: str
    scenario: str
    settings: Object
    environment: Mapping[str, str]
    namespace: str
    path: str
    subject: JSON
    istio: str
    podgraft: str


@dataclass(slots=True)
class Report:
    """The counts of a run by scenario, and the differences."""

    counts: Counter[tuple[str, Kind]] = field(default_factory=Counter[tuple[str, Kind]])
    settings: Counter[str] = field(default_factory=Counter[str])
    differences: list[Difference] = field(default_factory=list[Difference])
    repeated: int = 0

    @property
    def pods(self) -> int:
        """The number of questions."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class _Run:
    """One set of settings, loaded by both sides."""

    seed: str
    settings: Object
    environment: Mapping[str, str]
    istio: Istio
    podgraft: Podgraft
    report: Report

    def review(self, scenario: str, pod: Object, namespace: str, path: str) -> Object | None:
        """Compare one review; return Istio's pod, if it injects."""
        printed = self.istio.normalize([pod])[0]  # kube-apiserver sends what Go prints
        return self.review_printed(scenario, printed, namespace, path)

    def review_printed(
        self, scenario: str, pod: Object, namespace: str, path: str
    ) -> Object | None:
        """The same for a pod that kube-apiserver printed, with fields newer than the release."""
        theirs = self.istio.review(pod, namespace, path)
        kind = self._judge(theirs, mine := self.podgraft.review(pod, namespace, path))
        for _ in range(TRIES if kind is Kind.DIFFERENT else 0):
            again = self.istio.review(pod, namespace, path)
            if self._judge(again, mine) is not Kind.DIFFERENT:
                self.report.repeated += 1
                kind = self._judge(again, mine)
                break
        if kind is Kind.DIFFERENT:
            kind = self._explain(theirs, mine)
        if kind is Kind.DIFFERENT and self._is_first_review_equal(pod, namespace, path, mine):
            kind = Kind.STATE
        self.report.counts[scenario, kind] += 1
        if kind is Kind.DIFFERENT:
            self._add(scenario, pod, namespace, path, self._show(theirs), self._show(mine))
        return theirs.pod

    def kube_inject(self, text: str) -> None:
        """Compare one file."""
        mine, my_error = self.podgraft.kube_inject(text)
        kind = Kind.DIFFERENT
        theirs, their_error = "", None
        for attempt in range(TRIES):
            theirs, their_error = self.istio.kube_inject(text)
            if their_error is not None or my_error is not None:
                same = (their_error is None) == (my_error is None)
                kind = Kind.REFUSED if same else Kind.DIFFERENT
                break
            if compare_streams(mine, theirs) is None:
                kind = Kind.EQUAL
                self.report.repeated += attempt > 0
                break
        if kind is Kind.DIFFERENT and my_error is None:
            kind = Kind.STATE if self._is_first_file_equal(text, mine) else kind
        self.report.counts["kube-inject", kind] += 1
        if kind is Kind.DIFFERENT:
            self._add("kube-inject", text, "", "", their_error or theirs, my_error or mine)

    def _judge(self, theirs: Outcome, mine: Outcome) -> Kind:
        if theirs.is_panic:
            return Kind.PANIC
        if theirs.refusal is not None and mine.refusal is not None:
            return Kind.OPERATORS if mine.is_operators else Kind.REFUSED
        if theirs.refusal is not None and _NEWER in theirs.refusal:
            return Kind.NEWER
        if theirs.refusal is not None or mine.refusal is not None:
            return Kind.DIFFERENT
        if theirs.pod is None or mine.pod is None:
            return Kind.SKIPPED if theirs.pod is mine.pod else Kind.DIFFERENT
        if theirs.pod == mine.pod:
            return Kind.EQUAL
        left, right = map(normalize, self._print_known_fields(theirs.pod, mine.pod))
        return Kind.EQUAL if left == right else Kind.DIFFERENT

    def _print_known_fields(self, *printed: Object) -> list[Object]:
        """The pods as the release prints them, with the containers in their annotation, too."""
        found = self.istio.normalize(printed)
        for pod in found:
            annotations = object_at(object_at(pod, "metadata"), "annotations")
            if "proxy.istio.io/overrides" in annotations:
                spec = json.loads(string_at(annotations, "proxy.istio.io/overrides"))
                if isinstance(spec, dict):
                    known = self.istio.normalize([{"spec": spec}])
                    annotations["proxy.istio.io/overrides"] = json.dumps(known, sort_keys=True)
        return found

    def _explain(self, theirs: Outcome, mine: Outcome) -> Kind:
        """The known difference that a pod can show; docs/conformance.md has their reasons."""
        on_openshift = self.environment.get("PLATFORM") == "openshift"
        if not on_openshift or theirs.pod is None or mine.pod is None:
            return Kind.DIFFERENT
        left, right = self.istio.normalize([theirs.pod, mine.pod])
        return Kind.OPENSHIFT if remove_ids(left) == remove_ids(right) else Kind.DIFFERENT

    def _is_first_review_equal(self, pod: Object, namespace: str, path: str, mine: Outcome) -> bool:
        """Whether Istio agrees if the pod is the first one that it sees with these settings.

        In 1.13, an annotation can change the ProxyConfig resource in the memory of istiod.
        """
        for _ in range(TRIES):
            self.istio.load(self.settings)
            again = self.istio.review(pod, namespace, path)
            if self._judge(again, mine) is not Kind.DIFFERENT:
                return True
        return False

    def _is_first_file_equal(self, text: str, mine: str) -> bool:
        """The same, for a file."""
        for _ in range(TRIES):
            self.istio.load(self.settings)
            if compare_streams(mine, self.istio.kube_inject(text)[0]) is None:
                return True
        return False

    def _show(self, outcome: Outcome) -> str:
        if outcome.pod is None:
            return outcome.refusal or "skipped"
        return json.dumps(self.istio.normalize([outcome.pod])[0], sort_keys=True)

    def _add(self, scenario: str, subject: JSON, namespace: str, path: str, *sides: str) -> None:
        self.report.differences.append(
            Difference(
                self.seed,
                scenario,
                self.settings,
                self.environment,
                namespace,
                path,
                subject,
                *sides,
            )
        )


def remove_ids(pod: Object) -> Object:
    """The pod without the user and group ids of its containers."""
    copied: Object = json.loads(json.dumps(pod))
    spec = object_at(copied, "spec")
    for container in (*objects_at(spec, "containers"), *objects_at(spec, "initContainers")):
        context = object_at(container, "securityContext")
        container["securityContext"] = {
            key: value for key, value in context.items() if key not in ("runAsUser", "runAsGroup")
        }
    return copied


def compare(
    program: Path,
    release: str,
    folder: Path,
    seed: int,
    total: int,
    on_progress: Callable[[Report], None],
) -> Report:
    """Ask both sides until *total* questions have an answer; *folder* has the chart's settings."""
    report = Report()
    number = 0
    while report.pods < total:
        name = f"{seed}/{number}"
        number += 1
        _compare_settings(program, release, folder, name, report)
        on_progress(report)
    return report


def _compare_settings(program: Path, release: str, folder: Path, seed: str, report: Report) -> None:
    random_ = random.Random(f"{release} {seed}")  # noqa: S311 - no secret
    minor = int(release.split(".")[1])
    environment = _make_environment(random_, minor)
    settings = make_settings(random_, folder, release)
    with Istio(program, environment) as istio:
        refusal = istio.load(settings.documents)
        try:
            podgraft = podgraft_side.load(release, settings.documents, environment)
        except InvalidDocumentsError as error:
            kind = "refused by both" if refusal is not None else "refused by podgraft only"
            report.settings[kind] += 1
            if refusal is None:
                _report_settings(report, seed, settings, environment, "accepted", str(error))
            return
        if refusal is not None:
            report.settings["refused by Istio only"] += 1
            _report_settings(report, seed, settings, environment, refusal, "accepted")
            return
        report.settings["loaded by both"] += 1
        run = _Run(seed, settings.documents, environment, istio, podgraft, report)
        for _ in range(100):
            _compare_pod(run, random_, settings.paths)
        for number in range(EXPRESSIONS):
            pod, namespace = pods.make_expression_pod(random_, number)
            run.review("expression", pod, namespace, "/inject")
        for _ in range(MESHES):
            _compare_mesh(run, random_, release, typed_mesh.make_settings(random_, settings))


def _compare_mesh(run: _Run, random_: random.Random, release: str, settings: Settings) -> None:
    """Pods with random ProxyConfigs, if both sides accept a random mesh."""
    refusal = run.istio.load(settings.documents)
    try:
        podgraft = podgraft_side.load(release, settings.documents, run.environment)
    except InvalidDocumentsError as error:
        run.report.settings[f"mesh refused by {'both' if refusal else 'podgraft only'}"] += 1
        if refusal is None:
            _report_settings(
                run.report, run.seed, settings, run.environment, "accepted", str(error)
            )
        return
    if refusal is not None:  # for a field that podgraft does not check
        run.report.settings["mesh refused by Istio only"] += 1
        return
    run.report.settings["mesh loaded by both"] += 1
    changed = replace(run, settings=settings.documents, podgraft=podgraft)
    for _ in range(2):
        changed.review("proxy config", typed_mesh.make_pod(random_), "default", "/inject")


def _report_settings(
    report: Report,
    seed: str,
    settings: Settings,
    environment: Mapping[str, str],
    istio: str,
    podgraft: str,
) -> None:
    report.differences.append(
        Difference(seed, "settings", settings.documents, environment, "", "", None, istio, podgraft)
    )


def _compare_pod(run: _Run, random_: random.Random, paths: tuple[str, ...]) -> None:
    """One pod, and the pods that follow from it."""
    pod, namespace = pods.make_pod(random_)
    path = random_.choice(paths)
    injected = run.review("injection", pod, namespace, path)
    if injected is not None and random_.random() < 0.3:
        run.review("re-injection", injected, namespace, path)
        run.review("re-injection, defaulted", pods.apply_defaults(injected), namespace, path)
    _compare_fields(run, random_, path)
    if random_.random() < 0.15:
        first = pods.change_as_webhook(random_, pod)
        run.review("after another webhook", first, namespace, path)
        if injected is not None:
            second = pods.change_as_webhook(random_, injected)
            run.review("before another webhook", second, namespace, path)
    if random_.random() < 0.15:
        run.kube_inject(pods.make_workload(random_, lambda pod: run.istio.normalize([pod])[0]))


def _compare_fields(run: _Run, random_: random.Random, path: str) -> None:
    """A pod with any fields, and with templates that merge any fields."""
    pod, namespace = pods.make_pod(random_)
    pod = typed_pods.select_templates(random_, typed_pods.add_fields(random_, pod))
    injected = run.review_printed("fields", pod, namespace, path)
    if injected is not None and random_.random() < 0.2:
        run.review_printed("fields, re-injection", injected, namespace, path)


def _make_environment(random_: random.Random, minor: int) -> dict[str, str]:
    """The environment of istiod."""
    environment: dict[str, str] = {}
    if minor >= 19:
        environment["ENABLE_NATIVE_SIDECARS"] = random_.choice(("true", "false"))
    if random_.random() < 0.2:
        environment["PLATFORM"] = "openshift"
    if random_.random() < 0.2:
        environment["COMPLIANCE_POLICY"] = random_.choice(("", "fips-140-2"))
    for name in ("REWRITE_TCP_PROBES", "PILOT_ENABLE_INBOUND_PASSTHROUGH"):
        if random_.random() < 0.2:
            environment[name] = random_.choice(("true", "false"))
    return environment
