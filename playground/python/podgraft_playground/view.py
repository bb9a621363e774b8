"""What the page draws of one object: its verdict, and the path of each webhook."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.explain.decision_trace import DecisionTrace, Stage
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.core.policy import InjectionRules

from .findings import Subject, find
from .path import Step, make_path
from .places import Places
from .step_inputs import REGISTRATION, Manifests, StepInput
from .verdicts import verdict_to_json
from .workspace import Input

Read = Sequence[tuple[ExplainedPod, list[StepInput]]]


@dataclass(frozen=True, slots=True)
class View:
    """The input, its configuration, and the object that one trace is about."""

    given: Input
    rules: InjectionRules
    manifests: Manifests
    source: ExplainedPod

    def make_paths(self, trace: DecisionTrace, read: Read, patches: Sequence[int]) -> list[JSON]:
        """The path of each stage; *patches* are the operations of each call."""
        return [*self._paths(trace, read, patches)]

    def _paths(self, trace: DecisionTrace, read: Read, patches: Sequence[int]) -> Iterator[Object]:
        remaining = iter(patches)
        for stage, (pod, inputs) in zip(trace.stages, read, strict=True):
            operations = next(remaining, 0) if stage.review else 0
            subject = self._subject(pod, operations)
            yield make_path(stage, [*self._steps(stage, subject, inputs)])

    def _steps(self, stage: Stage, subject: Subject, inputs: Sequence[StepInput]) -> Iterator[Step]:
        is_registration = stage.name.startswith(REGISTRATION)
        webhook = stage.name.removeprefix(REGISTRATION) if is_registration else ""
        for step, step_input in zip(stage.steps, inputs, strict=True):
            finding = find(step, subject, webhook, stage.verdict)
            yield Step(step, finding, step_input)

    def describe_verdict(self, trace: DecisionTrace, read: Read, operations: int) -> Object:
        """The verdict; its sentence is about the object of the deciding stage."""
        pod = self.source
        for stage, (subject, _) in zip(trace.stages, read, strict=True):
            if any(step.is_deciding for step in stage.steps):
                pod = subject
        subject = self._subject(pod, operations)
        return verdict_to_json(trace, subject, self.manifests, operations)

    def _subject(self, pod: ExplainedPod, operations: int) -> Subject:
        is_template = pod.is_pod and not self.source.is_pod and self.source.pod_path is not None
        return Subject(
            places=Places(self.given),
            rules=self.rules,
            pod=pod,
            source=self.source.object,
            path=self.source.pod_path.template if is_template and self.source.pod_path else (),
            cluster=self.given.options.get("cluster", ""),
            operations=operations,
        )
