"""Priming: one synthetic review during init, before the first request.

Provisioned concurrency and SnapStart start an environment before it is needed. The review does what
an on-demand start leaves to the first request: it parses and compiles templates.
"""

from contextlib import suppress

from podgraft.base import jsonvalue
from podgraft.core import review
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Store
from podgraft.kube import admission
from podgraft.kube.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.service.settings import Settings
from podgraft.service.store import CallerStore
from podgraft.service.store.factory import expire_stores


def prime(store: Store, callers: CallerStore, settings: Settings) -> None:
    """Review a synthetic pod with the default injector, if the settings enable priming."""
    if not settings.priming_enabled:
        return
    # Lambda would log the complete message of an error, which can quote the configuration.
    with suppress(Exception):
        _review(store)
    expire_stores(store, callers)


def _review(store: Store) -> None:
    """Discard the response and the record."""
    request = admission.decode(jsonvalue.dump(SYNTHETIC_REVIEW).encode())
    outcome = review.inject(ReviewContext(injector=DEFAULT_INJECTOR).with_request(request), store)
    if isinstance(outcome, review.ReviewResponse):
        admission.encode(outcome.response)
