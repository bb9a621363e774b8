"""The state of each namespace: its webhooks, and the sidecars of its pods."""

from collections.abc import Iterator

from msgspec import Struct

from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli import offline
from podgraft.cli.compare.configurations import ConfigurationSource
from podgraft.cli.compare.original_pods import make_request_pod, remove_injection
from podgraft.cli.compare.pod_comparer import PodComparer, PodState, find_revision
from podgraft.cli.live.registrations import InjectorKind, Webhook
from podgraft.cli.live.webhook_matching import OVERLAP_REMEDY, WebhookMatcher, describe_overlap


class NamespaceStatus(Struct):
    """The counts of one namespace; ``missing`` and ``outdated`` are names of pods.

    ``current`` counts the pods with the sidecars that a new pod would have.
    """

    name: str
    webhooks: list[Webhook] = []
    pods: int = 0
    injected: int = 0
    current: int = 0
    missing: list[str] = []
    outdated: list[str] = []
    unchecked: int = 0
    overlap: str = ""

    def add_webhooks(self, webhooks: tuple[Webhook, ...]) -> None:
        """Add the webhooks that receive a pod of the namespace."""
        self.webhooks.extend(each for each in webhooks if each not in self.webhooks)
        self.overlap = self.overlap or describe_overlap(webhooks)


class Survey(Struct):
    """Counts pods by namespace."""

    matcher: WebhookMatcher
    configurations: ConfigurationSource
    namespaces: dict[str, NamespaceStatus] = {}

    def add_namespace(self, name: str) -> NamespaceStatus:
        """Return the status of a namespace; new ones have no pods."""
        if name not in self.namespaces:
            self.namespaces[name] = NamespaceStatus(name)
        return self.namespaces[name]

    def add_pod(self, live: Object) -> None:
        """Count a pod."""
        name = string_at(live, "metadata", "name")
        status = self.add_namespace(string_at(live, "metadata", "namespace"))
        status.pods += 1
        request = remove_injection(make_request_pod(live))
        webhooks = self.matcher.find_webhooks(request)
        status.add_webhooks(webhooks)
        revision = find_revision(live)
        comparer = self._comparer(revision, webhooks)
        if comparer is None:
            self._count_without_configuration(status, live, webhooks)
            return
        comparison = comparer.compare(live)
        if comparison.state in {PodState.IDENTICAL, PodState.DIFFERENT, PodState.OTHER_REVISION}:
            status.injected += 1
        if comparison.state is PodState.DIFFERENT:
            status.outdated.append(name)
        elif comparison.state is PodState.IDENTICAL:
            status.current += 1
        elif comparison.state is PodState.OTHER_REVISION:
            status.unchecked += 1
        elif webhooks and comparison.state is PodState.NOT_INJECTED:
            status.missing += [name] if _would_inject(comparer, request, status.name) else []

    def add_empty_namespaces(self) -> None:
        """Add the webhooks of the namespaces without pods, for a pod without labels."""
        for status in self.namespaces.values():
            if not status.pods:
                status.add_webhooks(self.matcher.find_default_webhooks(status.name))

    def _comparer(self, revision: str | None, webhooks: tuple[Webhook, ...]) -> PodComparer | None:
        """Return the comparer of the revision that injected the pod, or that would inject it."""
        names = [webhook.revision for webhook in webhooks if webhook.revision]
        return self.configurations.find_comparer(revision or next(iter(names), ""))

    @staticmethod
    def _count_without_configuration(
        status: NamespaceStatus, live: Object, webhooks: tuple[Webhook, ...]
    ) -> None:
        if find_revision(live) is not None:
            status.injected += 1
            status.unchecked += 1
        elif any(webhook.kind is InjectorKind.ISTIOD for webhook in webhooks):
            status.unchecked += 1


def _would_inject(comparer: PodComparer, request: Object, namespace: str) -> bool:
    outcome = offline.review_pod(request, namespace, comparer.snapshot, comparer.caller)
    return offline.is_patched(outcome)


def find_overlaps(survey: Survey) -> Iterator[str]:
    """Yield a warning for each namespace with pods that two injectors receive."""
    for status in survey.namespaces.values():
        if status.overlap:
            yield f"namespace {status.name}: {status.overlap}; {OVERLAP_REMEDY}"
