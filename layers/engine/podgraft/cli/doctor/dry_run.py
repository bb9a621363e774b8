"""A pod that kube-apiserver reviews and does not store: whether it can call the endpoint."""

import re
from collections.abc import Sequence

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at
from podgraft.cli.client_config import redact_tokens
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.live.api_errors import ApiError, ForbiddenError
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.live.webhook_matching import WebhookMatcher, make_pod
from podgraft.cli.register.selectors import ALWAYS_EXCLUDED_NAMESPACES

from .egress import describe_egress
from .registrations import make_labels

_FAILED = re.compile(r'failed calling webhook "([^"]+)": (.+)')
_REMEDY = (
    "it works from here, so give the control plane a route and DNS to the endpoint: its egress "
    "(EKS: CUSTOMER_ROUTED; GKE: not NONE), security groups, and the sources of the cluster"
)


class DryRun(Struct, frozen=True):
    """The webhook that received the pod, and what was found; ``unknown`` is why nothing was."""

    webhook: Webhook | None = None
    finding: Finding | None = None
    unknown: str = ""


def try_webhook(
    cluster: LiveCluster,
    webhooks: Sequence[Webhook],
    matcher: WebhookMatcher,
    namespaces: Sequence[str],
    *,
    is_injected: bool,
) -> DryRun:
    """Create a pod that one of *webhooks* receives, as a dry run.

    With *is_injected*, the endpoint injects the synthetic pod, so an unchanged pod is a fault.
    """
    for webhook in webhooks:
        for namespace in namespaces:
            pod = make_pod(namespace, make_labels(webhook))
            if namespace in ALWAYS_EXCLUDED_NAMESPACES or webhook not in matcher.find_webhooks(pod):
                continue
            return _try_pod(cluster, webhook, namespace, pod, is_injected=is_injected)
    return DryRun(unknown="no namespace has a pod that a webhook of podgraft receives")


def _try_pod(
    cluster: LiveCluster, webhook: Webhook, namespace: str, pod: Object, *, is_injected: bool
) -> DryRun:
    place = f"namespace {namespace}: webhook {webhook.name}"
    try:
        created = cluster.try_pod(namespace, pod)
    except ApiError as error:
        text = redact_tokens(str(error))
        match = _FAILED.search(text)
        if match is None and "ValidatingAdmissionPolicy" in text and "-guard" in text:
            problem = "the sidecar check rejects the pod: it has no sidecar"
            return DryRun(webhook, Finding(Fault.CONTROL_PLANE, place, problem, _REMEDY))
        if match is None or match[1] != webhook.name:
            if isinstance(error, ForbiddenError) and "cannot create" in text:
                text = f"needs the right to create pods in {namespace}"
            return DryRun(webhook, unknown=text)
        problem = f"kube-apiserver cannot call it: {match[2].partition('; correct this')[0]}"
        egress = describe_egress(cluster.reader.read_config())
        remedy = f"{_REMEDY}; {egress}" if egress else _REMEDY
        return DryRun(webhook, Finding(Fault.CONTROL_PLANE, place, problem, remedy))
    if is_injected and _count_containers(created) <= _count_containers(pod):
        problem = "kube-apiserver creates the pod without a sidecar"
        return DryRun(webhook, Finding(Fault.CONTROL_PLANE, place, problem, _REMEDY))
    return DryRun(webhook)


def _count_containers(pod: Object) -> int:
    spec = object_at(pod, "spec")
    lists = (spec.get("containers"), spec.get("initContainers"))
    return sum(len(each) for each in lists if isinstance(each, list))
