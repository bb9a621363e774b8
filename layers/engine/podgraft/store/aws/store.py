"""What is in AWS, kept while it is fresh, and longer while AWS is not there.

A review is answered from one ``Snapshots`` value, so from one version of the policy parameter and
the very bundles that it names, never from a mixture. Nothing is asked of the network while a value
is younger than the refresh interval. If a refresh fails, the value in force stays and says why. If
the newest version does not load, the newest earlier version that loads is in force, at a cold start
too (``earlier.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from podgraft import yaml
from podgraft.deadline import Deadline
from podgraft.lazy_dataclass import dataclass
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
    """Where policy documents are read; ``ssm.Parameters``."""

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        """The policy document of an injector."""
        ...

    def policy_versions(
        self, injector: str, versions: Sequence[int], patience: RetryBudget
    ) -> Sequence[Parameter]:
        """Those of the versions of a policy document that still exist."""
        ...


class BundleSource(Protocol):
    """Where bundles are read; ``s3.Bundles``."""

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        """The verified files of one bundle."""
        ...


class CallerSource(Protocol):
    """Where it is read who may call; ``ssm.Parameters``."""

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """The document of every cluster."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The version in force, and the newest version: the same one, unless that was rejected.

    ``confirmed`` is when the version in force was last the newest one. For a version that never
    was the newest in this process, it is when that version was loaded.
    """

    version: str
    snapshots: SnapshotSet
    newest: Parameter
    confirmed: float
    rejection: NotLoadedError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sources:
    policies: PolicySource
    bundles: BundleSource
    deferred: bool
    clock: Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Unproven:
    """A version that loads, and has rendered a part of its probe objects."""

    parameter: Parameter
    snapshots: SnapshotSet
    proof: Proof


class _InjectorLoader:
    """The versions of one injector's policy. A version that was refused is not compiled again.

    ``unproven`` is a newer version between two refreshes; whoever continues with it takes it.
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
        """Whether the parameter was there, whatever it contains."""
        return self._newest is not None

    def _refresh(self, before: Loaded | None, patience: RetryBudget) -> Loaded:
        """The newest version that loads; raises ``StoreError``."""
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
        seen = self._newest
        if seen is not None and _is_recreated(seen, newest):
            self.load_errors.clear()
        self._newest = newest
        return newest

    def is_refused(self, parameter: Parameter) -> bool:
        """Compile a version completely that was loaded deferred; whether it is refused now.

        The next refresh is due at once then. A bundle that cannot be read again proves nothing.
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


def _is_recreated(seen: Parameter, newest: Parameter) -> bool:
    """Whether the parameter was deleted in between: its versions count from 1 again."""
    if int(newest.version) != int(seen.version):
        return int(newest.version) < int(seen.version)
    return newest.text != seen.text and newest.problem is None and seen.problem is None


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
        """Why versions cannot load, by version."""
        return self._injector.load_errors

    def read(self, versions: Sequence[int]) -> Sequence[Parameter]:
        """Those of the versions that still exist; one request."""
        policies = self._injector.sources.policies
        return policies.policy_versions(self._injector.name, versions, self._patience)

    def load(self, parameter: Parameter) -> Loaded:
        """Load a version; raises ``StoreError``. No version is in force without this."""
        if parameter.problem is not None:
            raise parameter.problem
        version = parameter.version
        if version in self.load_errors:
            # Raised again and again: without its old traceback, which would grow.
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
        """Load a version completely and render its probe objects, in several refreshes if need be.

        Raises ``UnprovenError`` if the patience ends before: the next refresh continues, and the
        version in force stays. Without one, nothing is gained by an end before the proof's.
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
    """A ``Store`` over a policy source and a bundle source. Threads may share it.

    With ``deferred``, what is loaded first has templates unparsed until a review needs them, so
    that a cold start is short; what replaces it is compiled whole before it is in force.
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
        """The snapshot in force, refreshed where it is due; raises ``StoreError`` without any."""
        known = self._injectors.get(injector)
        if known is not None:
            return self._select_snapshot(known.current.current(deadline), cluster)
        fresh = _InjectorLoader(injector, self._sources, self._refresh_seconds)
        try:
            held = fresh.current.current(deadline)
        finally:
            # Only what exists: names that nobody stored must not fill the memory.
            if fresh.exists:
                self._injectors.setdefault(injector, fresh)
        return self._select_snapshot(held, cluster)

    def injectors(self) -> tuple[str, ...]:
        """The injectors that exist and were requested; AWS is not asked for others."""
        return tuple(sorted(self._injectors))

    def _select_snapshot(self, held: CachedValue[Loaded], cluster: str | None) -> Snapshot:
        loaded = held.value
        if held.error is None and loaded.rejection is None:
            return loaded.snapshots.for_cluster(cluster)
        return loaded.snapshots.for_cluster(cluster, self._make_staleness(loaded, held.error))

    def _make_staleness(self, loaded: Loaded, problem: StoreError | None) -> Staleness:
        age = round(self._clock() - loaded.confirmed)
        why = f"policy version {loaded.version}, confirmed {age} s ago, is in force: {problem}"
        if loaded.rejection is not None:
            newest = loaded.newest.version
            why = (
                f"policy version {loaded.version} is in force instead of version {newest}: "
                f"{loaded.rejection}"
            )
            if problem is not None:
                why = f"{why}; {problem}"
        refused = isinstance(loaded.rejection or problem, NotLoadedError)
        return Staleness(why, refused, age)


@dataclass(frozen=True, slots=True)
class _TimestampedCallers:
    """All callers as they were read, and when."""

    documents: CallerDocuments
    read_at: float


class CachedCallers:
    """A ``CallerStore`` over Parameter Store. Threads may share it."""

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
        """The callers of every cluster; raises ``StoreError`` where they were never read."""
        held = self._read.current(deadline)
        pages = held.value.documents
        return CallerRegistry(pages.callers, self._stale_clusters(held), pages.load_errors)

    def _refresh(
        self, before: _TimestampedCallers | None, patience: RetryBudget
    ) -> _TimestampedCallers:
        found = self._source.callers(patience)
        read = {cluster: _parse_callers(cluster, document) for cluster, document in found.items()}
        pages = (
            before.documents.merge(read, before.read_at)
            if before
            else CallerDocuments().merge(read)
        )
        return _TimestampedCallers(pages, self._clock())

    def _stale_clusters(self, held: CachedValue[_TimestampedCallers]) -> Mapping[str, Staleness]:
        pages = held.value.documents
        kept = pages.last_known_good
        if held.error is not None:  # nothing was read: all clusters' are those of before
            every = LastKnownGood(held.confirmed_at, held.error)
            kept = dict.fromkeys(pages.callers, every) | dict(kept)
        return {cluster: self._describe_stale(cluster, each) for cluster, each in kept.items()}

    def _describe_stale(self, cluster: str, kept: LastKnownGood) -> Staleness:
        age = round(self._clock() - kept.confirmed_at)
        what = f"callers of cluster {cluster}, confirmed {age} s ago, are in force"
        return Staleness(f"{what}: {kept.problem}", isinstance(kept.problem, NotLoadedError), age)


def _parse_callers(cluster: str, document: Parameter) -> Callers | InvalidVersionError:
    """Read one cluster's document; its text is never quoted, it may hold what it must not."""
    try:
        return caller_document.parse_callers(yaml.load(document.text))
    except caller_document.TokensError as error:
        return InvalidVersionError(f"the callers of cluster {cluster}: {error}")
    except yaml.NotYAMLError:
        return InvalidVersionError(f"the callers of cluster {cluster}: not YAML")
