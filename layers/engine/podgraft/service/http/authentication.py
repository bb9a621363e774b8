"""Authentication: the cluster of a request, by its credentials, before the body is read.

The URL path does not authenticate: ``cluster`` in it is a variable of Istio
(``core/injectors/istio/injector.py``).
"""

import ssl
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from podgraft.base import system
from podgraft.base.deadline import Deadline
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import StoreError
from podgraft.service.settings import Auth
from podgraft.service.store import (
    CallerRegistry,
    Callers,
    CallerStore,
    caller_document,
    sources,
    subjects,
)
from podgraft.service.store.caller_index import CallerIndex, Index
from podgraft.service.store.caller_token import is_damaged

from .errors import (
    CredentialError,
    DamagedTokenError,
    ExpiredTokenError,
    ForbiddenError,
    SourceError,
    ThrottledError,
    UnauthenticatedError,
)
from .request import Request
from .throttle import WINDOW_SECONDS, Throttle

_SECONDS_PER_DAY = 86_400
# A token is valid until the end of its last day, and a few minutes more for clocks that differ.
_GRACE_SECONDS = 300
# The client must not learn whether a token is damaged, unknown, revoked, or expired.
_UNKNOWN = "the {} belongs to no cluster"
_UNKNOWN_TOKEN = _UNKNOWN.format("token")


class Principal(Struct, frozen=True):
    """The calling cluster, and whether its callers can be older than the stored ones.

    ``cluster`` is ``None`` without authentication, which proves no caller. ``certificate_days`` are
    the whole days until its client certificate expires, if it has one. ``token`` is the public id
    of its token, ``expires`` the last day of it, and ``groups`` are those of the cluster in the
    store.
    """

    cluster: str | None
    stale: Staleness | None = None
    certificate_days: int | None = None
    token: str = ""
    groups: tuple[str, ...] = ()
    expires: str = ""


# Returns the caller of a request, within the deadline. Raises ``UnauthenticatedError``,
# ``ForbiddenError``, or ``StoreError``.
Authenticator: TypeAlias = Callable[[Request, Deadline | None], Principal]


class CallerGate:
    """Authenticates requests by their headers and path, and counts failures per source."""

    def __init__(self, auth: Auth, store: CallerStore, clock: Callable[[], float]) -> None:
        self._auth = auth
        self._authenticate = make_authenticator(auth, store)
        self._throttle = Throttle(clock)

    @property
    def reads_certificates(self) -> bool:
        """Whether callers identify themselves by client certificates."""
        return self._auth is Auth.MTLS

    def authenticate(self, request: Request, deadline: Deadline | None) -> Principal:
        """Return the caller. The body is neither read nor parsed.

        Raises ``UnauthenticatedError``, ``ForbiddenError``, ``ThrottledError``, or ``StoreError``.
        """
        try:
            return self._authenticate(request, deadline)
        except (UnauthenticatedError, ForbiddenError) as error:
            if self._throttle.is_exceeded(request.source):
                raise ThrottledError(
                    f"too many requests failed to authenticate within {WINDOW_SECONDS:.0f} s; "
                    "check the credentials, and wait"
                ) from error
            error.caller_fields = _describe_caller(request, error)
            error.has_credential = bool(request.tokens) or request.certificate is not None
            raise

    def admits(self, request: Request) -> bool:
        """Whether the request is of a caller; a failure is not counted."""
        try:
            self._authenticate(request, Deadline.from_timeout(None))
        except (UnauthenticatedError, ForbiddenError, StoreError):
            return False
        return True

    def is_anonymous(self, request: Request) -> bool:
        """Whether a request has no credentials, although callers need them."""
        match self._auth:
            case Auth.TOKEN:
                return not request.tokens
            case Auth.MTLS:
                return request.certificate is None
            case Auth.NONE:
                return False


def _describe_caller(request: Request, error: CredentialError) -> Mapping[str, str]:
    """Return the source, and the ids of the tokens: those that ``tokens list`` prints.

    ``token_cluster`` is the cluster of a token that it revoked, or that expired.
    """
    fields = {"source": request.source}
    ids = ",".join(map(caller_document.identify_token, request.tokens))
    if ids:
        fields["token_id"] = ids
    if error.token_cluster:
        fields["token_cluster"] = error.token_cluster
    return fields


def make_authenticator(auth: Auth, store: CallerStore) -> Authenticator:
    """Return the authenticator for the setting."""
    index = CallerIndex(store)
    match auth:
        case Auth.TOKEN:
            return partial(_authenticate_token, index)
        case Auth.MTLS:
            return partial(_authenticate_certificate, index)
        case Auth.NONE:
            return lambda _request, _deadline: Principal(None)


def _authenticate_token(
    index: CallerIndex, request: Request, deadline: Deadline | None
) -> Principal:
    # Checked first: a request without a possible credential must not call the store.
    tokens = request.tokens
    if not tokens:
        raise UnauthenticatedError(
            "no cluster token; send it as Authorization: Bearer, or in the path as /k/<token>/…"
        )
    if any(map(is_damaged, tokens)):
        raise DamagedTokenError(_UNKNOWN_TOKEN)
    registry, found = index.read(deadline)
    digests = [caller_document.hash_token(token) for token in tokens]
    matches = {name for digest in digests for name in found.tokens.get(digest, ())}
    if not matches:
        _check_revoked(found, tokens)
    principal = _find_cluster(matches, registry, "token")
    callers = registry.callers[str(principal.cluster)]
    day = datetime.fromtimestamp(system.wall_seconds() - _GRACE_SECONDS, UTC).date().isoformat()
    valid = [each for each in callers.find_tokens(*digests) if not each.is_expired(day)]
    if not valid:
        error = ExpiredTokenError(_UNKNOWN_TOKEN)
        error.token_cluster = str(principal.cluster)
        raise error
    _check_source(principal, callers, request)
    token, groups = valid[0], callers.groups
    stale = principal.stale
    return Principal(principal.cluster, stale, None, token.identity, groups, token.expires)


def _check_revoked(index: Index, tokens: Sequence[str]) -> None:
    """Raise ``UnauthenticatedError`` for a revoked token; the log names its cluster."""
    ids = map(caller_document.identify_token, tokens)
    cluster = next(filter(None, map(index.revoked.get, ids)), "")
    if cluster:
        error = UnauthenticatedError(_UNKNOWN_TOKEN)
        error.token_cluster = cluster
        raise error


def _check_source(principal: Principal, callers: Callers, request: Request) -> None:
    """Raise ``SourceError`` if the cluster has sources, and the request is from none of them."""
    if callers.sources and not sources.admits(callers.sources, request.source, request.endpoints):
        error = SourceError(
            "requests of this cluster are not accepted from this address; call from a source of "
            "the cluster"
        )
        error.token_cluster = str(principal.cluster)
        raise error


def _authenticate_certificate(
    index: CallerIndex, request: Request, deadline: Deadline | None
) -> Principal:
    certificate = request.certificate
    if certificate is None:
        raise UnauthenticatedError(
            "no client certificate; send one to the custom domain of the API"
        )
    registry, found = index.read(deadline)
    matches = {
        name
        for spelling in subjects.both_orders(certificate.subject)
        for name in found.subjects.get(spelling, ())
    }
    principal = _find_cluster(matches, registry, "client certificate")
    callers = registry.callers[str(principal.cluster)]
    _check_source(principal, callers, request)
    days = _count_days(certificate.not_after)
    if days is not None and days < 0:
        # TLS compares the time in full handshakes only: not on open connections, or for a resumed
        # session.
        error = UnauthenticatedError("the client certificate has expired; renew it")
        error.token_cluster = str(principal.cluster)
        raise error
    return Principal(principal.cluster, principal.stale, days, "", callers.groups)


def _count_days(not_after: str | None) -> int | None:
    """Return the days until a time such as ``Aug  5 00:28:21 2027 GMT``; ``None`` if unknown."""
    try:
        seconds = ssl.cert_time_to_seconds(not_after or "")
    except ValueError:
        return None
    return int((seconds - system.wall_seconds()) // _SECONDS_PER_DAY)


def _find_cluster(matches: set[str], registry: CallerRegistry, credential: str) -> Principal:
    """Return the one cluster of the credential."""
    if not matches:
        # Callers that were not read could have an unknown credential.
        error = registry.unread or next(iter(registry.load_errors.values()), None)
        if error is not None:
            # The same error is raised repeatedly. Without this, its traceback would grow.
            raise error.with_traceback(None)
        raise UnauthenticatedError(_UNKNOWN.format(credential))
    if len(matches) > 1:
        raise ForbiddenError(
            f"the {credential} belongs to several clusters; "
            f"use a separate {credential} for each cluster"
        )
    cluster = next(iter(matches))
    may_be_stale = registry.outage is not None or registry.last_known_good
    return Principal(cluster, registry.find_stale(cluster) if may_be_stale else None)
