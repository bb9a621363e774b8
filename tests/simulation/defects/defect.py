"""What a planted defect is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """In the source of *target* (module:path), *old* becomes *new*; no old text: a constant."""

    target: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect: its words, the numbers of the laws that may find it first, and its changes."""

    words: str
    laws: str
    changes: tuple[Change, ...]
    needs: tuple[str, ...] = ()


def make_defect(words: str, laws: str, target: str, old: str, new: str, *needs: str) -> Defect:
    """Return a defect of one function."""
    return Defect(words, laws, (Change(target, old, new),), needs)
