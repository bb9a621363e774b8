"""The syntax errors of encoding/json's scanner, with Go's error texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from podgraft.golang.strconv.quote import quote

_END = "unexpected end of JSON input"

_SPACE = re.compile(r"[ \t\r\n]*")
_DIGITS = re.compile(r"[0-9]+")
_STRING_SO_FAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*')
_HEX_SO_FAR = re.compile(r"\\u[0-9a-fA-F]*")
_LITERALS = {"t": "true", "f": "false", "n": "null"}


class _SyntaxError(Exception):
    """The scanner stops; the argument is the reason."""


def syntax_error(data: bytes) -> str:
    """Return the error text of encoding/json for invalid JSON.

    >>> syntax_error(b'{"a" 1}')
    "invalid character '1' after object key"
    """
    scanner = _Scanner(data.decode("latin-1"))
    state: _State = scanner.value
    try:
        while True:
            state = state()
    except _SyntaxError as error:
        return str(error)


class _Scanner:
    """A scanner with one character per byte. A state reads one token and returns the next state."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._closers: list[str] = []

    def value(self) -> _State:
        char = self._token()
        if char == "{":
            return self._open("}", self._first_key)
        if char == "[":
            return self._open("]", self._first_element)
        if char == '"':
            self._scan_string()
        elif char in _LITERALS:
            self._literal(_LITERALS[char])
        elif char in "-0123456789":
            self._number()
        else:
            self._fail("looking for beginning of value")
        return self._after_value

    def _first_element(self) -> _State:
        return self._close() if self._token() == "]" else self.value()

    def _key(self) -> _State:
        if self._token() != '"':
            self._fail("looking for beginning of object key string")
        self._scan_string()
        return self._colon

    def _first_key(self) -> _State:
        return self._close() if self._token() == "}" else self._key()

    def _colon(self) -> _State:
        if self._token() != ":":
            self._fail("after object key")
        self._offset += 1
        return self.value

    def _after_value(self) -> _State:
        char = self._token()
        if not self._closers:
            self._fail("after top-level value")
        closer = self._closers[-1]
        if char == closer:
            return self._close()
        if char != ",":
            self._fail("after array element" if closer == "]" else "after object key:value pair")
        self._offset += 1
        return self.value if closer == "]" else self._key

    def _open(self, closer: str, following: _State) -> _State:
        self._offset += 1
        self._closers.append(closer)
        return following

    def _close(self) -> _State:
        self._offset += 1
        self._closers.pop()
        return self._after_value

    def _scan_string(self) -> None:
        self._accept(_STRING_SO_FAR)
        if self._accept(_HEX_SO_FAR):
            self._fail("in \\u hexadecimal character escape")
        if self._offset == len(self._text):
            raise _SyntaxError(_END)
        char = self._char()
        if char not in '"\\':
            self._fail("in string literal")
        self._offset += 1
        if char == "\\":
            self._fail("in string escape code")

    def _number(self) -> None:
        if self._char() == "-":
            self._offset += 1
        if self._char() == "0":
            self._offset += 1
        else:
            self._digits("in numeric literal")
        if self._text[self._offset : self._offset + 1] == ".":
            self._offset += 1
            self._digits("after decimal point in numeric literal")
        if self._text[self._offset : self._offset + 1] in ("e", "E"):
            self._offset += 1
            if self._char() in "+-":
                self._offset += 1
            self._digits("in exponent of numeric literal")

    def _digits(self, context: str) -> None:
        if not self._accept(_DIGITS):
            self._fail(context)

    def _literal(self, literal: str) -> None:
        for expected in literal:
            if self._char() != expected:
                self._fail(f"in literal {literal} (expecting '{expected}')")
            self._offset += 1

    def _token(self) -> str:
        """Skip spaces and return the first character of the next token."""
        self._accept(_SPACE)
        if self._offset == len(self._text):
            raise _SyntaxError(_END)
        return self._char()

    def _char(self) -> str:
        """The next character; a space at the end, as in Go's scanner."""
        return self._text[self._offset : self._offset + 1] or " "

    def _accept(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self._offset)
        if match is not None:
            self._offset = match.end()
        return match is not None

    def _fail(self, context: str) -> NoReturn:
        char = self._char()
        printed = {"'": r"'\''", '"': "'\"'"}.get(char) or f"'{quote(char)[1:-1]}'"
        raise _SyntaxError(f"invalid character {printed} {context}")


_State: TypeAlias = Callable[[], "_State"]
