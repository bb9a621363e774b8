"""Who is calling, and for which cluster: decided before a byte of the body is read."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from podgraft.store import Callers, CallerStore, tokens

from . import subjects
from .credentials import Credentials
from .errors import ForbiddenError, UnauthenticatedError
from .settings import Auth
from .subjects import Subject

# The cluster that is calling, from its credentials and the cluster in the URL (``None`` for both
# is a caller without a cluster), found within so many seconds. Raises ``UnauthenticatedError``,
# ``ForbiddenError`` or ``StoreError``.
Gate: TypeAlias = Callable[[Credentials, str | None, float | None], str | None]


def gate(auth: Auth, store: CallerStore) -> Gate:
    """The gate that the settings ask for."""
    match auth:
        case Auth.TOKEN:
            return lambda shown, cluster, left: _by_token(store.callers(left), shown, cluster)
        case Auth.MTLS:
            known = _Subjects()
            return lambda shown, cluster, left: _by_subject(
                known.clusters(store.callers(left)), shown, cluster
            )
        case Auth.NONE:
            return lambda _shown, cluster, _left: cluster


def _by_token(
    callers: Mapping[str, Callers], credentials: Credentials, cluster: str | None
) -> str | None:
    if not credentials.tokens:
        raise UnauthenticatedError(
            "no cluster token; send it as Authorization: Bearer, or in the path as /k/<token>/…"
        )
    given = [tokens.digest(token) for token in credentials.tokens]
    mine = {name for name, known in callers.items() if known.knows(*given)}
    return _settled(mine, cluster, "token")


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
    clusters: Mapping[Subject, set[str]], credentials: Credentials, cluster: str | None
) -> str | None:
    subject = credentials.subject
    if subject is None:
        raise UnauthenticatedError("no client certificate; the API's custom domain asks for one")
    mine: set[str] = set()
    for spelling in subjects.spellings(subject):
        mine |= clusters.get(spelling, set())
    return _settled(mine, cluster, "client certificate")


def _settled(mine: set[str], cluster: str | None, what: str) -> str:
    """The cluster in the URL, if the credential is its own; without one, the credential's."""
    if not mine:
        raise UnauthenticatedError(f"the {what} belongs to no cluster")
    if cluster is None and len(mine) == 1:
        return next(iter(mine))
    if cluster is None:
        raise ForbiddenError(f"the {what} belongs to several clusters; name one: /cluster/<id>")
    if cluster not in mine:
        raise ForbiddenError(f"the {what} belongs to another cluster than {cluster!r}")
    return cluster
