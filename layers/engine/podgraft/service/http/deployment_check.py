"""The check of a deployment: what ``functions/probe`` requests from two versions of the function.

The event is ``{"deployment_check": {"request": …}}`` with one of three requests. ``state`` returns
the injectors, the clusters, and the active rollouts. ``review`` reviews a recorded request, as one
of kube-apiserver, except for the authentication. ``compare`` returns what differs between two
responses, without values. A front of the function cannot send the event, because events of HTTP
requests have a ``requestContext``.

Two versions of podgraft must understand each other: fields can be added, and never change.

No other event imports this module.
"""

from collections.abc import Callable, Mapping
from typing import Any

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import is_injector
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.kube.patch.kinds import compute_kind
from podgraft.service.paths import ROUTES, Target
from podgraft.service.settings import Auth
from podgraft.service.store import CallerStore
from podgraft.service.store.factory import expire_stores

from .authentication import CallerGate, Principal
from .request import Request, make_request
from .request_log import RequestLog, line_fields
from .response_changes import find_response_changes
from .webhook import Webhook

EVENT_KEY = "deployment_check"


class DeploymentCheck:
    """Responds to the requests of the probe."""

    def __init__(self, store: Store, callers: CallerStore, request_log: RequestLog) -> None:
        self._store = store
        self._callers = callers
        self._request_log = request_log

    def respond(self, event: Mapping[str, Any]) -> Object | None:
        """Return the response; ``None`` for an invalid request, which gets the one of any event."""
        requests: Mapping[str, Callable[[Mapping[str, Any]], Object]] = {
            "state": self._describe_state,
            "review": self._review,
            "compare": _compare,
        }
        request = event[EVENT_KEY]
        respond = requests.get(str(request.get("request")))
        if respond is None:
            return None
        try:
            return respond(request)
        except (LookupError, TypeError, ValueError):
            return None

    def _describe_state(self, _request: Mapping[str, Any]) -> Object:
        """Return the stored state: nothing that this environment cached."""
        expire_stores(self._store, self._callers)
        problems: list[JSON] = []
        rollouts: Object = {}
        injectors: tuple[str, ...] = ()
        clusters: list[JSON] = []
        try:
            injectors = self._store.injectors()
            clusters = [*sorted(self._callers.callers().callers)]
        except StoreError:
            problems.append("the injectors or the clusters cannot be read")
        for name in injectors:
            try:
                rollout = self._store.snapshot(name, None).policy.rollout
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

    def _review(self, request: Mapping[str, Any]) -> Object:
        """Review one recorded request. It is no part of a metric or of the census."""
        if request.get("fresh"):
            expire_stores(self._store, self._callers)
        route, cluster = str(request.get("route")), str(request.get("cluster") or "")
        if route not in ROUTES or (cluster and not is_injector(cluster)):
            raise ValueError("route or cluster: is invalid")
        records: list[Mapping[str, JSON]] = []
        gate = _ClusterGate(self._callers, cluster or None)
        webhook = Webhook(self._store, gate, records.append, system.monotonic)
        target = Target(route, str(request.get("injector")), str(request.get("path") or ""))
        body = str(request.get("body")).encode("utf-8", "surrogatepass")
        response = webhook.respond(target, make_request(body))
        # Metrics count records with a route.
        record = {key: value for key, value in records[-1].items() if key != "route"}
        self._request_log({**record, "event": EVENT_KEY})
        fields = line_fields(record)
        return {
            "code": response.code,
            "body": response.body.decode(),
            "policy_version": fields.get("policy_version") or "",
            "bundle": fields.get("bundle") or "",
        }


class _ClusterGate(CallerGate):
    """Accepts each request as one of a cluster. The sender may invoke the function."""

    def __init__(self, callers: CallerStore, cluster: str | None) -> None:
        super().__init__(Auth.NONE, callers, system.age_clock)
        self._principal = Principal(cluster)

    def authenticate(self, request: Request, deadline: Deadline) -> Principal:
        """Return the cluster."""
        del request, deadline
        return self._principal


def _compare(request: Mapping[str, Any]) -> Object:
    lines = find_response_changes(request["object"], request["before"], request["after"])
    return {"lines": [*lines], "kind": compute_kind(lines)}
