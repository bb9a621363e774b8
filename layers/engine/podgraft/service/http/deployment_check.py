"""The check of a deployment: what ``functions/probe`` requests from two versions of the function.

The event is ``{"deployment_check": {"request": …}}`` with one of three requests. ``state`` returns
the injectors, the clusters, and the active rollouts. ``review`` reviews a recorded request, as one
of kube-apiserver, except for the authentication. ``compare`` returns what differs between two
responses, without values. A front of the function cannot send the event, because events of HTTP
requests have a ``requestContext``.

Two versions of podgraft must understand each other: fields can be added, and never change.

No other event imports this module.
"""

from collections.abc import Mapping
from typing import Any

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import is_cluster
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.kube.patch.kinds import compute_kind
from podgraft.service.paths import ROUTES, Target
from podgraft.service.store import Callers, CallerStore
from podgraft.service.store.factory import expire_stores

from . import faults
from .authentication import Principal
from .faults import JsonResponse
from .request_log import RequestLog
from .response_changes import find_response_changes
from .synthetic import review_body

EVENT_KEY = "deployment_check"


def respond(
    event: Mapping[str, Any], store: Store, callers: CallerStore, request_log: RequestLog
) -> Object | None:
    """Return the response; ``None`` for an invalid request, which gets the one of any event."""
    request = event[EVENT_KEY]
    try:
        match request.get("request"):
            case "state":
                return _describe_state(store, callers)
            case "review":
                if request.get("fresh"):
                    expire_stores(store, callers)
                return _review(request, store, callers, request_log)
            case "compare":
                return _compare(request)
            case _:
                return None
    except (LookupError, TypeError, ValueError):
        return None


def _describe_state(store: Store, callers: CallerStore) -> Object:
    """Return the stored state: nothing that this environment cached."""
    expire_stores(store, callers)
    problems: list[JSON] = []
    rollouts: Object = {}
    injectors: tuple[str, ...] = ()
    clusters: list[JSON] = []
    try:
        injectors = store.injectors()
        clusters = [*sorted(callers.callers().callers)]
    except StoreError:
        problems.append("the injectors or the clusters cannot be read")
    for name in injectors:
        try:
            rollout = store.snapshot(name, None).policy.rollout
        except StoreError:
            problems.append(f"injector {name}: its policy does not load")
            continue
        if rollout is not None:
            rollouts[name] = {"id": rollout.id, "mode": str(rollout.mode)}
    return {
        "injectors": [*injectors],
        "clusters": clusters,
        "rollouts": rollouts,
        "problems": problems,
    }


def _review(
    request: Mapping[str, Any], store: Store, callers: CallerStore, request_log: RequestLog
) -> Object:
    """Review one recorded request. It is no part of a metric or of the census.

    The cluster has its groups of the registry. If they cannot be read, the response has that error,
    and the probe repeats the review.
    """
    route, cluster = str(request.get("route")), str(request.get("cluster") or "")
    if route not in ROUTES or (cluster and not is_cluster(cluster)):
        raise ValueError("route or cluster: is invalid")
    target = Target(route, str(request.get("injector")), str(request.get("path") or ""))
    body = str(request.get("body")).encode("utf-8", "surrogatepass")
    try:
        groups = callers.callers().callers.get(cluster, Callers()).groups if cluster else ()
    except StoreError as error:
        return _describe_response(faults.fault_response(error), {})
    caller = Principal(cluster or None, groups=groups)
    response, found = review_body(store, caller, target, body)
    # Metrics count records with a route.
    record = {key: value for key, value in found.items() if key != "route"}
    request_log({**record, "event": EVENT_KEY})
    return _describe_response(response, record)


def _describe_response(response: JsonResponse, record: Mapping[str, JSON]) -> Object:
    return {
        "code": response.code,
        "body": response.body.decode(),
        "policy_version": record.get("policy_version") or "",
        "bundle": record.get("bundle") or "",
    }


def _compare(request: Mapping[str, Any]) -> Object:
    lines = find_response_changes(request["object"], request["before"], request["after"])
    return {"lines": [*lines], "kind": compute_kind(lines)}
