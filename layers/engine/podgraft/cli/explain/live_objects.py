"""Objects of a live cluster, with the webhooks, namespaces, and configuration for them."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at, without_keys
from podgraft.cli import configuration, documents
from podgraft.cli.compare.original_pods import make_request_pod, remove_injection
from podgraft.cli.compare.pod_comparer import find_revision
from podgraft.cli.config_source import ConfigSource
from podgraft.cli.configuration import InjectOptions, LoadedConfiguration
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.live.cluster import LiveCluster, PodSelection
from podgraft.cli.live.istio_source import DEFAULT_REVISION
from podgraft.cli.live.registrations import InjectorKind, Webhook, parse_webhooks
from podgraft.cli.live.resources import Target
from podgraft.cli.live.webhook_matching import WebhookMatcher, select_injecting
from podgraft.cli.object_reviews import ObjectReviews, run_reviews
from podgraft.core.injectors.overlay.overlay_set import UNCHANGED
from podgraft.kube import workload

from .decision_trace import DecisionTrace, Verdict
from .flow import Cluster
from .pod_source import to_explained_pod
from .webhooks import read_webhooks

_SYSTEM_FIELDS = ("managedFields", "uid", "resourceVersion", "creationTimestamp", "generation")


class UnknownConfigurationError(CommandError):
    """The configuration for an object is not in the cluster."""


class LiveExplainer(Struct):
    """Explains objects of a cluster; reads each namespace and configuration once.

    ``unexplained`` are the objects without a configuration, by what to do.
    """

    cluster: LiveCluster
    options: InjectOptions
    unexplained: dict[str, list[str]] = {}
    _namespaces: dict[str, Object] = {}
    _loaded: dict[tuple[str | None, str | None], LoadedConfiguration] = {}
    _manifests: list[Object] | None = None

    def explain(self, targets: Sequence[Target], selection: PodSelection) -> list[ObjectReviews]:
        """Return the reviews of each object; raises ``CommandError`` without an object."""
        namespace = self.cluster.resolve_namespace(selection)
        found: list[ObjectReviews] = []
        for live in self._read(targets, namespace, selection.selector):
            try:
                found.append(self._explain(live))
            except UnknownConfigurationError as error:
                self.unexplained.setdefault(str(error), []).append(documents.object_name(live))
        if not found and not self.unexplained:
            place = "any namespace" if namespace is None else f"namespace {namespace}"
            names = ", ".join(target.resource.plural for target in targets)
            raise CommandError(f"{names}: no object in {place}; check -n and -l")
        return found

    @property
    def findings(self) -> Iterator[str]:
        """The objects that are not explained, and why."""
        for reason, (first, *others) in self.unexplained.items():
            yield f"{first}{f' and {len(others)} more' if others else ''}: {reason}"

    def _read(
        self, targets: Sequence[Target], namespace: str | None, selector: str | None
    ) -> Iterator[Object]:
        for target in targets:
            if not target.name:
                yield from self.cluster.list_objects(target.resource, namespace, selector)
            elif namespace is None:
                raise CommandError(f"{target.name}: -A excludes names; use -n NAMESPACE")
            else:
                yield self.cluster.read_object(target.resource, namespace, target.name)

    def _explain(self, live: Object) -> ObjectReviews:
        namespace = string_at(live, "metadata", "namespace")
        if namespace not in self._namespaces:
            self._namespaces[namespace] = self.cluster.read_namespace(namespace)
        subject = to_explained_pod(_clean(live), namespace)
        pod = subject if subject.is_pod or subject.pod_path is None else subject.make_pod()
        loaded, webhooks = self._select(pod.object)
        cluster = Cluster(
            snapshot=loaded.snapshot if loaded else None,
            caller=loaded.caller if loaded else self.options.make_caller(),
            webhooks=webhooks,
            live_namespaces=self._namespaces,
        )
        reviews = run_reviews(cluster, subject)
        trace = reviews.trace
        if subject.is_pod and trace.verdict is Verdict.SKIPPED and _is_unchanged(trace):
            trace = replace(trace, verdict=Verdict.INJECTED)
        notes = [*_describe_running(live, trace)]
        if webhooks and loaded is None:
            notes.append(_describe_no_match(webhooks, self._namespaces[namespace]))
        if not webhooks:
            notes.append("the cluster has no webhook of podgraft or istiod for the object")
        name = f"{documents.object_name(live)} in {namespace}"
        warnings = (*trace.warnings, *notes)
        return replace(reviews, trace=replace(trace, subject=name, warnings=warnings))

    def _select(self, pod: Object) -> tuple[LoadedConfiguration | None, tuple[Webhook, ...]]:
        """Return the configuration for a pod, and the webhooks to evaluate.

        Without a bundle, it is Istio's of the revision whose webhook matches; without a matching
        webhook, it is None.
        """
        registered = parse_webhooks(self._read_manifests())
        if self.options.has_bundle:
            options = self._with_injector(registered, pod)
            return self._load(options), self._podgraft_webhooks(registered)
        injecting = select_injecting(registered)
        matching = self._find_matching(injecting, pod)
        of_istiod = [each for each in matching if each.kind is InjectorKind.ISTIOD]
        if not matching:
            return None, injecting
        if not of_istiod:
            raise UnknownConfigurationError(
                f"webhook {matching[0].name} sends the pod to podgraft, injector "
                f"{matching[0].injector}; its configuration is not in the cluster: name it with "
                "--config stack:NAME, or the folder of podgraft serve"
            )
        revision = self.options.revision or of_istiod[0].revision or DEFAULT_REVISION
        source = ConfigSource(is_cluster=True)
        options = replace(self.options, config_source=source, revision=revision)
        return self._load(options), tuple(of_istiod)

    def _with_injector(self, registered: Sequence[Webhook], pod: Object) -> InjectOptions:
        """Return the options with the injector of a stack: that of the webhook, if not given."""
        if self.options.config_source.stack is None or self.options.injector is not None:
            return self.options
        own = [each for each in registered if each.kind is InjectorKind.PODGRAFT]
        webhooks = self._find_matching(select_injecting(own), pod) or own
        return replace(self.options, injector=webhooks[0].injector) if webhooks else self.options

    def _find_matching(self, webhooks: Sequence[Webhook], pod: Object) -> list[Webhook]:
        return [*WebhookMatcher(tuple(webhooks), self._namespaces).find_webhooks(pod)]

    def _podgraft_webhooks(self, registered: Sequence[Webhook]) -> tuple[Webhook, ...]:
        """Return the webhooks of podgraft; those of istiod, with a warning, without one."""
        own = {each.configuration for each in registered if each.kind is InjectorKind.PODGRAFT}
        manifests = [
            manifest
            for manifest in self._read_manifests()
            if string_at(manifest, "metadata", "name") in own
        ]
        if manifests:
            return read_webhooks(manifests, "cluster", self.options.injector)
        print_warnings(
            ["cluster: no webhook of podgraft is registered; the webhooks are those of istiod"]
        )
        return select_injecting(registered)

    def _read_manifests(self) -> list[Object]:
        if self._manifests is None:
            self._manifests = self.cluster.read_webhook_configurations()
        return self._manifests

    def _load(self, options: InjectOptions) -> LoadedConfiguration:
        key = options.injector, options.revision
        if key not in self._loaded:
            self._loaded[key] = configuration.load(options)
        return self._loaded[key]


def _describe_no_match(webhooks: Sequence[Webhook], namespace: Object) -> str:
    """Return the note for a pod that no webhook receives, with the labels that select one."""
    labels = object_at(namespace, "metadata", "labels")
    missing = dict.fromkeys(
        f"{key}={value}"
        for webhook in webhooks
        for key, value in _find_labels(object_at(webhook.manifest, "namespaceSelector"))
        if labels.get(key) != value
    )
    if not missing:
        return "no webhook matches, so kube-apiserver creates the object without injection"
    return f"no webhook matches: the namespace has no label {', or '.join(missing)}"


def _find_labels(selector: Object) -> Iterator[tuple[str, str]]:
    """Yield the labels of a namespace that a selector requires: the first value of each."""
    for key, value in object_at(selector, "matchLabels").items():
        yield key, str(value)
    for requirement in objects_at(selector, "matchExpressions"):
        values = requirement.get("values")
        if requirement.get("operator") == "In" and isinstance(values, list) and values:
            yield string_at(requirement, "key"), str(values[0])


def _clean(live: Object) -> Object:
    """Return the object before its creation: without injection, and without status."""
    if live.get("kind") == "Pod":
        return remove_injection(make_request_pod(live))
    metadata = without_keys(object_at(live, "metadata"), *_SYSTEM_FIELDS)
    return {**without_keys(live, "status"), "metadata": metadata}


def _is_unchanged(trace: DecisionTrace) -> bool:
    """Whether an overlay decides for a pod that already has what the overlay adds."""
    step = trace.deciding_step
    return step is not None and step.observed == UNCHANGED


def _describe_running(live: Object, trace: DecisionTrace) -> Iterator[str]:
    """Yield a warning if the running pod differs from a new one."""
    if live.get("kind") != "Pod" or workload.find_pod_template_path(live) is None:
        return
    is_injected = find_revision(live) is not None
    has_templates = trace.sidecars is not None and trace.sidecars.templates
    if trace.is_injected and not is_injected and has_templates:
        yield (
            "the pod runs without a sidecar, and a new pod is injected; restart its workload "
            "(kubectl rollout restart)"
        )
    if is_injected and not trace.is_injected:
        yield "the pod runs with a sidecar, and a new pod is not injected"
