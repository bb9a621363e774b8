"""The clusters of each credential, indexed once per version of the callers.

A request needs one look-up, for any number of clusters. The key is the SHA-256 of a token. A client
cannot choose the hash of a token that it does not have, so the time of a look-up reveals nothing.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from podgraft.base.deadline import Deadline

from . import subjects
from .caller_document import Callers
from .callers import CallerRegistry
from .protocols import CallerStore
from .subjects import Subject


class Index(Struct, frozen=True):
    """The clusters by credential of one version of the callers.

    ``tokens`` are by hash, ``revoked`` by the id of the token, and ``subjects`` in the order of
    attributes of the document.
    """

    callers: Mapping[str, Callers] = field(default_factory=dict[str, Callers])
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    revoked: Mapping[str, str] = field(default_factory=dict[str, str])
    subjects: Mapping[Subject, tuple[str, ...]] = field(
        default_factory=dict[Subject, tuple[str, ...]]
    )


class CallerIndex:
    """The index of the callers in force. Threads can share it: at worst, two of them build it."""

    __slots__ = ("_index", "_store")

    def __init__(self, store: CallerStore) -> None:
        self._store = store
        self._index = Index()

    def read(self, deadline: Deadline | None) -> tuple[CallerRegistry, Index]:
        """Return the callers of the store with their index; raises ``StoreError``."""
        registry, index = self._store.callers(deadline), self._index
        if index.callers is not registry.callers:
            self._index = index = _make_index(registry.callers)
        return registry, index


def _make_index(callers: Mapping[str, Callers]) -> Index:
    tokens: dict[str, tuple[str, ...]] = {}
    revoked: dict[str, str] = {}
    by_subject: dict[Subject, tuple[str, ...]] = {}
    for name, own in callers.items():
        for token in own.tokens:
            tokens[token.sha256] = (*tokens.get(token.sha256, ()), name)
        for each in own.revoked:
            revoked[each.id] = name
        for subject in set(map(subjects.parse_subject, own.subjects)):
            if subject is not None:
                by_subject[subject] = (*by_subject.get(subject, ()), name)
    return Index(callers, tokens, revoked, by_subject)
