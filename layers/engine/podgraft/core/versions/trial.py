"""Proofs: a version must render probe objects before it replaces the version in force.

The first version of a process needs no proof: there is no other version, and a cold start must not
take longer. ``prove`` is for callers that can choose between versions.
"""

from collections.abc import Callable, Iterable, Iterator

from podgraft.base import system
from podgraft.core.injectors.errors import redact
from podgraft.core.trial import Report, try_bundle

from .errors import InvalidVersionError
from .snapshot import Snapshot


class Proof:
    """The trials of all bundles of one version, for all clusters. Threads may share it."""

    def __init__(self, injector: str, snapshots: Iterable[Snapshot]) -> None:
        self._injector = injector
        self._lock = system.make_lock()
        self._trials = [*map(_start_trial, _find_distinct(snapshots))]

    def advance(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Continue until the proof is complete, or ``is_over``; return whether it is complete.

        Each call runs at least one rendering, unless another thread runs one. Raises
        ``InvalidVersionError`` with all errors of the first invalid bundle.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._advance(is_over)
        finally:
            self._lock.release()

    def _advance(self, is_over: Callable[[], bool]) -> bool:
        while self._trials:
            report, steps = self._trials[0]
            if any(is_over() for _ in steps):
                return False
            # The trial stays here: another call raises the same error.
            if errors := (*report.errors, *report.unlisted):
                raise InvalidVersionError(
                    f"injector {self._injector} does not load: bundle: "
                    f"{'. '.join(map(str, errors))}"
                )
            self._trials.pop(0)
        return True


def _start_trial(snapshot: Snapshot) -> tuple[Report, Iterator[None]]:
    # Errors end in the log: without values of the bundle's own objects.
    report = Report(redact, snapshot.policy.allows)
    return report, try_bundle(snapshot.bundle, snapshot.policy, report)


def prove(injector: str, snapshots: Iterable[Snapshot]) -> None:
    """Raise ``InvalidVersionError`` if a bundle of this version does not render."""
    Proof(injector, snapshots).advance()


def _find_distinct(snapshots: Iterable[Snapshot]) -> Iterator[Snapshot]:
    """Return the snapshots with bundles that can have different trials."""
    distinct: list[Snapshot] = []
    for snapshot in snapshots:
        if not any(_compiles_alike(snapshot, other) for other in distinct):
            distinct.append(snapshot)
            yield snapshot


def _compiles_alike(left: Snapshot, right: Snapshot) -> bool:
    return left.bundle.digest == right.bundle.digest and left.policy.renders_like(right.policy)
