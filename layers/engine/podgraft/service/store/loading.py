"""Loading during init: AWS responds while the process imports the rest of its modules.

The time of two connections with TLS and of the reads is about that of the imports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.versions.snapshot import Store

from .protocols import CallerStore


def start_loading(store: Store, callers: CallerStore) -> Sequence[system.Thread]:
    """Start to load the default injector and the callers; join the threads before the first use.

    If something does not load, the reviews that need it fail with the reason.
    """
    deadline = Deadline.from_timeout(None)
    steps: tuple[Callable[[], object], ...] = (
        lambda: store.snapshot(DEFAULT_INJECTOR, None, deadline),
        lambda: callers.callers(deadline),
    )
    return [system.start_thread(partial(_run, step)) for step in steps]  # each waits for AWS


def _run(step: Callable[[], object]) -> None:
    # Lambda would log the complete message of an error, which can quote the configuration.
    with suppress(Exception):
        step()
