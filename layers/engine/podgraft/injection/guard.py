"""Whether a rendered template holds structure that the rendered object's author brought in.

The procedure of ``masks``, for any template over any subject: rehearse with the subject masked,
compare, and name the string that is to blame. Sound, because what passes is what a harmless
subject would have given; cheap, because most subjects need no rehearsal or one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from podgraft.jsonvalue import JSON
from podgraft.records import dataclass

from .masks import FILLS, Masking, Place, same_structure

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard(Generic[S]):
    """One template and one subject.

    ``masked`` gives the subject masked, the very same where nothing in it needs that; ``text``
    renders one and ``read`` says what a text means, both by raising one of ``failures`` if they
    cannot. ``decoded`` says that the template has decoders.
    """

    subject: S
    masked: Callable[[S, Masking], S]
    text: Callable[[S], str]
    read: Callable[[str], JSON]
    failures: tuple[type[Exception], ...]
    decoded: bool = False

    def foreign(self, text: str, meaning: JSON) -> Place:
        """The place of a string that brought structure into the subject's own ``text``; the
        outermost place, ``None``, if there is none.
        """
        masking = self._masking()
        masked = self.masked(self.subject, masking)
        if masked is self.subject or self._is_sound(masked, text, meaning):
            return None
        return self._first(masking, lambda spared: self._agrees(self._spared(spared)))

    def breaking(self, works: Callable[[S], bool]) -> Place:
        """The place of a string whose syntax keeps the template from working; ``None`` if it is
        none, or not alone.
        """
        masking = self._masking()
        masked = self.masked(self.subject, masking)
        if masked is self.subject or not works(masked):
            return None
        return self._first(masking, lambda spared: works(self._spared(spared)))

    def _is_sound(self, masked: S, text: str, meaning: JSON) -> bool:
        try:
            rehearsed = self.text(masked)
            return rehearsed == text or same_structure(
                meaning, self.read(rehearsed), self._second()
            )
        except self.failures:
            return False

    def _agrees(self, tried: S) -> bool:
        """Whether a subject that is masked in part has the structure of the harmless ones."""
        try:
            first = self._meaning(self.masked(self.subject, self._masking()))
            return same_structure(self._meaning(tried), first, self._second())
        except self.failures:
            return False

    def _second(self) -> JSON:
        """What a harmless subject with the second letter means."""
        return self._meaning(self.masked(self.subject, Masking(FILLS[1], self.decoded)))

    def _meaning(self, subject: S) -> JSON:
        return self.read(self.text(subject))

    def _masking(self, spared: int = 0) -> Masking:
        return Masking(FILLS[0], self.decoded, spared)

    def _spared(self, spared: int) -> S:
        return self.masked(self.subject, self._masking(spared))

    def _first(self, masking: Masking, holds: Callable[[int], bool]) -> Place:
        """The place of the string that makes the difference when it is spared."""
        return masking.found[first_failing(len(masking.found), holds)][1]


def first_failing(count: int, holds: Callable[[int], bool]) -> int:
    """The index of the element with which it stops to hold: it does for none, not for ``count``.

    >>> first_failing(9, lambda taken: taken <= 4)
    4
    """
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
