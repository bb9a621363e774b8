"""The store in AWS, with a cache that serves stale values while AWS is unreachable.

A review uses one ``SnapshotSet``: one version of the policy parameter and the bundles that this
version names, never a mixture of versions. While a value is younger than the refresh interval, no
request is sent. If a refresh fails, the cached value remains in force with the reason. If the
newest version does not load, the newest earlier version that loads is in force, also at a cold
start (``earlier_versions.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from podgraft import yaml
from podgraft.deadline import Deadline
from podgraft.review_context import Staleness
from podgraft.store import caller_document
from podgraft.store.caller_document import Callers
from podgraft.store.callers import CallerDocuments, CallerRegistry, LastKnownGood
from podgraft.store.errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnknownInjectorError,
    UnprovenError,
)
from podgraft.store.polling_cache import CachedValue, PollingCache
from podgraft.store.snapshot import Snapshot, SnapshotSet, load_snapshots

from .client import MissingError, RetryBudget
from .ssm import Parameter

if TYPE_CHECKING:
    from podgraft.store.trial import Proof


class PolicySource(Protocol):
    """A source of policy documents; ``ssm.ParameterReader`` implements it."""

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        """Return the policy document of an injector."""
        ...

    def policy_versions(
        self, injector: str, versions: Sequence[int], patience: RetryBudget
    ) -> Sequence[Parameter]:
        """Return the versions of a policy document that still exist."""
        ...


class BundleSource(Protocol):
    """A source of bundles; ``s3.BundleReader`` implements it."""

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        """Return the verified files of one bundle."""
        ...


class CallerSource(Protocol):
    """A source of caller documents; ``ssm.ParameterReader`` implements it."""

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """Return the document of every cluster."""
        ...


class Loaded(Struct, frozen=True, kw_only=True):
    """The version in force, and the newest version: the same one, unless that was rejected.

    ``confirmed`` is when the version in force was last the newest one. For a version that never
    was the newest in this process, it is when that version was loaded.
    """

    version: str
    snapshots: SnapshotSet
    newest: Parameter
    confirmed: float
    rejection: NotLoadedError | None = None


class _Sources(Struct, frozen=True, kw_only=True):
    policies: PolicySource
    bundles: BundleSource
    deferred: bool
    clock: Callable[[], float]


class _Unproven(Struct, frozen=True):
    """A version that loads, and has rendered a part of its probe objects."""

    parameter: Parameter
    snapshots: SnapshotSet
    proof: Proof


class _InjectorLoader:
    """The loader of one injector. It does not compile a rejected version again.

    ``unproven`` is a newer version between two refreshes. The next refresh continues its proof.
    """

    def __init__(self, name: str, sources: _Sources, refresh_seconds: float) -> None:
        self.name = name
        self.sources = sources
        self.load_errors: dict[str, StoreError] = {}
        self.current = PollingCache(self._refresh, refresh_seconds, sources.clock)
        self.unproven: _Unproven | None = None
        self._newest: Parameter | None = None
        self._complete = ""  # the last version that was compiled completely after a deferred load
        self._lock = Lock()

    @property
    def exists(self) -> bool:
        """Whether the parameter exists, valid or not."""
        return self._newest is not None

    def _refresh(self, before: Loaded | None, patience: RetryBudget) -> Loaded:
        """Return the newest version that loads; raises ``StoreError``."""
        newest = self._read_newest(patience)
        if before is not None and before.version in self.load_errors:
            before = None
        if before is not None and before.rejection is None and before.newest == newest:
            return replace(before, confirmed=self.sources.clock())
        deferred = self.sources.deferred and before is None
        attempt = _Attempt(self, patience, deferred=deferred, can_wait=before is not None)
        try:
            return attempt.load(newest)
        except NotLoadedError as error:
            # Imported here: no start with a valid newest version needs it.
            from .earlier_versions import Rejected, load_earlier

            return load_earlier(attempt, Rejected(newest=newest, problem=error, before=before))

    def _read_newest(self, patience: RetryBudget) -> Parameter:
        try:
            newest = self.sources.policies.policy(self.name, patience)
        except MissingError as error:
            raise UnknownInjectorError(
                f"injector {self.name!r} has no policy: {error}; "
                f"create it: podgraft policy push --injector {self.name}"
            ) from error
        last_read = self._newest
        if last_read is not None and _is_recreated(last_read, newest):
            self.load_errors.clear()
        self._newest = newest
        return newest

    def is_refused(self, parameter: Parameter) -> bool:
        """Compile a lazily loaded version completely; return whether it is rejected.

        If so, the next call refreshes. A bundle that is unreadable now does not count as rejected.
        """
        with self._lock:
            if parameter.version not in (self._complete, *self.load_errors):
                patience = RetryBudget.from_seconds(
                    Deadline.from_timeout(None).remaining_seconds(has_value=False),
                    self.sources.clock,
                )
                try:
                    _Attempt(self, patience, deferred=False, can_wait=True).load(parameter)
                except InvalidVersionError:
                    self.current.expire()
                except StoreError:
                    return False
                else:
                    self._complete = parameter.version
            return parameter.version in self.load_errors


def _is_recreated(last_read: Parameter, newest: Parameter) -> bool:
    """Whether the parameter was deleted in between: its versions count from 1 again."""
    if int(newest.version) != int(last_read.version):
        return int(newest.version) < int(last_read.version)
    return newest.text != last_read.text and newest.problem is None and last_read.problem is None


class _Attempt:
    """One refresh: a bundle that is missing or damaged is requested once for all versions."""

    def __init__(
        self, injector: _InjectorLoader, patience: RetryBudget, *, deferred: bool, can_wait: bool
    ) -> None:
        self._injector = injector
        self._patience = patience
        self._deferred = deferred
        self._can_wait = can_wait
        self._failures: dict[str | None, NotLoadedError] = {}

    @property
    def load_errors(self) -> dict[str, StoreError]:
        """The errors of versions that cannot load, by version."""
        return self._injector.load_errors

    def read(self, versions: Sequence[int]) -> Sequence[Parameter]:
        """Return the versions that still exist, with one request."""
        policies = self._injector.sources.policies
        return policies.policy_versions(self._injector.name, versions, self._patience)

    def load(self, parameter: Parameter) -> Loaded:
        """Load a version; raises ``StoreError``. Every version in force was loaded here."""
        if parameter.problem is not None:
            raise parameter.problem
        version = parameter.version
        if version in self.load_errors:
            # The same error is raised repeatedly. Without this, its traceback would grow.
            raise self.load_errors[version].with_traceback(None)
        injector = self._injector
        try:
            snapshots = self._load_deferred(parameter) if self._deferred else self._prove(parameter)
        except InvalidVersionError as error:
            # Without its cause, which refers to the files of the bundle.
            self.load_errors[version] = InvalidVersionError(str(error))
            raise
        if self._deferred:
            snapshots = snapshots.with_recheck(lambda: injector.is_refused(parameter))
        now = injector.sources.clock()
        return Loaded(version=version, snapshots=snapshots, newest=parameter, confirmed=now)

    def _load_deferred(self, parameter: Parameter) -> SnapshotSet:
        name, text, version = self._injector.name, parameter.text, parameter.version
        return load_snapshots(name, text, version, self._fetch, parse_lazily=True)

    def _prove(self, parameter: Parameter) -> SnapshotSet:
        """Load a version completely and render its probe objects, in several refreshes if needed.

        Raises ``UnprovenError`` if the retry budget ends first. The next refresh continues, and the
        version in force remains. Without a version in force, the proof always runs to its end.
        """
        from podgraft.store.trial import Proof  # no cold start needs it

        injector, unproven = self._injector, self._injector.unproven
        if unproven is None or unproven.parameter != parameter:
            name, text, version = injector.name, parameter.text, parameter.version
            snapshots = load_snapshots(name, text, version, self._fetch)
            unproven = _Unproven(parameter, snapshots, Proof(name, snapshots))
        injector.unproven = None
        if not unproven.proof.advance(
            lambda: self._can_wait and self._patience.remaining_seconds <= 0
        ):
            injector.unproven = unproven
            raise UnprovenError(f"policy version {parameter.version} still renders probe objects")
        return unproven.snapshots

    def _fetch(self, digest: str | None) -> Mapping[str, bytes]:
        injector = self._injector
        if digest in self._failures:
            raise self._failures[digest].with_traceback(None)
        try:
            return injector.sources.bundles.files(injector.name, digest, self._patience)
        except NotLoadedError as error:
            self._failures[digest] = error
            raise


class CachedStore:
    """A ``Store`` over a policy source and a bundle source. Threads can share it.

    With ``deferred``, the first version parses a template when a review needs it, to shorten the
    cold start. Each later version is compiled completely before it is in force.
    """

    def __init__(
        self,
        policies: PolicySource,
        bundles: BundleSource,
        refresh_seconds: float,
        clock: Callable[[], float] = monotonic,
        *,
        deferred: bool = False,
    ) -> None:
        self._sources = _Sources(policies=policies, bundles=bundles, deferred=deferred, clock=clock)
        self._refresh_seconds = refresh_seconds
        self._clock = clock
        self._injectors: dict[str, _InjectorLoader] = {}

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """Return the snapshot in force, refreshed if due; raises ``StoreError`` without one."""
        loader = self._injectors.get(injector)
        if loader is not None:
            return self._select_snapshot(loader.current.current(deadline), cluster)
        fresh = _InjectorLoader(injector, self._sources, self._refresh_seconds)
        try:
            cached = fresh.current.current(deadline)
        finally:
            # Only existing injectors: requests with invented names must not fill the memory.
            if fresh.exists:
                self._injectors.setdefault(injector, fresh)
        return self._select_snapshot(cached, cluster)

    def injectors(self) -> tuple[str, ...]:
        """Return the injectors that exist and were requested; this sends no request to AWS."""
        return tuple(sorted(self._injectors))

    def expire(self) -> None:
        """Let the next review of each injector refresh its version."""
        for loader in self._injectors.values():
            loader.current.expire()

    def _select_snapshot(self, cached: CachedValue[Loaded], cluster: str | None) -> Snapshot:
        loaded = cached.value
        if cached.error is None and loaded.rejection is None:
            return loaded.snapshots.for_cluster(cluster)
        return loaded.snapshots.for_cluster(cluster, self._make_staleness(loaded, cached.error))

    def _make_staleness(self, loaded: Loaded, problem: StoreError | None) -> Staleness:
        age = round(self._clock() - loaded.confirmed)
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


class _TimestampedCallers(Struct, frozen=True):
    """All caller documents, and when they were read."""

    documents: CallerDocuments
    read_at: float


class CachedCallers:
    """A ``CallerStore`` over Parameter Store. Threads can share it."""

    def __init__(
        self,
        source: CallerSource,
        refresh_seconds: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._source = source
        self._clock = clock
        self._read = PollingCache(self._refresh, refresh_seconds, clock)

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        """Return the callers of every cluster; raises ``StoreError`` if they were never read."""
        cached = self._read.current(deadline)
        documents = cached.value.documents
        return CallerRegistry(
            documents.callers, self._stale_clusters(cached), documents.load_errors
        )

    def expire(self) -> None:
        """Let the next request read the callers."""
        self._read.expire()

    def _refresh(
        self, before: _TimestampedCallers | None, patience: RetryBudget
    ) -> _TimestampedCallers:
        parameters = self._source.callers(patience)
        parsed = {
            cluster: _parse_callers(cluster, parameter) for cluster, parameter in parameters.items()
        }
        documents = (
            before.documents.merge(parsed, before.read_at)
            if before
            else CallerDocuments().merge(parsed)
        )
        return _TimestampedCallers(documents, self._clock())

    def _stale_clusters(self, cached: CachedValue[_TimestampedCallers]) -> Mapping[str, Staleness]:
        documents = cached.value.documents
        last_known_good = documents.last_known_good
        if cached.error is not None:  # nothing was read, so the callers of all clusters are stale
            for_all = LastKnownGood(cached.confirmed_at, cached.error)
            last_known_good = dict.fromkeys(documents.callers, for_all) | dict(last_known_good)
        return {
            cluster: self._describe_stale(cluster, each)
            for cluster, each in last_known_good.items()
        }

    def _describe_stale(self, cluster: str, last_known_good: LastKnownGood) -> Staleness:
        age = round(self._clock() - last_known_good.confirmed_at)
        subject = f"callers of cluster {cluster}, confirmed {age} s ago, are in force"
        return Staleness(
            f"{subject}: {last_known_good.problem}",
            isinstance(last_known_good.problem, NotLoadedError),
            age,
        )


def _parse_callers(cluster: str, document: Parameter) -> Callers | InvalidVersionError:
    """Parse the document of a cluster. No error quotes it: it can contain a token by accident."""
    try:
        return caller_document.parse_callers(yaml.load(document.text))
    except caller_document.TokensError as error:
        return InvalidVersionError(f"the callers of cluster {cluster}: {error}")
    except yaml.NotYAMLError:
        return InvalidVersionError(f"the callers of cluster {cluster}: not YAML")
