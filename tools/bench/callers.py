"""The cost of authentication with the number of clusters: of finding a token, and of a refresh.

``cold`` measures the start of a function with many clusters.
"""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from podgraft.service.http.authentication import make_authenticator
from podgraft.service.http.request import Request
from podgraft.service.settings import Auth
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.client import RetryBudget
from podgraft.service.store.aws.ssm import Parameter
from podgraft.service.store.caller_document import Callers, TokenHash, TokensError, hash_token
from podgraft.service.store.caller_token import ID_BYTES, SECRET_BYTES, make_token, parse_token
from podgraft.service.store.registry_document import Pointer, decode_registry, encode_registry

from .scaling import CONSTANT, Make, Series

CLUSTERS = (1, 300, 3_000)
# A refresh of a fleet costs at most this ratio of that of one cluster.
_SAME = 1.2
_EXPIRES = "9999-12-31"


class MemoryRegistry:
    """A registry in memory, as the function finds it in AWS."""

    def __init__(self, clusters: int) -> None:
        self._digest, self._content = encode_registry(make_fleet(clusters))
        self._pointer = Pointer(serial=1, digest=self._digest, clusters=clusters)

    def pointer(self, patience: RetryBudget) -> Pointer:
        """Return the pointer."""
        del patience
        return self._pointer

    def callers(self, digest: str, patience: RetryBudget) -> Mapping[str, Callers | TokensError]:
        """Decode the object."""
        del patience
        return decode_registry(self._content, digest)


class _NoDocuments:
    """A stack whose callers are all in the registry."""

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """Return no documents."""
        del patience
        return {}


_NO_DOCUMENTS: Any = _NoDocuments()


def make_fleet(clusters: int, others: Mapping[str, Callers] = {}) -> Mapping[str, Callers]:
    """Return the callers of a fleet, and of *others*."""
    fleet = {f"prod-eu-{number:04}": _make_callers(number) for number in range(clusters)}
    return {**fleet, **others}


def make_caller_series() -> Iterator[Series]:
    """Return one series for each event."""
    registries = {size: MemoryRegistry(size) for size in CLUSTERS}
    for name, description, makers, ratio in (
        ("finding a token", "a token, clusters: {}", _make_token_actions(registries), CONSTANT),
        ("refreshing", "a refresh, clusters: {}", _make_refresh_actions(registries), _SAME),
    ):
        yield Series(
            name=f"clusters, {name}",
            description=description,
            baseline="the same with 1 cluster",
            makers=makers,
            base=dict.fromkeys(CLUSTERS, makers[1]),
            max_ratio=ratio,
        )


def _make_token_actions(registries: Mapping[int, MemoryRegistry]) -> Mapping[int, Make]:
    # The last cluster of the fleet of one is in each fleet.
    request = Request(read=BytesIO().read, path_token=_make_token(0))
    return {size: _make_token_action(each, request) for size, each in registries.items()}


def _make_token_action(registry: Any, request: Request) -> Make:
    callers = CachedCallers(_NO_DOCUMENTS, 3600.0, registry=registry)
    authenticate = make_authenticator(Auth.TOKEN, callers)
    authenticate(request, None)
    return lambda _: lambda: authenticate(request, None)


def _make_refresh_actions(registries: Mapping[int, MemoryRegistry]) -> Mapping[int, Make]:
    return {size: _make_refresh_action(each) for size, each in registries.items()}


def _make_refresh_action(registry: Any) -> Make:
    callers = CachedCallers(_NO_DOCUMENTS, 0.0, registry=registry)
    callers.callers()
    return lambda _: callers.callers


def _make_callers(number: int) -> Callers:
    text = _make_token(number)
    public = parse_token(text)
    id_ = "" if public is None else public.id
    token = TokenHash(hash_token(text), "2026-11-24T09:00:00Z", "ticket 4711", id_, _EXPIRES)
    return Callers((token,), groups=("ring-0",))


def _make_token(number: int) -> str:
    return make_token(number.to_bytes(ID_BYTES, "big"), bytes(SECRET_BYTES), _EXPIRES)
