"""``matches``, ``find`` and ``findAll``, with RE2 as in Go: no pattern can run away.

google-re2 is loaded when the first pattern is met.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Protocol, cast

from podgraft.kube.cel.cost import match_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member

# Patterns are written in rules; a rule that builds them from objects cannot fill memory.
_PATTERN_CACHE_SIZE = 256


class Match(Protocol):
    """A place where a pattern matched."""

    def group(self) -> str:
        """The text there."""
        ...


class Pattern(Protocol):
    """The used part of a compiled pattern; google-re2 has no types."""

    def search(self, text: str) -> Match | None:
        """The first place."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """All places, one after the other."""
        ...


@lru_cache(maxsize=_PATTERN_CACHE_SIZE)
def compile_(pattern: str) -> Pattern:
    """The pattern, compiled; raises ``EvaluationError`` where RE2 does not take it."""
    re2 = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        return cast(Pattern, re2.compile(pattern, options=options))
    except re2.error as error:
        raise EvaluationError(f"Illegal regex: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    message = error.args[0] if error.args else ""
    return message.decode() if isinstance(message, bytes) else str(message)


def _matches(text: str, pattern: str) -> bool:
    return compile_(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    match = compile_(pattern).search(text)
    return match.group() if match else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    texts: list[str] = []
    for match in compile_(pattern).finditer(text):
        if len(texts) == limit:
            break
        texts.append(match.group())
    return texts


MATCHES = (
    function("matches", "string string -> bool", _matches, match_cost),
    member("matches", "string string -> bool", _matches, match_cost),
)

REGEX = (
    member("find", "string string -> string", _find, match_cost),
    member("findAll", "string string -> list(string)", _find_all, match_cost),
    member("findAll", "string string int -> list(string)", _find_all, match_cost),
)
