"""Priming: what an environment loads during init, before its first request.

Every environment loads the default injector and the callers. Provisioned concurrency and SnapStart
start an environment before it is needed, so it also runs one synthetic review, which does what an
on-demand start leaves to the first request: it parses and compiles templates.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from podgraft.base import jsonvalue, system
from podgraft.core import review
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission
from podgraft.kube.admission.synthetic import SYNTHETIC_REVIEW
from podgraft.service.settings import Settings
from podgraft.service.store import DEFAULT_INJECTOR, CallerStore, Deadline, Store
from podgraft.service.store.factory import expire_stores


def prime(store: Store, callers: CallerStore, settings: Settings) -> None:
    """Load what requests need; with priming, also review a synthetic pod.

    If something does not load, the reviews that need it fail with the reason.
    """
    deadline = Deadline.from_timeout(None)
    steps: list[Callable[[], object]] = [
        lambda: store.snapshot(DEFAULT_INJECTOR, None, deadline),
        lambda: callers.callers(deadline),
    ]
    threads = [system.start_thread(partial(_run, step)) for step in steps]  # each waits for AWS
    for thread in threads:
        thread.join()
    if settings.priming_enabled:
        _run(lambda: _review(store))
        expire_stores(store, callers)


def _run(step: Callable[[], object]) -> None:
    # Lambda would log the complete message of an error, which can quote the configuration.
    with suppress(Exception):
        step()


def _review(store: Store) -> None:
    """Review a synthetic pod with the default injector; discard the response and the record."""
    request = admission.decode(jsonvalue.dump(SYNTHETIC_REVIEW).encode())
    outcome = review.inject(ReviewContext(injector=DEFAULT_INJECTOR).with_request(request), store)
    if isinstance(outcome, review.ReviewResponse):
        admission.encode(outcome.response)
