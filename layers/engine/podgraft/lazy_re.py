"""Regular expressions that compile on first use.

Compiling all expressions took a twentieth of a cold start, and one review uses a third of them.
The modules that a cold start loads must use this module, and a test checks that.
"""

import re
from typing import Any, AnyStr, cast

_METHODS = ("finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def lazy_compile(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """``re.compile(text, flags)`` on first use; an invalid expression fails then."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyPattern:
    """A pattern that stores the methods of the compiled pattern on first use."""

    __slots__ = ("_flags", "_text", *_METHODS)

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern. Python calls this for a missing attribute: before the first use."""
        compiled = re.compile(self._text, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
