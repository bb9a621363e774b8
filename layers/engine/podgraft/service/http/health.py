"""Readiness: whether this instance can serve reviews, and with which versions.

The names of injectors, their versions, and the errors of the configuration are for callers with
credentials. Other clients, such as load balancers, receive the status alone.
"""

from collections.abc import Callable
from http import HTTPStatus

from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store

from . import faults
from .authentication import CallerGate, Principal
from .errors import ThrottledError, WebError
from .faults import JsonResponse
from .request import Request
from .request_log import RequestLog

# Anyone can send these requests: a failure is logged once in this time.
LOG_INTERVAL_SECONDS = 60.0
# After a failure, the store is not called for other clients in this time. It caches no failure, so
# a flood would use up the request rate of Parameter Store.
FAILURE_SECONDS = 5.0
_READY: Object = {"ready": True}


class ReadinessCheck:
    """Responds to ``GET /readyz``."""

    def __init__(
        self, store: Store, gate: CallerGate, request_log: RequestLog, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._gate = gate
        self._request_log = request_log
        self._clock = clock
        self._logged_at_seconds: float | None = None
        self._failure: tuple[float, StoreError] | None = None

    def respond(self, request: Request) -> JsonResponse:
        """Respond with the versions to a caller, and with the status to other clients."""
        deadline = Deadline.from_timeout(None, self._clock)
        caller: Principal | None = None
        try:
            if not self._gate.is_anonymous(request):
                caller = self._gate.authenticate(request, deadline)
            versions = self._check(deadline, is_caller=caller is not None)
        except ThrottledError as error:
            return faults.fault_response(error)
        except WebError as error:
            response = faults.fault_response(error)
            record = faults.fault_fields(error)
            self._request_log({**record, "route": "readyz", "code": response.code})
            return response
        except StoreError as error:
            response = faults.fault_response(error, is_authenticated=caller is not None)
            self._log_failure(error, response.code)
            return response
        body = jsonvalue.dump(_READY if caller is None else _describe(caller, versions))
        return JsonResponse(HTTPStatus.OK.value, body.encode())

    def _check(self, deadline: Deadline, *, is_caller: bool) -> Object:
        """Return policy and bundle of each injector; raises ``StoreError`` if one does not load."""
        now = self._clock()
        if not is_caller and self._failure and now - self._failure[0] < FAILURE_SECONDS:
            # The same error is raised repeatedly. Without this, its traceback would grow.
            raise self._failure[1].with_traceback(None)
        try:
            # Without any stored injector, the default injector is missing.
            names = self._store.injectors(deadline) or (DEFAULT_INJECTOR,)
            versions: Object = {name: self._describe_version(name, deadline) for name in names}
        except StoreError as error:
            self._failure = now, error
            raise
        self._failure = None
        return versions

    def _describe_version(self, injector: str, deadline: Deadline) -> Object:
        """Return the version of an injector.

        All loaded ones share the time to refresh. One that is not loaded yet has its own time,
        because the first request of an environment loads all of them.
        """
        initial = Deadline.from_timeout(None, self._clock).initial_deadline
        snapshot = self._store.snapshot(injector, None, replace(deadline, initial_deadline=initial))
        versions: Object = {"policy": snapshot.policy_version, "bundle": snapshot.bundle.digest}
        if snapshot.stale:
            versions["stale"] = snapshot.stale.reason
        return versions

    def _log_failure(self, error: StoreError, code: int) -> None:
        now = self._clock()
        logged = self._logged_at_seconds
        if logged is None or now - logged >= LOG_INTERVAL_SECONDS:
            self._logged_at_seconds = now
            self._request_log({**faults.fault_fields(error), "event": "not_ready", "code": code})


def _describe(caller: Principal, versions: Object) -> Object:
    """Return what ``podgraft doctor`` compares with the registration of the cluster."""
    return {
        "caller": {
            "cluster": caller.cluster,
            "groups": [*caller.groups],
            "token": caller.token,
            "expires": caller.expires,
        },
        "injectors": versions,
    }
