"""Which registered webhooks receive a pod, evaluated as kube-apiserver does."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.explain import webhook_match
from podgraft.kube.matching import constraints

from .registrations import InjectorKind, Webhook

OVERLAP_REMEDY = "change the labels, or delete one registration: only one of them must match"


class WebhookMatcher(Struct):
    """Finds the webhooks for pods; ``namespaces`` are those of the cluster by name."""

    webhooks: tuple[Webhook, ...]
    namespaces: Mapping[str, Object]

    def find_webhooks(self, pod: Object) -> tuple[Webhook, ...]:
        """Return the webhooks that kube-apiserver calls for the creation of the pod."""
        namespace = string_at(pod, "metadata", "namespace")
        request = constraints.make_create_request(pod, namespace)
        return tuple(
            webhook
            for webhook in self.webhooks
            if webhook_match.evaluate(webhook, request, self.namespaces).verdict is None
        )

    def find_default_webhooks(self, namespace: str) -> tuple[Webhook, ...]:
        """Return the webhooks for a pod without labels in a namespace."""
        return self.find_webhooks(make_pod(namespace, {}))


def make_pod(namespace: str, labels: Object) -> Object:
    """Return a pod that every Pod Security Standard admits."""
    security: Object = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "runAsUser": 65535,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    container: Object = {"name": "app", "image": "registry.k8s.io/pause:3.10"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "podgraft-doctor", "namespace": namespace, "labels": labels},
        "spec": {"containers": [{**container, "securityContext": security}]},
    }


def select_injecting(webhooks: Iterable[Webhook]) -> tuple[Webhook, ...]:
    """Return the webhooks that inject pods: those of podgraft and istiod."""
    return tuple(webhook for webhook in webhooks if webhook.is_injecting)


def describe_overlap(webhooks: Iterable[Webhook]) -> str:
    """Return which registrations inject the same pod twice; empty for none."""
    programs = {
        each.configuration: each.kind if each.kind is InjectorKind.ISTIOD else each.injector
        for each in webhooks
    }
    kinds, names = [*programs.values()], " and ".join(sorted(programs))
    if InjectorKind.ISTIOD in kinds and len({*kinds}) > 1:
        return f"{names} inject the same pods"
    return f"{names} call the same injector" if len(kinds) != len({*kinds}) else ""
