"""Regular expressions that are compiled when they are first used.

Compiling all that a cold start's modules name took a twentieth of it, and one review uses a third
of them. The modules that a cold start loads use this, which a test holds them to.
"""

import re
from typing import Any, AnyStr, cast

_METHODS = ("finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def lazy_compile(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """``re.compile(text, flags)``, but for when; an expression that is none fails there."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyPattern:
    """Has a pattern's methods as its own from the first use on: calling them costs no more."""

    __slots__ = ("_flags", "_text", *_METHODS)

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there, as is everything before the first use."""
        compiled = re.compile(self._text, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
