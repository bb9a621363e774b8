"""What each step of a decision reads: the object and the configuration.

The trace of ``podgraft explain`` contains the result of each step. This module adds its input, from
the same object, rules, and manifests. It evaluates nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.base.trace import TraceStep
from podgraft.cli.explain.decision_trace import DecisionTrace, Stage
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.cli.live.registrations import Webhook
from podgraft.core.bundle import Bundle
from podgraft.core.policy import INJECT_KEY, InjectionRules, InjectValueSyntax, StepName
from podgraft.kube import yaml
from podgraft.kube.privileges import Kind
from podgraft.kube.selectors import Selector

NOT_SET = "not set"
REGISTRATION = "kube-apiserver, webhook "  # the stages of kube-apiserver
_TEMPLATES_KEY = "inject.istio.io/templates"
# Kinds of documents that steps name, and the fields of each that select objects.
_SELECTING_FIELDS: Mapping[str, Sequence[str]] = {
    "Overlay": ("matchConstraints", "matchConditions"),
    "Mesh": ("awsAppMesh",),
    "MutatingAdmissionPolicy": ("matchConstraints", "matchConditions", "mutations"),
    "MutatingAdmissionPolicyBinding": ("matchResources", "paramRef"),
    "ValidatingAdmissionPolicy": ("matchConstraints", "matchConditions", "validations"),
    "ValidatingAdmissionPolicyBinding": ("matchResources", "validationActions", "paramRef"),
}
_VALUES = {
    InjectValueSyntax.YAML: "y, yes, true, and on inject, any other value does not",
    InjectValueSyntax.STRICT: "true injects, false does not, other values have no effect",
}
_APPMESH_FIELDS = ("enableAutoInject", "injectionSelector", "virtualNodeLabel")


@dataclass(frozen=True, slots=True)
class StepInput:
    """The input of a step; a text is empty if the step does not read it."""

    object: str = ""
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class Manifests:
    """The documents of a bundle that steps name, by kind and name."""

    documents: Mapping[tuple[str, str], Object] = field(
        default_factory=dict[tuple[str, str], Object]
    )

    def describe(self, kind: str, name: str) -> str:
        """The fields of a document that select objects, as YAML."""
        document = self.documents.get((kind, name))
        if document is None:
            return ""
        spec = object_at(document, "spec")
        selecting: Object = {key: spec[key] for key in _SELECTING_FIELDS[kind] if key in spec}
        if kind == "Mesh":
            mesh = object_at(spec, "awsAppMesh")
            selecting = {key: mesh[key] for key in _APPMESH_FIELDS if key in mesh}
        return f"{kind} {name}\n{_to_yaml(selecting)}" if selecting else f"{kind} {name}"

    def count_validations(self, name: str) -> int:
        """The validations of a ValidatingAdmissionPolicy."""
        document = self.documents.get(("ValidatingAdmissionPolicy", name), {})
        return len(objects_at(object_at(document, "spec"), "validations"))


def read_manifests(files: Iterable[str]) -> Manifests:
    """Read the documents that steps name; files without such a kind are not parsed."""
    documents: dict[tuple[str, str], Object] = {}
    for text in files:
        if not any(kind in text for kind in _SELECTING_FIELDS):
            continue
        for document in yaml.load_all(text):
            if isinstance(document, dict) and document.get("kind") in _SELECTING_FIELDS:
                name = string_at(object_at(document, "metadata"), "name")
                documents[str(document["kind"]), name] = document
    return Manifests(documents)


@dataclass(frozen=True, slots=True)
class StepReader:
    """Finds the input of each step in the objects and the configuration of one cluster."""

    cluster: Cluster
    manifests: Manifests

    def read(
        self, subject: ExplainedPod, trace: DecisionTrace
    ) -> list[tuple[ExplainedPod, list[StepInput]]]:
        """The object of each stage, and the inputs of its steps."""
        inputs: list[tuple[ExplainedPod, list[StepInput]]] = []
        for stage in trace.stages:
            if stage.object.startswith("Pod/") and not subject.is_pod:
                subject = subject.make_pod()
            inputs.append((subject, [*self._read_stage(stage, subject)]))
            if stage.review is not None:
                subject = stage.review.after or subject
        return inputs

    def _read_stage(self, stage: Stage, subject: ExplainedPod) -> Iterator[StepInput]:
        if stage.name.startswith(REGISTRATION):
            name = stage.name.removeprefix(REGISTRATION)
            webhook = next(each for each in self.cluster.webhooks if each.name == name)
            yield from (self._read_registration(step, subject, webhook) for step in stage.steps)
            return
        yield from (self._read_step(step, subject) for step in stage.steps)

    def _read_registration(
        self, step: TraceStep, subject: ExplainedPod, webhook: Webhook
    ) -> StepInput:
        key, _, name = step.name.partition(": ")
        manifest = webhook.manifest or {}
        configured = _to_yaml({key: manifest[key]}) if manifest.get(key) else f"{key}: {NOT_SET}"
        match key:
            case "rules":
                return StepInput(_describe_request(subject), configured)
            case "namespaceSelector":
                labels = self._describe_namespace(subject.namespace)
                return StepInput(labels, configured)
            case "objectSelector":
                labels = _describe_labels(object_at(subject.object, "metadata"), "object")
                return StepInput(labels, configured)
            case _:
                conditions = objects_at(manifest, "matchConditions")
                texts = [string_at(c, "expression") for c in conditions if c.get("name") == name]
                request = _describe_request(subject)
                return StepInput(request, "\n".join(texts) or configured)

    def _describe_namespace(self, namespace: str) -> str:
        manifest = self.cluster.namespaces(namespace).get(namespace, {})
        return _describe_labels(object_at(manifest, "metadata"), f"namespace {namespace}")

    @property
    def _bundle(self) -> Bundle:
        snapshot = self.cluster.snapshot
        assert snapshot is not None  # noqa: S101 - the page has a bundle
        return snapshot.bundle

    def _read_step(self, step: TraceStep, subject: ExplainedPod) -> StepInput:
        reader = _POLICY_STEPS.get(step.name)
        rules = self._bundle.rules
        if reader is not None:
            return reader(subject, rules)
        word, _, name = step.name.partition(" ")
        labels = _describe_labels(object_at(subject.object, "metadata"), "object")
        match word:
            case "overlay":
                configured = self.manifests.describe("Overlay", name)
                return StepInput(_describe_object(subject), configured)
            case "mesh":
                return StepInput(labels, self.manifests.describe("Mesh", name))
            case "rule":
                return self._read_rule(name, subject, "ValidatingAdmissionPolicy")
            case "mutation":
                return self._read_rule(name, subject, "MutatingAdmissionPolicy")
            case "Istio":
                return self._read_templates(subject)
            case "privileges":
                configured = self._describe_allows()
                return StepInput(_describe_object(subject), configured)
            case _:
                return StepInput()

    def _read_rule(self, name: str, subject: ExplainedPod, kind: str) -> StepInput:
        policy, _, binding = name.partition(", binding ")
        texts = [self.manifests.describe(kind, policy)]
        if binding:
            texts.append(self.manifests.describe(f"{kind}Binding", binding))
        return StepInput(_describe_object(subject), "\n".join(filter(None, texts)))

    def _describe_allows(self) -> str:
        allows = self._bundle.allows
        if allows is None:
            return f"allows: {NOT_SET}"
        names = {kind: sorted(values) for kind, values in allows.names.items() if values}
        if allows.registries is not None:
            names[Kind.IMAGE] = [*allows.registries]
        return _to_yaml({"allows": {str(kind): [*values] for kind, values in names.items()}})

    def _read_templates(self, subject: ExplainedPod) -> StepInput:
        annotations = object_at(object_at(subject.object, "metadata"), "annotations")
        value = annotations.get(_TEMPLATES_KEY)
        istio = self._bundle.istio
        release = "" if istio is None else f"Istio {istio.profile.release}: "
        return StepInput(
            f"annotation {_TEMPLATES_KEY}: {NOT_SET if value is None else value}",
            f"{release}the annotation selects templates; without it, defaultTemplates apply",
        )


def _read_request(subject: ExplainedPod, _: InjectionRules) -> StepInput:
    return StepInput(_describe_request(subject), "only the creation of a pod is injected")


def _read_host_network(subject: ExplainedPod, _: InjectionRules) -> StepInput:
    value = object_at(subject.object, "spec").get("hostNetwork")
    text = f"spec.hostNetwork: {NOT_SET if value is None else _to_yaml(value)}"
    return StepInput(
        text,
        "a pod on the network of its host is never injected",
    )


def _read_namespace(subject: ExplainedPod, rules: InjectionRules) -> StepInput:
    ignored = ", ".join(sorted(rules.ignored_namespaces)) or "none"
    return StepInput(
        f"namespace: {subject.namespace}",
        f"ignoredNamespaces: {ignored}",
    )


def _read_inject_setting(subject: ExplainedPod, rules: InjectionRules) -> StepInput:
    metadata = object_at(subject.object, "metadata")
    sources = ["label", "annotation"] if rules.honors_label else ["annotation"]
    texts = [
        f"{source} {INJECT_KEY}: {_read_text(object_at(metadata, f'{source}s'))}"
        for source in sources
    ]
    order = "the label first, then the annotation" if rules.honors_label else "the annotation only"
    return StepInput(
        "\n".join(texts),
        f"podgraft reads {order}; {_VALUES[rules.inject_values]}",
    )


def _read_text(texts: Object) -> str:
    value = texts.get(INJECT_KEY)
    return NOT_SET if value is None else repr(value)


def _read_never(subject: ExplainedPod, rules: InjectionRules) -> StepInput:
    labels = _describe_labels(object_at(subject.object, "metadata"), "pod")
    configured = _describe_selectors(StepName.NEVER, rules.never)
    return StepInput(labels, configured)


def _read_always(subject: ExplainedPod, rules: InjectionRules) -> StepInput:
    labels = _describe_labels(object_at(subject.object, "metadata"), "pod")
    configured = _describe_selectors(StepName.ALWAYS, rules.always)
    return StepInput(labels, configured)


def _read_policy(_: ExplainedPod, rules: InjectionRules) -> StepInput:
    return StepInput("the pod is not read", f"policy: {rules.policy}")


_POLICY_STEPS: Mapping[str, Callable[[ExplainedPod, InjectionRules], StepInput]] = {
    StepName.REQUEST: _read_request,
    StepName.HOST_NETWORK: _read_host_network,
    StepName.NAMESPACE: _read_namespace,
    StepName.INJECT_SETTING: _read_inject_setting,
    StepName.NEVER: _read_never,
    StepName.ALWAYS: _read_always,
    StepName.POLICY: _read_policy,
}


def _describe_request(subject: ExplainedPod) -> str:
    request = subject.request
    group = f"{request.resource.group}/" if request.resource.group else ""
    place = f" in {subject.namespace}" if subject.namespace else ""
    return f"CREATE {group}{request.resource.version} {request.resource.resource}{place}"


def _describe_object(subject: ExplainedPod) -> str:
    """The request, and the labels and annotations of the object."""
    metadata = object_at(subject.object, "metadata")
    selecting: Object = {
        key: metadata[key] for key in ("labels", "annotations") if metadata.get(key)
    }
    request = _describe_request(subject)
    return f"{request}\n{_to_yaml(selecting)}" if selecting else request


def _describe_labels(metadata: Object, owner: str) -> str:
    labels = metadata.get("labels")
    if not isinstance(labels, dict) or not labels:
        return f"{owner} has no labels"
    return f"labels of the {owner}:\n{_to_yaml(labels)}"


def _describe_selectors(name: str, selectors: Sequence[Selector]) -> str:
    if not selectors:
        return f"{name}: {NOT_SET}"
    lines = (str(selector) or "empty, which matches no pod" for selector in selectors)
    return "\n".join(f"{name} {index}: {line}" for index, line in enumerate(lines, 1))


def _to_yaml(value: JSON) -> str:
    return yaml.dump(value).removesuffix("\n").removesuffix("\n...")
