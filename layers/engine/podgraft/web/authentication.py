"""Which cluster calls: its credentials alone prove it, before a byte of the body is read.

The URL's path proves nothing: ``cluster`` in it is a variable of Istio
(``injectors/istio/url_path.py``).
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from podgraft.settings import Auth
from podgraft.store import (
    CallerRegistry,
    Callers,
    CallerStore,
    Deadline,
    Staleness,
    caller_document,
)

from . import subjects
from .credentials import CallerCredentials
from .errors import ForbiddenError, UnauthenticatedError
from .subjects import Subject


class Principal(Struct, frozen=True):
    """The calling cluster, and whether its callers can be older than the stored ones.

    ``cluster`` is ``None`` without authentication, which proves no caller.
    """

    cluster: str | None
    stale: Staleness | None = None


# The caller that the credentials prove, found by the deadline. Raises ``UnauthenticatedError``,
# ``ForbiddenError``, or ``StoreError``.
Authenticator: TypeAlias = Callable[[CallerCredentials, Deadline | None], Principal]


def make_authenticator(auth: Auth, store: CallerStore) -> Authenticator:
    """The gate that the settings ask for."""
    match auth:
        case Auth.TOKEN:
            return lambda shown, ends: _authenticate_token(store.callers(ends), shown)
        case Auth.MTLS:
            read = _SubjectIndex()
            return lambda shown, ends: _authenticate_certificate(read, store.callers(ends), shown)
        case Auth.NONE:
            return lambda _shown, _ends: Principal(None)


def _authenticate_token(book: CallerRegistry, credentials: CallerCredentials) -> Principal:
    if not credentials.tokens:
        raise UnauthenticatedError(
            "no cluster token; send it as Authorization: Bearer, or in the path as /k/<token>/…"
        )
    given = [caller_document.hash_token(token) for token in credentials.tokens]
    mine = {name for name, known in book.callers.items() if known.has_token(*given)}
    return _find_cluster(mine, book, "token")


class _SubjectIndex:
    """The clusters of each subject that may call, read once for all calls to the same callers.

    Threads may share it: at worst two of them read the same.
    """

    __slots__ = ("_read",)

    def __init__(self) -> None:
        self._read: tuple[Mapping[str, Callers], Mapping[Subject, set[str]]] = {}, {}

    def clusters(self, callers: Mapping[str, Callers]) -> Mapping[Subject, set[str]]:
        """By subject, spelled from the end that the operator began with."""
        of, found = self._read
        if of is not callers:
            found = _index_subjects(callers)
            self._read = callers, found
        return found


def _index_subjects(callers: Mapping[str, Callers]) -> Mapping[Subject, set[str]]:
    found: dict[Subject, set[str]] = {}
    for name, known in callers.items():
        for subject in map(subjects.parse_subject, known.subjects):
            if subject is not None:
                found.setdefault(subject, set()).add(name)
    return found


def _authenticate_certificate(
    read: _SubjectIndex, book: CallerRegistry, credentials: CallerCredentials
) -> Principal:
    subject = credentials.subject
    if subject is None:
        raise UnauthenticatedError("no client certificate; the API's custom domain asks for one")
    clusters = read.clusters(book.callers)
    mine: set[str] = set()
    for spelling in subjects.both_orders(subject):
        mine |= clusters.get(spelling, set())
    return _find_cluster(mine, book, "client certificate")


def _find_cluster(mine: set[str], book: CallerRegistry, what: str) -> Principal:
    """Return the one cluster of the credential."""
    if not mine:
        _check_loaded(book)
        raise UnauthenticatedError(f"the {what} belongs to no cluster")
    if len(mine) > 1:
        raise ForbiddenError(
            f"the {what} belongs to several clusters; use a separate {what} for each cluster"
        )
    cluster = next(iter(mine))
    return Principal(cluster, book.stale.get(cluster))


def _check_loaded(book: CallerRegistry) -> None:
    """Raise the error of a document that does not load, and could name an unknown credential."""
    error = book.missing or next(iter(book.load_errors.values()), None)
    if error is not None:
        # Raised again and again: without its old traceback, which would grow.
        raise error.with_traceback(None)
