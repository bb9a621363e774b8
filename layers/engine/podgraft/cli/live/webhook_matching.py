"""Which registered webhooks receive a pod, evaluated as kube-apiserver does."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.cli.explain import webhook_match
from podgraft.cli.explain.webhooks import Webhook
from podgraft.kube.matching import constraints

from .registrations import InjectorKind, LiveWebhook

OVERLAP_REMEDY = "change the labels, or delete one registration: only one of them must match"


def to_explained_webhook(webhook: LiveWebhook) -> Webhook:
    """Return the webhook in the form of ``podgraft explain``."""
    return Webhook(
        route="inject",
        name=webhook.name,
        injector=webhook.injector,
        path=webhook.url_path,
        manifest=webhook.manifest,
    )


class WebhookMatcher(Struct):
    """Finds the webhooks for pods; ``namespaces`` are those of the cluster by name."""

    webhooks: tuple[LiveWebhook, ...]
    namespaces: Mapping[str, Object]

    def find_webhooks(self, pod: Object) -> tuple[LiveWebhook, ...]:
        """Return the webhooks that kube-apiserver calls for the creation of the pod."""
        namespace = string_at(object_at(pod, "metadata"), "namespace")
        request = constraints.make_create_request(pod, namespace)
        return tuple(
            webhook
            for webhook in self.webhooks
            if webhook_match.evaluate(
                to_explained_webhook(webhook), request, self.namespaces
            ).is_match
        )

    def find_default_webhooks(self, namespace: str) -> tuple[LiveWebhook, ...]:
        """Return the webhooks for a pod without labels in a namespace."""
        pod: Object = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "pod", "namespace": namespace},
            "spec": {"containers": [{"name": "app", "image": "app"}]},
        }
        return self.find_webhooks(pod)


def select_injecting(webhooks: Iterable[LiveWebhook]) -> tuple[LiveWebhook, ...]:
    """Return the webhooks that inject pods: those of podgraft and istiod."""
    return tuple(webhook for webhook in webhooks if webhook.is_injecting)


def describe_overlap(webhooks: Iterable[LiveWebhook]) -> str:
    """Return which registrations inject the same pod twice; empty for none."""
    programs = {
        each.configuration: each.kind if each.kind is InjectorKind.ISTIOD else each.injector
        for each in webhooks
    }
    kinds, names = [*programs.values()], " and ".join(sorted(programs))
    if InjectorKind.ISTIOD in kinds and len({*kinds}) > 1:
        return f"{names} inject the same pods"
    return f"{names} call the same injector" if len(kinds) != len({*kinds}) else ""
