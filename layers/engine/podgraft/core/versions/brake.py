"""What stops candidates: brakes, which are documents, and the fuse of one environment.

A brake is separate from the policy, so a process that stops a candidate never races with an
operator who pushes a policy. A brake with invalid YAML, or without an id, stops every candidate in
its scope: its author certainly intended to stop one.
"""

from collections.abc import Iterable

from podgraft.base import system
from podgraft.kube import yaml

# The id that stops all rollouts.
ALL = "*"


def parse_brakes(texts: Iterable[str]) -> frozenset[str]:
    """Return the ids of the stopped rollouts; ``ALL`` for an invalid brake."""
    return frozenset(map(_parse_id, texts))


def is_stopped(rollout: str, stopped: frozenset[str]) -> bool:
    """Whether brakes stop a rollout."""
    return ALL in stopped or rollout in stopped


def _parse_id(text: str) -> str:
    try:
        brake = yaml.load_document(text)
    except yaml.NotYAMLError:
        return ALL
    id_ = brake.get("id") if isinstance(brake, dict) else None
    return id_ if isinstance(id_, str) and id_ else ALL


# A candidate that fails this often costs more time than it can show.
MAX_FAILURES = 5


class Fuse:
    """Counts the failures of one candidate. Threads can share it, environments cannot."""

    def __init__(self) -> None:
        self._failures = 0
        self._lock = system.make_lock()

    @property
    def is_open(self) -> bool:
        """Whether the candidate failed too often."""
        return self._failures >= MAX_FAILURES

    def record_failure(self) -> None:
        """Count a failure."""
        with self._lock:
            self._failures += 1

    def reset(self) -> None:
        """Start again, after a change of a brake."""
        with self._lock:
            self._failures = 0
