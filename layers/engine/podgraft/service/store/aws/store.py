"""The store in AWS, with a cache that serves stale values while AWS is unreachable.

A review uses one ``SnapshotSet``: one version of the policy parameter and the bundles that this
version names, never a mixture of versions. While a value is younger than the refresh interval, no
request is sent. If a refresh fails, the cached value remains in force with the reason. If the
newest version does not load, the newest earlier version that loads is in force, also at a cold
start (``injector_loader.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import NotLoadedError, StoreError, UnavailableError
from podgraft.core.versions.snapshot import Snapshot

from .client import RetryBudget
from .injector_loader import InjectorLoader, Loaded, Sources
from .polling_cache import CachedValue, PollingCache
from .s3 import BundleReader
from .ssm import ParameterReader

if TYPE_CHECKING:
    from podgraft.core.signing.verifier import Verifier


# Without a successful read in this many refresh intervals, a brake can exist: no candidate is used.
MAX_BRAKE_AGE = 3


class CachedStore:
    """A ``Store`` over Parameter Store and S3. Threads can share it.

    With ``deferred``, the first version parses a template when a review needs it, to shorten the
    cold start. Each later version is compiled completely before it is in force. With *verifier*,
    it verifies the signature of each version.
    """

    def __init__(
        self,
        policies: ParameterReader,
        bundles: BundleReader,
        refresh_seconds: float,
        clock: Callable[[], float] = system.age_clock,
        *,
        deferred: bool = False,
        verifier: Verifier | None = None,
    ) -> None:
        self._sources = Sources(
            policies=policies,
            bundles=bundles,
            refresh_seconds=refresh_seconds,
            deferred=deferred,
            clock=clock,
            verifier=verifier,
        )
        self._injectors: dict[str, InjectorLoader] = {}
        self._stored = PollingCache(self._list_injectors, refresh_seconds, clock)

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        """Return the snapshot in force, refreshed if due; raises ``StoreError`` without one."""
        loader = self._injectors.get(injector)
        if loader is not None:
            cached = loader.current.current(deadline)
            return self._select_snapshot(loader, cached, cluster, groups)
        fresh = InjectorLoader(injector, self._sources)
        try:
            cached = fresh.current.current(deadline)
        finally:
            # Only existing injectors: requests with invented names must not fill the memory.
            if fresh.exists:
                self._injectors.setdefault(injector, fresh)
        return self._select_snapshot(fresh, cached, cluster, groups)

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        """Return the injectors with a policy, and those that were loaded before.

        No review needs the list, and it is cached. While AWS is unreachable, the loaded injectors
        are the list.
        """
        loaded = set(self._injectors)
        try:
            stored = self._stored.current(deadline).value
        except UnavailableError:
            if not loaded:
                raise
            stored = ()
        return tuple(sorted(loaded | set(stored)))

    def _list_injectors(self, before: Sequence[str] | None, patience: RetryBudget) -> Sequence[str]:
        del before
        return self._sources.policies.injectors(patience)

    def expire(self) -> None:
        """Let the next review of each injector refresh its version."""
        for loader in self._injectors.values():
            loader.current.expire()

    def _select_snapshot(
        self,
        loader: InjectorLoader,
        cached: CachedValue[Loaded],
        cluster: str | None,
        groups: tuple[str, ...],
    ) -> Snapshot:
        loaded = cached.value
        if loaded.denial is not None:
            raise loaded.denial.with_traceback(None)
        if cached.error is None and loaded.rejection is None:
            snapshot = loaded.snapshots.for_cluster(cluster, None, groups)
        else:
            staleness = self._make_staleness(loaded, cached.error)
            snapshot = loaded.snapshots.for_cluster(cluster, staleness, groups)
        if snapshot.candidate is None:
            return snapshot
        from podgraft.core.versions.candidate import check_candidate  # only with a rollout

        age = self._sources.clock() - cached.confirmed_at
        is_stale = age > MAX_BRAKE_AGE * self._sources.refresh_seconds
        return check_candidate(snapshot, loader.stopped, loader.denied, is_stale=is_stale)

    def _make_staleness(self, loaded: Loaded, problem: StoreError | None) -> Staleness:
        age = round(self._sources.clock() - loaded.confirmed)
        reason = f"policy version {loaded.version}, confirmed {age} s ago, is in force: {problem}"
        if loaded.rejection is not None:
            newest = loaded.newest.version
            reason = (
                f"policy version {loaded.version} is in force instead of version {newest}: "
                f"{loaded.rejection}"
            )
            if problem is not None:
                reason = f"{reason}; {problem}"
        refused = isinstance(loaded.rejection or problem, NotLoadedError)
        return Staleness(reason, refused, age)
