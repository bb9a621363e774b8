"""The callers of all clusters in AWS, with a cache as for policies.

A stack with a registry has them in one object (``registry.py``). A stack without one has a
parameter for each cluster, which a refresh reads ten at a time.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.versions.errors import (
    InvalidVersionError,
    NotLoadedError,
    StoreError,
    UnavailableError,
)
from podgraft.kube import yaml
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers, TokensError
from podgraft.service.store.callers import CallerRegistry, LastKnownGood
from podgraft.service.store.registry_document import POINTER, Pointer

from .client import RetryBudget
from .polling_cache import PollingCache
from .registry import RegistryReader
from .ssm import Parameter, ParameterReader


class _Read(Struct, frozen=True):
    """All callers, and when they were read.

    ``pointer`` is the version of the registry, if the stack has one.
    """

    registry: CallerRegistry
    read_at: float
    pointer: Pointer | None = None


class CachedCallers:
    """A ``CallerStore`` over AWS. Threads can share it."""

    def __init__(
        self,
        source: ParameterReader,
        refresh_seconds: float,
        clock: Callable[[], float] = system.age_clock,
        registry: RegistryReader | None = None,
    ) -> None:
        self._source = source
        self._registry = registry
        self._clock = clock
        self._read = PollingCache(self._refresh, refresh_seconds, clock)

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        """Return the callers of every cluster; raises ``StoreError`` if they were never read."""
        cached = self._read.current(deadline)
        # Without a reading, the callers of all clusters are stale.
        outage = cached.error and LastKnownGood(cached.error, cached.confirmed_at)
        return replace(cached.value.registry, outage=outage, now=self._clock())

    def expire(self) -> None:
        """Let the next request read the callers."""
        self._read.expire()

    def drop(self) -> None:
        """Discard the callers: the next request must read them, or fails."""
        self._read.drop()

    def _refresh(self, before: _Read | None, patience: RetryBudget) -> _Read:
        pointer = None if self._registry is None else self._registry.pointer(patience)
        last = None if before is None else before.pointer
        if last is not None:
            _check_order(last, pointer)
        if self._registry is None or pointer is None or pointer.digest is None:
            return self._read_documents(before, pointer, patience)
        if before is not None and last is not None and last.digest == pointer.digest:
            return _Read(before.registry, self._clock(), pointer)
        decoded = self._registry.callers(pointer.digest, patience)
        parsed = {cluster: _to_store_error(cluster, own) for cluster, own in decoded.items()}
        return _Read(_merge(before, parsed), self._clock(), pointer)

    def _read_documents(
        self, before: _Read | None, pointer: Pointer | None, patience: RetryBudget
    ) -> _Read:
        parameters = self._source.callers(patience)
        parsed = {
            cluster: _parse_callers(cluster, parameter) for cluster, parameter in parameters.items()
        }
        return _Read(_merge(before, parsed), self._clock(), pointer)


def _check_order(last: Pointer, pointer: Pointer | None) -> None:
    """Raise ``StoreError`` if the registry is older than the one in force, or gone.

    Parameter Store can return an earlier version for a moment. A registry that is gone must not
    bring back documents that contain revoked tokens. One that was created again counts from 1, so
    the time decides first.
    """
    if pointer is None:
        raise NotLoadedError(f"parameter {POINTER} was deleted; run podgraft fleet adopt")
    if (pointer.stored_at, pointer.serial) < (last.stored_at, last.serial):
        raise UnavailableError(
            f"parameter {POINTER}: got version {pointer.serial}, which is older than version "
            f"{last.serial} in force"
        )


def _merge(before: _Read | None, parsed: Mapping[str, Callers | StoreError]) -> CallerRegistry:
    if before is None:
        return CallerRegistry().merge(parsed)
    return before.registry.merge(parsed, before.read_at)


def _to_store_error(cluster: str, callers: Callers | TokensError) -> Callers | StoreError:
    if isinstance(callers, Callers):
        return callers
    return InvalidVersionError(f"the callers of cluster {cluster}: {callers}")


def _parse_callers(cluster: str, document: Parameter) -> Callers | StoreError:
    """Parse the document of a cluster. No error quotes it: it can contain a token by accident."""
    try:
        return caller_document.load_callers(document.text)
    except TokensError as error:
        return _to_store_error(cluster, error)
    except yaml.NotYAMLError as error:
        problem = f"not one valid YAML document at {error.position}"
        return InvalidVersionError(f"the callers of cluster {cluster}: {problem}")
