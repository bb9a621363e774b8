"""Authentication: the cluster of a request, by its credentials, before the body is read.

The URL path does not authenticate: ``cluster`` in it is a variable of Istio
(``core/injectors/istio/url_path.py``).
"""

import ssl
from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from podgraft.base import system
from podgraft.service.settings import Auth
from podgraft.service.store import (
    CallerRegistry,
    Callers,
    CallerStore,
    Deadline,
    Staleness,
    StoreError,
    caller_document,
    subjects,
)
from podgraft.service.store.subjects import Subject

from .errors import ForbiddenError, ThrottledError, UnauthenticatedError
from .request import PeerCertificate, Request
from .throttle import WINDOW_SECONDS, Throttle

_SECONDS_PER_DAY = 86_400


class Principal(Struct, frozen=True):
    """The calling cluster, and whether its callers can be older than the stored ones.

    ``cluster`` is ``None`` without authentication, which proves no caller. ``certificate_days`` are
    the whole days until its client certificate expires, if it has one.
    """

    cluster: str | None
    stale: Staleness | None = None
    certificate_days: int | None = None


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

    def authenticate(self, request: Request, deadline: Deadline) -> Principal:
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
            error.caller_fields = _describe_caller(request)
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


def _describe_caller(request: Request) -> Mapping[str, str]:
    """Return the source, and the ids of the tokens: those that ``tokens list`` prints."""
    ids = ",".join(map(caller_document.identify_token, request.tokens))
    return {"source": request.source, "token_id": ids} if ids else {"source": request.source}


def make_authenticator(auth: Auth, store: CallerStore) -> Authenticator:
    """Return the authenticator for the setting."""
    match auth:
        case Auth.TOKEN:
            return lambda request, deadline: _authenticate_token(store, request, deadline)
        case Auth.MTLS:
            index = _SubjectIndex()
            return lambda request, deadline: _authenticate_certificate(
                index, store, request.certificate, deadline
            )
        case Auth.NONE:
            return lambda _request, _deadline: Principal(None)


def _authenticate_token(
    store: CallerStore, request: Request, deadline: Deadline | None
) -> Principal:
    # Checked first: a request without credentials must not call the store.
    tokens = request.tokens
    if not tokens:
        raise UnauthenticatedError(
            "no cluster token; send it as Authorization: Bearer, or in the path as /k/<token>/…"
        )
    registry = store.callers(deadline)
    digests = [caller_document.hash_token(token) for token in tokens]
    matches = {name for name, callers in registry.callers.items() if callers.has_token(*digests)}
    return _find_cluster(matches, registry, "token")


class _SubjectIndex:
    """The clusters of each subject, indexed once per version of the callers.

    Threads can share it: at worst, two of them build the same index.
    """

    __slots__ = ("_index",)

    def __init__(self) -> None:
        self._index: tuple[Mapping[str, Callers], Mapping[Subject, set[str]]] = {}, {}

    def clusters(self, callers: Mapping[str, Callers]) -> Mapping[Subject, set[str]]:
        """Return the clusters by subject, in the order of attributes of the document."""
        indexed_callers, index = self._index
        if indexed_callers is not callers:
            index = _index_subjects(callers)
            self._index = callers, index
        return index


def _index_subjects(callers: Mapping[str, Callers]) -> Mapping[Subject, set[str]]:
    index: dict[Subject, set[str]] = {}
    for name, cluster_callers in callers.items():
        for subject in map(subjects.parse_subject, cluster_callers.subjects):
            if subject is not None:
                index.setdefault(subject, set()).add(name)
    return index


def _authenticate_certificate(
    index: _SubjectIndex,
    store: CallerStore,
    certificate: PeerCertificate | None,
    deadline: Deadline | None,
) -> Principal:
    if certificate is None:
        raise UnauthenticatedError(
            "no client certificate; send one to the custom domain of the API"
        )
    registry = store.callers(deadline)
    clusters = index.clusters(registry.callers)
    matches: set[str] = set()
    for spelling in subjects.both_orders(certificate.subject):
        matches |= clusters.get(spelling, set())
    principal = _find_cluster(matches, registry, "client certificate")
    return Principal(principal.cluster, principal.stale, _count_days(certificate.not_after))


def _count_days(not_after: str | None) -> int | None:
    """Return the whole days until a time; ``None`` if it is unknown."""
    seconds = None if not_after is None else _parse_time(not_after)
    return None if seconds is None else int((seconds - system.wall_seconds()) // _SECONDS_PER_DAY)


def _parse_time(text: str) -> int | None:
    """Return the seconds since 1970 of a time such as ``Aug  5 00:28:21 2027 GMT``."""
    try:
        return ssl.cert_time_to_seconds(text)
    except ValueError:
        return None


def _find_cluster(matches: set[str], registry: CallerRegistry, credential: str) -> Principal:
    """Return the one cluster of the credential."""
    if not matches:
        _check_loaded(registry)
        raise UnauthenticatedError(f"the {credential} belongs to no cluster")
    if len(matches) > 1:
        raise ForbiddenError(
            f"the {credential} belongs to several clusters; "
            f"use a separate {credential} for each cluster"
        )
    cluster = next(iter(matches))
    return Principal(cluster, registry.stale.get(cluster))


def _check_loaded(registry: CallerRegistry) -> None:
    """Raise the error of a document that does not load, and could name an unknown credential."""
    error = registry.missing or next(iter(registry.load_errors.values()), None)
    if error is not None:
        # The same error is raised repeatedly. Without this, its traceback would grow.
        raise error.with_traceback(None)
