"""The callers of all clusters in Parameter Store, with a cache as for policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import InvalidVersionError, NotLoadedError
from podgraft.kube import yaml
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers
from podgraft.service.store.callers import CallerDocuments, CallerRegistry, LastKnownGood
from podgraft.service.store.polling_cache import CachedValue, PollingCache

from .client import RetryBudget
from .ssm import Parameter


class CallerSource(Protocol):
    """A source of caller documents; ``ssm.ParameterReader`` implements it."""

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """Return the document of every cluster."""
        ...


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
        clock: Callable[[], float] = system.age_clock,
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

    def drop(self) -> None:
        """Discard the callers: the next request must read them, or fails."""
        self._read.drop()

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
        return caller_document.parse_callers(yaml.load_document(document.text))
    except caller_document.TokensError as error:
        return InvalidVersionError(f"the callers of cluster {cluster}: {error}")
    except yaml.NotYAMLError as error:
        problem = f"not one valid YAML document at line {error.line} column {error.column}"
        return InvalidVersionError(f"the callers of cluster {cluster}: {problem}")
