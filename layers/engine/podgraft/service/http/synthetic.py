"""Synthetic reviews: what ``functions/watch`` invokes every few minutes.

The event is ``{"synthetic_review": {"injectors": [...]}}``. A front of the function cannot send it,
because events of HTTP requests have a ``requestContext``. So the sender has the permission
``lambda:InvokeFunction``, and needs no credentials of a cluster. A review runs like a review of
kube-apiserver, except for the authentication. ``webhook.py`` marks the log lines, so no metric of a
cluster counts them.
"""

from collections.abc import Mapping
from typing import Any

from podgraft.base import jsonvalue, system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import is_injector
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.kube.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.service.paths import Target
from podgraft.service.settings import Auth
from podgraft.service.store import CallerStore

from .authentication import CallerGate
from .request import make_request
from .request_log import RequestLog, line_fields
from .webhook import SYNTHETIC_EVENT, Webhook

EVENT_KEY = SYNTHETIC_EVENT
# The fields of a review that the response contains.
_FIELDS = ("decision", "reason", "policy_version", "bundle", "stale", "fault", "problem")


class SyntheticReviews:
    """Reviews a synthetic pod with each injector, and describes the callers."""

    def __init__(self, store: Store, callers: CallerStore, request_log: RequestLog) -> None:
        self._store = store
        self._callers = callers
        self._request_log = request_log

    def respond(self, event: Mapping[str, Any]) -> Object:
        """Return the result for each injector, and the registered clusters.

        Without names, all injectors that have a policy are reviewed.
        """
        problems: list[JSON] = []
        return {
            "reviews": [self._review(name) for name in self._injectors(event, problems)],
            "clusters": self._clusters(problems),
            "problems": problems,
        }

    def _injectors(self, event: Mapping[str, Any], problems: list[JSON]) -> tuple[str, ...]:
        requested = event[EVENT_KEY].get("injectors") or ()
        names = tuple(name for name in requested if isinstance(name, str) and is_injector(name))
        if names:
            return names
        try:
            return self._store.injectors()
        except StoreError as error:
            problems.append(str(error))
            return ()

    def _review(self, injector: str) -> Object:
        records: list[Mapping[str, JSON]] = []
        gate = CallerGate(Auth.NONE, self._callers, system.age_clock)
        webhook = Webhook(self._store, gate, records.append, system.monotonic)
        request = make_request(jsonvalue.dump(SYNTHETIC_REVIEW).encode())
        response = webhook.respond(Target("inject", injector), request)
        fields = line_fields(records[-1])
        result: Object = {name: fields[name] for name in _FIELDS if fields.get(name)}
        result |= {
            "injector": injector,
            "code": response.code,
            "milliseconds": fields.get("milliseconds"),
        }
        self._request_log(records[-1])
        return result

    def _clusters(self, problems: list[JSON]) -> Object:
        """Return the clusters with credentials, and when the oldest token was created."""
        try:
            registry = self._callers.callers()
        except StoreError as error:
            problems.append(str(error))
            return {}
        problems.extend(str(error) for _, error in sorted(registry.load_errors.items()))
        return {
            cluster: {"created": [token.created for token in callers.tokens]}
            for cluster, callers in sorted(registry.callers.items())
            if callers.tokens or callers.subjects
        }
