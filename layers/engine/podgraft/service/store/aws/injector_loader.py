"""The loader of one injector from AWS: its newest policy version that loads, with its bundles.

A version is in force only after all of it was loaded. A version that does not load is not compiled
again; ``earlier_versions.py`` then finds the newest earlier one that loads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.versions.errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
    UnprovenError,
    UntrustedError,
)
from podgraft.core.versions.snapshot import BundleCache, SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots
from podgraft.core.versions.version_check import VersionCheck, parse_denied
from podgraft.service.store.names import DENIED

from .client import MissingError, RetryBudget
from .polling_cache import PollingCache
from .s3 import BundleReader
from .ssm import MissingPolicyError, Parameter, ParameterReader

if TYPE_CHECKING:
    from podgraft.core.signing.verifier import Verifier
    from podgraft.core.versions.trial import Proof


class Loaded(Struct, frozen=True, kw_only=True):
    """The version in force, and the newest version: the same one, unless that was rejected.

    ``confirmed`` is when the version in force was last the newest one. For a version that never
    was the newest in this process, it is when that version was loaded. ``denial`` is set if a
    bundle of the version in force was denied, and no other version loads. ``is_deleted`` is set if
    the parameter of the version in force was deleted, and created again.
    """

    version: str
    snapshots: SnapshotSet
    newest: Parameter
    confirmed: float
    rejection: NotLoadedError | None = None
    denial: StoreError | None = None
    is_deleted: bool = False


class Sources(Struct, frozen=True, kw_only=True):
    """What the loaders of a store have in common."""

    policies: ParameterReader
    bundles: BundleReader
    refresh_seconds: float
    deferred: bool
    clock: Callable[[], float]
    verifier: Verifier | None = None


def _is_usable(loaded: Loaded) -> bool:
    """Whether a version answers reviews, or only another read can tell which one does."""
    return not isinstance(loaded.denial, UnavailableError)


class _Unproven(Struct, frozen=True):
    """A version that loads, and has rendered a part of its probe objects."""

    parameter: Parameter
    snapshots: SnapshotSet
    proof: Proof


class InjectorLoader:
    """The loader of one injector. It does not compile a rejected version again.

    ``unproven`` is a newer version between two refreshes. The next refresh continues its proof.
    """

    def __init__(self, name: str, sources: Sources) -> None:
        self.name = name
        self.sources = sources
        self.load_errors: dict[str, StoreError] = {}
        self.current = PollingCache(
            self._refresh, sources.refresh_seconds, sources.clock, usable=_is_usable
        )
        self.unproven: _Unproven | None = None
        self.denied: Mapping[str, str] = {}
        self.stopped = frozenset[str]()  # the rollouts that brakes stop
        self._brakes: tuple[str, ...] = ()
        self._newest: Parameter | None = None
        self._complete = ""  # the last version that was compiled completely after a deferred load
        self._lock = system.make_lock()

    @property
    def exists(self) -> bool:
        """Whether the parameter exists, valid or not."""
        return self._newest is not None

    def _refresh(self, before: Loaded | None, patience: RetryBudget) -> Loaded:
        """Return the newest version that loads; raises ``StoreError``."""
        try:
            newest = self._read_newest(patience)
        except UnknownInjectorError as error:
            # A version that was in force remains after a deletion, but not with a denied bundle.
            if before is not None and self._is_denied(before):
                return replace(before, denial=error)
            raise
        deferred = self.sources.deferred and before is None
        if before is not None and self._is_denied(before):
            return self._replace_denied(before, newest, patience)
        if before is not None and before.version in self.load_errors:
            before = None
        if before is not None and before.rejection is None and before.newest == newest:
            return replace(self._retry_candidate(before, patience), confirmed=self.sources.clock())
        return self._load(newest, before, patience, deferred=deferred)

    def _replace_denied(self, before: Loaded, newest: Parameter, patience: RetryBudget) -> Loaded:
        """Return another version than one with a denied bundle; without one, reviews fail."""
        try:
            return self._load(newest, None, patience, deferred=False)
        except StoreError as error:
            return replace(before, newest=newest, denial=error)

    def _retry_candidate(self, loaded: Loaded, patience: RetryBudget) -> Loaded:
        """Load a candidate again that could not be read; the stable configuration remains."""
        if loaded.snapshots.default.candidate is None:
            return loaded
        from podgraft.core.versions.candidate import reload_candidates

        attempt = Attempt(self, patience, deferred=False, can_wait=True)
        compiler = BundleCache(attempt.fetch, self.make_check(loaded.newest))
        return replace(loaded, snapshots=reload_candidates(loaded.snapshots, compiler))

    def _is_denied(self, loaded: Loaded) -> bool:
        found = VersionCheck(denied=self.denied).find_denial(loaded.snapshots.digests)
        return loaded.denial is not None or found is not None

    def _load(
        self, newest: Parameter, before: Loaded | None, patience: RetryBudget, *, deferred: bool
    ) -> Loaded:
        attempt = Attempt(self, patience, deferred=deferred, can_wait=before is not None)
        try:
            return attempt.load(newest)
        except NotLoadedError as error:
            if before is not None and self._is_recreated(before.newest, newest, patience):
                before = replace(before, is_deleted=True)
            # Imported here: no start with a valid newest version needs it.
            from .earlier_versions import load_earlier

            return load_earlier(attempt, newest, error, before)

    def _read_newest(self, patience: RetryBudget) -> Parameter:
        try:
            newest = self.sources.policies.policy(self.name, patience)
        except MissingError as error:
            last_read = self._newest
            denied = error.denied if isinstance(error, MissingPolicyError) else None
            if last_read is not None and denied not in (None, last_read.denied):
                self._newest = replace(last_read, denied=denied)
                self._read_denied(self._newest)
            raise UnknownInjectorError(
                f"injector {self.name!r} has no policy: {error}; "
                f"create it: podgraft push --injector {self.name}"
            ) from error
        last_read = self._newest
        if self.load_errors and last_read and self._is_recreated(last_read, newest, patience):
            self.load_errors.clear()
        # An invalid deny list must not hide a brake.
        if newest.brakes != self._brakes:
            self._read_brakes(newest.brakes)
        if last_read is None or last_read.denied != newest.denied:
            self._read_denied(newest)
        # A change of a brake alone compiles nothing.
        self._newest = replace(newest, brakes=())
        return self._newest

    def _is_recreated(self, last_read: Parameter, newest: Parameter, patience: RetryBudget) -> bool:
        """Whether the parameter was deleted in between: its versions count from 1 again.

        After more versions than before, only a comparison of the same version shows it. If that
        cannot be read, the parameter counts as created again: then more versions are tried.
        """
        number, same = int(last_read.version), newest
        if int(newest.version) < number:
            return True
        if int(newest.version) > number:
            try:
                found = self.sources.policies.policy_versions(self.name, [number], patience)
            except StoreError:
                found = ()
            if not found:
                return True
            same = found[0]
        return same.text != last_read.text and same.problem is None and last_read.problem is None

    def _read_brakes(self, brakes: tuple[str, ...]) -> None:
        """Parse the brakes; a change closes the fuse again."""
        from podgraft.core.versions.brake import parse_brakes  # most stores have no brake

        self.stopped = parse_brakes(brakes)
        self._brakes = brakes
        cached = self.current.cached_value
        candidate = None if cached is None else cached.value.snapshots.default.candidate
        if candidate is not None:
            candidate.fuse.reset()

    def _read_denied(self, newest: Parameter) -> None:
        """Parse the deny list; what it denied before can load now."""
        self.denied = parse_denied(newest.denied, f"parameter {DENIED}")
        for version, error in [*self.load_errors.items()]:
            if isinstance(error, UntrustedError):
                del self.load_errors[version]

    def make_check(self, parameter: Parameter) -> VersionCheck:
        """Return the check of one version."""
        return VersionCheck(
            subject=parameter.name,
            number=int(parameter.version),
            verifier=self.sources.verifier,
            denied=self.denied,
        )

    def is_refused(self, parameter: Parameter) -> bool:
        """Compile a lazily loaded version completely; return whether it is rejected.

        If so, the next call refreshes. A bundle that is unreadable now does not count as rejected.
        """
        with self._lock:
            if parameter.version not in (self._complete, *self.load_errors):
                patience = RetryBudget.from_seconds(
                    Deadline.from_timeout(None).remaining_seconds(has_value=False)
                )
                try:
                    Attempt(self, patience, deferred=False, can_wait=True).load(parameter)
                except InvalidVersionError:
                    self.current.expire()
                except StoreError:
                    return False
                else:
                    self._complete = parameter.version
            return parameter.version in self.load_errors


class Attempt(Struct):
    """One refresh: a bundle that is missing or damaged is requested once for all versions."""

    injector: InjectorLoader
    patience: RetryBudget
    deferred: bool
    can_wait: bool
    failures: dict[str | None, NotLoadedError] = field(
        default_factory=dict["str | None", NotLoadedError]
    )

    def load(self, parameter: Parameter) -> Loaded:
        """Load a version; raises ``StoreError``. Every version in force was loaded here."""
        if parameter.problem is not None:
            raise parameter.problem
        injector, version = self.injector, parameter.version
        if version in injector.load_errors:
            # The same error is raised repeatedly. Without this, its traceback would grow.
            raise injector.load_errors[version].with_traceback(None)
        try:
            load = self._load_snapshots if self.deferred else self._prove
            snapshots = load(parameter)
        except InvalidVersionError as error:
            # Without its cause, which refers to the files of the bundle.
            injector.load_errors[version] = type(error)(str(error))
            raise
        if self.deferred:
            snapshots = snapshots.with_recheck(lambda: injector.is_refused(parameter))
        now = injector.sources.clock()
        return Loaded(version=version, snapshots=snapshots, newest=parameter, confirmed=now)

    def _load_snapshots(self, parameter: Parameter) -> SnapshotSet:
        return load_snapshots(
            self.injector.name,
            parameter.text,
            parameter.version,
            self.fetch,
            parse_lazily=self.deferred,
            check=self.injector.make_check(parameter),
        )

    def _prove(self, parameter: Parameter) -> SnapshotSet:
        """Load a version completely and render its probe objects, in several refreshes if needed.

        Raises ``UnprovenError`` if the retry budget ends first. The next refresh continues, and the
        version in force remains. Without a version in force, the proof always runs to its end.
        """
        from podgraft.core.versions.trial import Proof  # no cold start needs it

        injector, unproven = self.injector, self.injector.unproven
        if unproven is None or unproven.parameter != parameter:
            snapshots = self._load_snapshots(parameter)
            unproven = _Unproven(parameter, snapshots, Proof(injector.name, snapshots.values()))
        injector.unproven = None
        if not unproven.proof.advance(
            lambda: self.can_wait and self.patience.remaining_seconds <= 0
        ):
            injector.unproven = unproven
            raise UnprovenError(f"policy version {parameter.version} still renders probe objects")
        return unproven.snapshots

    def fetch(self, digest: str | None) -> Mapping[str, bytes]:
        """Return the files of a bundle; raises ``StoreError``."""
        injector = self.injector
        if digest in self.failures:
            raise self.failures[digest].with_traceback(None)
        try:
            return injector.sources.bundles.files(injector.name, digest, self.patience)
        except NotLoadedError as error:
            self.failures[digest] = error
            raise
