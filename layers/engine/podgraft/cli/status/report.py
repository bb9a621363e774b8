"""The report of a survey, as tables and as JSON."""

from collections.abc import Iterator, Sequence

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import terminal
from podgraft.cli.endpoint_check.endpoint import EndpointReport
from podgraft.cli.wording import format_count, list_examples

from .survey import NamespaceStatus
from .webhooks import WebhookStatus

_EXAMPLES = 5


def to_json(namespaces: Sequence[NamespaceStatus], webhooks: Sequence[WebhookStatus]) -> Object:
    """Encode the report with stable keys."""
    return {
        "namespaces": [_namespace_to_json(status) for status in namespaces],
        "webhooks": [webhook_to_json(status) for status in webhooks],
    }


def _namespace_to_json(status: NamespaceStatus) -> Object:
    webhooks: list[JSON] = [webhook.name for webhook in status.webhooks]
    return {
        "namespace": status.name,
        "webhooks": webhooks,
        "pods": status.pods,
        "injected": status.injected,
        "missing": list(status.missing),
        "outdated": list(status.outdated),
        "unchecked": status.unchecked,
    }


def webhook_to_json(status: WebhookStatus) -> Object:
    """Encode a webhook with stable keys."""
    webhook = status.webhook
    return {
        "configuration": webhook.configuration,
        "webhook": webhook.name,
        "injector": str(webhook.kind),
        "address": webhook.address,
        "revision": webhook.revision,
        "failurePolicy": webhook.manifest.get("failurePolicy"),
        "caDays": status.ca.days,
        "certificateDays": status.certificate_days,
        "review": _review_to_json(status.endpoint),
        "problems": list(status.problems),
    }


def format_lines(
    namespaces: Sequence[NamespaceStatus], webhooks: Sequence[WebhookStatus]
) -> Iterator[str]:
    """Yield the lines of the text report."""
    header = ("NAMESPACE", "INJECTED BY", "PODS", "INJECTED", "MISSING", "OUTDATED")
    rows = [header, *map(_namespace_row, namespaces)]
    yield from align(rows)
    for kind in ("missing", "outdated"):
        yield from _pod_lines(namespaces, kind)
    yield ""
    if not webhooks:
        yield "no webhook of podgraft or istiod is registered"
        return
    header = (
        *("CONFIGURATION", "WEBHOOK", "CALLS", "FAILURE POLICY", "CA DAYS", "CERT DAYS", "REVIEW"),
    )
    yield from align([header, *map(_webhook_row, webhooks)])


def _namespace_row(status: NamespaceStatus) -> tuple[str, ...]:
    names = dict.fromkeys(webhook.describe() for webhook in status.webhooks)
    missing, outdated = len(status.missing), len(status.outdated)
    unknown = "?" if status.unchecked else ""
    return (
        status.name,
        ", ".join(names) or "-",
        str(status.pods),
        str(status.injected),
        f"{missing}{unknown}",
        f"{outdated}{unknown}",
    )


def _webhook_row(status: WebhookStatus) -> tuple[str, ...]:
    webhook = status.webhook
    policy = str(webhook.manifest.get("failurePolicy") or "-")
    return (
        webhook.configuration,
        webhook.name,
        webhook.describe(),
        policy,
        format_days(status.ca.days),
        format_days(status.certificate_days),
        _format_review(status),
    )


def _review_to_json(endpoint: EndpointReport | None) -> JSON:
    """Encode the outcome of a review; its problems are those of the webhook."""
    if endpoint is None:
        return None
    return {
        "ok": not endpoint.problems,
        "decision": endpoint.decision,
        "reason": endpoint.reason,
        "policyVersion": endpoint.policy_version,
        "milliseconds": endpoint.milliseconds,
    }


def _format_review(status: WebhookStatus) -> str:
    if status.endpoint is None:
        return "-"
    return "fails" if status.fails else status.endpoint.describe()


def format_days(days: int | None) -> str:
    """Return the days, or a dash for none."""
    return "-" if days is None else str(days)


def _pod_lines(namespaces: Sequence[NamespaceStatus], kind: str) -> Iterator[str]:
    names = [
        f"{status.name}/{name}"
        for status in namespaces
        for name in (status.missing if kind == "missing" else status.outdated)
    ]
    if not names:
        return
    text = {
        "missing": "without sidecar; restart the workloads",
        "outdated": "with other sidecars than new pods; see podgraft compare",
    }
    yield ""
    yield terminal.style(f"{format_count(len(names), 'pod')} {text[kind]}:", fg="yellow", bold=True)
    yield f"  {list_examples(names, _EXAMPLES)}"


def align(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the rows with columns of one width."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "   ".join(cells).rstrip()
