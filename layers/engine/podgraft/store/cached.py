"""What is in AWS, kept while it is fresh, and longer while AWS is not there.

A review is answered from one ``Snapshots`` value, so from one version of the policy parameter and
the very bundles that it names, never from a mixture. Nothing is asked of the network while a value
is younger than the refresh interval. Where a refresh fails, or finds something that does not
compile, the value in force stays and says why.
"""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from podgraft import kubeyaml
from podgraft.records import dataclass

from . import tokens
from .aws import MissingError, Patience
from .book import Book, Kept, Pages
from .deadline import Deadline
from .errors import RefusedError, UnknownInjectorError, UnprovenError
from .refreshing import Held, Refreshing
from .snapshot import Snapshot, Snapshots, Stale, load
from .ssm import Parameter
from .tokens import Callers

if TYPE_CHECKING:
    from .proving import Proof


class PolicySource(Protocol):
    """Where policy documents are read; ``ssm.Parameters``."""

    def policy(self, injector: str, patience: Patience) -> Parameter:
        """The policy document of an injector."""
        ...


class BundleSource(Protocol):
    """Where bundles are read; ``s3.Bundles``."""

    def files(self, injector: str, digest: str | None, patience: Patience) -> Mapping[str, bytes]:
        """The verified files of one bundle."""
        ...


class CallerSource(Protocol):
    """Where it is read who may call; ``ssm.Parameters``."""

    def callers(self, patience: Patience) -> Mapping[str, Parameter]:
        """The document of every cluster."""
        ...


@dataclass(frozen=True, slots=True)
class _Loaded:
    version: str
    snapshots: Snapshots


class _Injector:
    """Loads one injector; a version that was refused once is not compiled again."""

    def __init__(
        self, name: str, policies: PolicySource, bundles: BundleSource, *, deferred: bool
    ) -> None:
        self._name = name
        self._deferred = deferred
        self._policies = policies
        self._bundles = bundles
        self._refusal: tuple[str, RefusedError] | None = None
        self._unproven: tuple[_Loaded, Proof] | None = None

    def refresh(self, before: _Loaded | None, patience: Patience) -> _Loaded:
        """What the policy parameter says now; raises ``StoreError``."""
        parameter = self._parameter(patience)
        if before is not None and parameter.version == before.version:
            self._unproven = None
            return before
        if self._refusal is not None and self._refusal[0] == parameter.version:
            raise self._refusal[1]

        try:
            if self._deferred and before is None:
                return _Loaded(parameter.version, self._load(parameter, patience, deferred=True))
            return self._proven(before, parameter, patience)
        except RefusedError as error:
            self._unproven = None
            self._refusal = parameter.version, error
            raise

    def _proven(self, before: _Loaded | None, parameter: Parameter, patience: Patience) -> _Loaded:
        """A version that has rendered probe objects, in the time of several reviews if need be.

        Raises ``UnprovenError`` if the patience ends first: the next refresh goes on.
        """
        if self._unproven is None or self._unproven[0].version != parameter.version:
            from .proving import Proof  # no cold start needs it

            loaded = _Loaded(parameter.version, self._load(parameter, patience, deferred=False))
            self._unproven = loaded, Proof(self._name, loaded.snapshots)
        loaded, proof = self._unproven
        # Without a version to go on with, nothing is gained by an end before the proof's.
        is_complete = proof.advance(lambda: before is not None and patience.left <= 0)
        if not is_complete:
            raise UnprovenError(f"version {parameter.version} is rendering its probe objects")
        self._unproven = None
        return loaded

    def _load(self, parameter: Parameter, patience: Patience, *, deferred: bool) -> Snapshots:
        def fetch(digest: str | None) -> Mapping[str, bytes]:
            return self._bundles.files(self._name, digest, patience)

        return load(self._name, parameter.text, parameter.version, fetch, deferred=deferred)

    def _parameter(self, patience: Patience) -> Parameter:
        try:
            return self._policies.policy(self._name, patience)
        except MissingError as error:
            raise UnknownInjectorError(f"injector {self._name!r} has no policy: {error}") from error


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
        self._policies = policies
        self._bundles = bundles
        self._deferred = deferred
        self._refresh_seconds = refresh_seconds
        self._clock = clock
        self._injectors: dict[str, Refreshing[_Loaded]] = {}

    def snapshot(
        self, injector: str, cluster: str | None, deadline: Deadline | None = None
    ) -> Snapshot:
        """The snapshot in force, refreshed where it is due; raises ``StoreError`` without any."""
        known = self._injectors.get(injector)
        if known is not None:
            return self._of(known.current(deadline), cluster)
        loading = _Injector(injector, self._policies, self._bundles, deferred=self._deferred)
        fresh = Refreshing(loading.refresh, self._refresh_seconds, self._clock)
        held = fresh.current(deadline)
        # Kept only now: names that nobody stored must not fill the memory.
        self._injectors.setdefault(injector, fresh)
        return self._of(held, cluster)

    def injectors(self) -> tuple[str, ...]:
        """The injectors that are loaded; AWS is not asked for others."""
        return tuple(sorted(self._injectors))

    def _of(self, held: Held[_Loaded], cluster: str | None) -> Snapshot:
        if held.problem is None:
            return held.value.snapshots.of(cluster)
        age = round(self._clock() - held.confirmed)
        version = held.value.version
        why = f"policy version {version}, confirmed {age} s ago, is in force: {held.problem}"
        refused = isinstance(held.problem, RefusedError)
        return held.value.snapshots.of(cluster, Stale(why, refused, age))


@dataclass(frozen=True, slots=True)
class _Read:
    """All callers as they were read, and when."""

    pages: Pages
    at: float


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
        self._read = Refreshing(self._refresh, refresh_seconds, clock)

    def callers(self, deadline: Deadline | None = None) -> Book:
        """The callers of every cluster; raises ``StoreError`` where they were never read."""
        held = self._read.current(deadline)
        pages = held.value.pages
        return Book(pages.callers, self._stale(held), pages.unread)

    def _refresh(self, before: _Read | None, patience: Patience) -> _Read:
        found = self._source.callers(patience)
        read = {cluster: _callers(cluster, document) for cluster, document in found.items()}
        pages = before.pages.turned(read, before.at) if before else Pages().turned(read)
        return _Read(pages, self._clock())

    def _stale(self, held: Held[_Read]) -> Mapping[str, Stale]:
        pages = held.value.pages
        kept = pages.kept
        if held.problem is not None:  # nothing was read: all clusters' are those of before
            every = Kept(held.confirmed, held.problem)
            kept = dict.fromkeys(pages.callers, every) | dict(kept)
        return {cluster: self._told(cluster, each) for cluster, each in kept.items()}

    def _told(self, cluster: str, kept: Kept) -> Stale:
        age = round(self._clock() - kept.confirmed)
        what = f"callers of cluster {cluster}, confirmed {age} s ago, are in force"
        return Stale(f"{what}: {kept.problem}", isinstance(kept.problem, RefusedError), age)


def _callers(cluster: str, document: Parameter) -> Callers | RefusedError:
    """Read one cluster's document; its text is never quoted, it may hold what it must not."""
    try:
        return tokens.parse(kubeyaml.load(document.text))
    except tokens.TokensError as error:
        return RefusedError(f"the callers of cluster {cluster}: {error}")
    except kubeyaml.NotYAMLError:
        return RefusedError(f"the callers of cluster {cluster}: not YAML")
