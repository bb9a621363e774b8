"""Synthetic reviews: what ``functions/watch`` invokes every few minutes.

The event is ``{"synthetic_review": {"injectors": [...]}}``. A front of the function cannot send it,
because events of HTTP requests have a ``requestContext``. So the sender has the permission
``lambda:InvokeFunction``, and needs no credentials of a cluster. A review runs like a review of
kube-apiserver, except for the authentication. ``webhook.py`` marks the log lines, so no metric of a
cluster counts them.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from podgraft.base import jsonvalue, system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import is_injector
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.kube.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.service.paths import Target
from podgraft.service.store import CallerStore

from .authentication import Principal
from .faults import JsonResponse
from .request import Request
from .request_log import RequestLog, line_fields
from .webhook import SYNTHETIC_EVENT, Webhook

# The fields of a review that the response contains.
_FIELDS = ("decision", "reason", "policy_version", "bundle", "stale", "fault", "problem")


def respond(
    event: Mapping[str, Any], store: Store, callers: CallerStore, request_log: RequestLog
) -> Object:
    """Review a synthetic pod with each injector, and return the results and the clusters.

    Without names, all injectors that have a policy are reviewed.
    """
    problems: list[JSON] = []
    names = _list_injectors(event, store, problems)
    return {
        "reviews": [_review_pod(store, name, request_log) for name in names],
        "clusters": _describe_clusters(callers, problems),
        "problems": problems,
    }


def review_pod(store: Store, injector: str) -> tuple[JsonResponse, Mapping[str, JSON]]:
    """Review the synthetic pod, and return the response and the record for the log."""
    body = jsonvalue.dump(SYNTHETIC_REVIEW).encode()
    return review_body(store, Principal(None), Target("inject", injector), body)


def review_body(
    store: Store, caller: Principal, target: Target, body: bytes
) -> tuple[JsonResponse, Mapping[str, JSON]]:
    """Review a body that no client sent, as one of a caller, without authentication."""
    records: list[Mapping[str, JSON]] = []
    webhook = Webhook(store, lambda _, __: caller, records.append, system.monotonic)
    request = Request(
        read=BytesIO(body).read, content_type="application/json", content_length=str(len(body))
    )
    return webhook.respond(target, request), records[-1]


def _list_injectors(
    event: Mapping[str, Any], store: Store, problems: list[JSON]
) -> tuple[str, ...]:
    requested = event[SYNTHETIC_EVENT].get("injectors") or ()
    names = tuple(name for name in requested if isinstance(name, str) and is_injector(name))
    if names:
        return names
    try:
        return store.injectors()
    except StoreError as error:
        problems.append(str(error))
        return ()


def _review_pod(store: Store, injector: str, request_log: RequestLog) -> Object:
    response, record = review_pod(store, injector)
    request_log(record)
    fields = line_fields(record)
    result: Object = {name: fields[name] for name in _FIELDS if fields.get(name)}
    return {
        **result,
        "injector": injector,
        "code": response.code,
        "milliseconds": fields.get("milliseconds"),
    }


def _describe_clusters(callers: CallerStore, problems: list[JSON]) -> Object:
    """Return the clusters with credentials, and when their tokens were created."""
    try:
        registry = callers.callers()
    except StoreError as error:
        problems.append(str(error))
        return {}
    problems.extend(str(error) for _, error in sorted(registry.load_errors.items()))
    return {
        cluster: {"created": [token.created for token in own.tokens]}
        for cluster, own in sorted(registry.callers.items())
        if own.tokens or own.subjects
    }
