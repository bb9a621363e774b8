"""Proofs: a version renders probe objects before it replaces the version in force.

The first version of a process is loaded without one, since there is nothing to fall back on and a
cold start must not take longer. ``prove`` is for those who can choose between versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock

from podgraft.injectors import redact
from podgraft.trial import Trial

from .errors import InvalidVersionError
from .snapshot import Snapshot, SnapshotSet


class Proof:
    """The trials of all bundles of one version, for all clusters. Threads may share it."""

    def __init__(self, injector: str, snapshots: SnapshotSet) -> None:
        self._injector = injector
        self._lock = Lock()
        # Errors end in the log: without values of the bundle's own objects.
        self._trials = [Trial(each.bundle, each.policy, redact) for each in _distinct(snapshots)]

    def advance(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Go on until the proof is complete, or ``is_over``; return whether it is complete.

        At least one rendering is done each time, unless another thread is at it. Raises
        ``RefusedError`` with all errors of the first bundle that has any.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._advance(is_over)
        finally:
            self._lock.release()

    def _advance(self, is_over: Callable[[], bool]) -> bool:
        while self._trials:
            trial = self._trials[0]
            if not trial.advance(is_over):
                return False
            if trial.errors:
                found = ". ".join(map(str, trial.errors))
                raise InvalidVersionError(
                    f"injector {self._injector} does not load: bundle: {found}"
                )
            self._trials.pop(0)
        return True


def prove(injector: str, snapshots: SnapshotSet) -> None:
    """Raise ``RefusedError`` if a bundle of this version does not render."""
    Proof(injector, snapshots).advance()


def _distinct(snapshots: SnapshotSet) -> Iterator[Snapshot]:
    """The snapshots with bundles that were compiled separately."""
    known: list[Snapshot] = []
    for snapshot in (snapshots.default, *snapshots.clusters.values()):
        if not any(_compiles_alike(snapshot, other) for other in known):
            known.append(snapshot)
            yield snapshot


def _compiles_alike(one: Snapshot, other: Snapshot) -> bool:
    return one.bundle.digest == other.bundle.digest and one.policy.shares_bundle_with(other.policy)
