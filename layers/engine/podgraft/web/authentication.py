"""Who is calling, and for which cluster: decided before a byte of the body is read."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from podgraft.records import dataclass
from podgraft.settings import Auth
from podgraft.store import Book, Callers, CallerStore, Deadline, Stale, tokens

from . import subjects
from .credentials import Credentials
from .errors import ForbiddenError, UnauthenticatedError
from .subjects import Subject


@dataclass(frozen=True, slots=True)
class Known:
    """The cluster that is calling, and whether its callers may be older than what is stored."""

    cluster: str | None
    stale: Stale | None = None


# Who is calling, from the credentials and the cluster in the URL (no cluster for both is a caller
# without one), found by the deadline. Raises ``UnauthenticatedError``, ``ForbiddenError`` or
# ``StoreError``.
Gate: TypeAlias = Callable[[Credentials, str | None, Deadline | None], Known]


def gate(auth: Auth, store: CallerStore) -> Gate:
    """The gate that the settings ask for."""
    match auth:
        case Auth.TOKEN:
            return lambda shown, cluster, ends: _by_token(store.callers(ends), shown, cluster)
        case Auth.MTLS:
            read = _Subjects()
            return lambda shown, cluster, ends: _by_subject(
                read, store.callers(ends), shown, cluster
            )
        case Auth.NONE:
            return lambda _shown, cluster, _ends: Known(cluster)


def _by_token(book: Book, credentials: Credentials, cluster: str | None) -> Known:
    if not credentials.tokens:
        raise UnauthenticatedError(
            "no cluster token; send it as Authorization: Bearer, or in the path as /k/<token>/…"
        )
    given = [tokens.digest(token) for token in credentials.tokens]
    mine = {name for name, known in book.callers.items() if known.knows(*given)}
    return _settled(mine, book, cluster, "token")


class _Subjects:
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
            found = _by_spelling(callers)
            self._read = callers, found
        return found


def _by_spelling(callers: Mapping[str, Callers]) -> Mapping[Subject, set[str]]:
    found: dict[Subject, set[str]] = {}
    for name, known in callers.items():
        for subject in map(subjects.parse, known.subjects):
            if subject is not None:
                found.setdefault(subject, set()).add(name)
    return found


def _by_subject(
    read: _Subjects, book: Book, credentials: Credentials, cluster: str | None
) -> Known:
    subject = credentials.subject
    if subject is None:
        raise UnauthenticatedError("no client certificate; the API's custom domain asks for one")
    clusters = read.clusters(book.callers)
    mine: set[str] = set()
    for spelling in subjects.spellings(subject):
        mine |= clusters.get(spelling, set())
    return _settled(mine, book, cluster, "client certificate")


def _settled(mine: set[str], book: Book, cluster: str | None, what: str) -> Known:
    """The cluster in the URL, if the credential is its own; without one, the credential's."""
    _check_read(mine, book, cluster)
    if not mine:
        raise UnauthenticatedError(f"the {what} belongs to no cluster")
    if cluster is None and len(mine) == 1:
        cluster = next(iter(mine))
    if cluster is None:
        raise ForbiddenError(f"the {what} belongs to several clusters; name one: /cluster/<id>")
    if cluster not in mine:
        raise ForbiddenError(f"the {what} belongs to another cluster than {cluster!r}")
    return Known(cluster, book.stale.get(cluster))


def _check_read(mine: set[str], book: Book, cluster: str | None) -> None:
    """Raise the error of the document that would have to say who this is, if it does not load.

    An unknown credential without a cluster in the URL may be of any cluster that is not known.
    """
    if book.missing is not None and not mine:
        raise book.missing.with_traceback(None)
    for name, error in book.unread.items():
        if name == cluster or (cluster is None and not mine):
            # Raised again and again: without its old traceback, which would grow.
            raise error.with_traceback(None)
