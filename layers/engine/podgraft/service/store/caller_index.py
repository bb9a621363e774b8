"""The clusters of each credential, indexed once per version of the callers.

A request needs one look-up, for any number of clusters. The key is the SHA-256 of a token. A client
cannot choose the hash of a token that it does not have, so the time of a look-up reveals nothing.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from . import subjects
from .caller_document import Callers
from .subjects import Subject


class _Index(Struct, frozen=True):
    """The clusters by credential of one version of the callers."""

    callers: Mapping[str, Callers] = field(default_factory=dict[str, Callers])
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    revoked: Mapping[str, str] = field(default_factory=dict[str, str])
    subjects: Mapping[Subject, tuple[str, ...]] = field(
        default_factory=dict[Subject, tuple[str, ...]]
    )


class CallerIndex:
    """The index of the callers in force. Threads can share it: at worst, two of them build it."""

    __slots__ = ("_index",)

    def __init__(self) -> None:
        self._index = _Index()

    def find_by_token(self, callers: Mapping[str, Callers], sha256: str) -> tuple[str, ...]:
        """Return the clusters that have a token with this hash."""
        return self._update(callers).tokens.get(sha256, ())

    def find_revoked(self, callers: Mapping[str, Callers], identity: str) -> str:
        """Return the cluster of a revoked token, by its id; empty if it is unknown."""
        return self._update(callers).revoked.get(identity, "")

    def find_by_subject(self, callers: Mapping[str, Callers], subject: Subject) -> tuple[str, ...]:
        """Return the clusters of a subject, in the order of attributes of the document."""
        return self._update(callers).subjects.get(subject, ())

    def _update(self, callers: Mapping[str, Callers]) -> _Index:
        index = self._index
        if index.callers is not callers:
            self._index = index = _make_index(callers)
        return index


def _make_index(callers: Mapping[str, Callers]) -> _Index:
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
    return _Index(callers, tokens, revoked, by_subject)
