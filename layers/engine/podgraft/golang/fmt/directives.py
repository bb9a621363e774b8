"""Parser of format strings: text and directives such as ``%-[2]*.3d`` (part of doPrintf)."""

import re

from msgspec import Struct

from podgraft.golang.strconv.quote import REPLACEMENT, is_escaped_byte

from .format import PLAIN, Flags

MAX_NUMBER = 1_000_000  # fmt.tooLarge: the limit of a width or precision


class Index(Struct, frozen=True):
    """``[n]``: the index of the next argument, from 0; ``None`` if it is invalid."""

    value: int | None


class Directive(Struct, frozen=True, kw_only=True):
    """The text before a directive, and the directive.

    ``verb`` is empty if the format ends inside the directive. Width and precision can be arguments
    (``star``). ``indexes`` precede the width, the precision, and the verb. ``misplaced``: an index
    precedes a number.
    """

    text: str
    verb: str = ""
    flags: Flags = PLAIN
    width_star: bool = False
    precision_star: bool = False
    indexes: tuple[Index | None, Index | None, Index | None] = (None, None, None)
    misplaced: bool = False


def parse_directives(format_: str) -> tuple[tuple[Directive, ...], str]:
    """Parse into the directives of ``format_`` and the text after the last one."""
    directives: list[Directive] = []
    scanner = _Scanner(format_)
    while (percent := format_.find("%", scanner.offset)) >= 0:
        text = format_[scanner.offset : percent]
        scanner.offset = percent + 1
        directives.append(scanner.scan_directive(text))
    return tuple(directives), format_[scanner.offset :]


_FLAGS = re.compile(r"[#0+\- ]*")
_DIGITS = re.compile(r"[0-9]*")


class _Scanner(Struct):
    format: str
    offset: int = 0

    def scan_directive(self, text: str) -> Directive:
        """Scan ``[flags] [index] [width] ["." [index] [precision]] [index] verb``, after ``%``."""
        flags = self._scan_pattern(_FLAGS)
        first = self._scan_index()
        width_star = self._accept("*")
        width = None if width_star else self._scan_number()
        pending = _is_readable_index(first) and not width_star
        misplaced = pending and width is not None
        second, precision, precision_star = None, None, False
        if self.format[self.offset : self.offset + 1] == "." and self.offset + 1 < len(self.format):
            self.offset += 1
            misplaced = misplaced or pending
            second = self._scan_index()
            precision_star = self._accept("*")
            precision = None if precision_star else self._scan_number() or 0
            pending = _is_readable_index(second) and not precision_star
        third = None if pending else self._scan_index()
        verb = self._scan_verb()
        return Directive(
            text=text,
            verb=verb,
            flags=_parse_flags(flags, width, precision, verb),
            width_star=width_star,
            precision_star=precision_star,
            indexes=(first, second, third),
            misplaced=misplaced,
        )

    def _scan_pattern(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.format, self.offset)
        text = match[0] if match else ""
        self.offset += len(text)
        return text

    def _accept(self, char: str) -> bool:
        accepted = self.format.startswith(char, self.offset)
        self.offset += accepted
        return accepted

    def _scan_number(self) -> int | None:
        """parsenum: a number that is too large consumes the rest of the format."""
        start = self.offset
        number = _parse_number(self._scan_pattern(_DIGITS))
        if number is None and self.offset > start:
            self.offset = len(self.format)
        return number

    def _scan_index(self) -> Index | None:
        """parseArgNumber; consume only ``[`` if no bracket closes it, and for ``[]`` at the end."""
        if not self.format.startswith("[", self.offset):
            return None
        closed = self.format.find("]", self.offset)
        if closed < 0 or self.format[self.offset :] == "[]":
            self.offset += 1
            return Index(None)
        number = self.format[self.offset + 1 : closed]
        self.offset = closed + 1
        position = _parse_number(number) if number.isascii() and number.isdigit() else None
        return Index(None if position is None else position - 1)

    def _scan_verb(self) -> str:
        verb = self.format[self.offset : self.offset + 1]
        self.offset += len(verb)
        return REPLACEMENT if not verb.isascii() and is_escaped_byte(verb) else verb


def _parse_number(digits: str) -> int | None:
    """Parse a number; ``None`` if it is missing or too large. Go checks before the last digit."""
    if not digits or len(digits.lstrip("0")) > len(str(MAX_NUMBER)) + 1:
        return None
    return int(digits) if int(digits[:-1] or "0") <= MAX_NUMBER else None


def _is_readable_index(index: Index | None) -> bool:
    return index is not None and index.value is not None


def _parse_flags(
    flag_characters: str, width: int | None, precision: int | None, verb: str
) -> Flags:
    """The flags of a directive; with %v, ``#`` and ``+`` mean Go syntax and field names."""
    value = verb in ("v", "w")
    return Flags(
        width=width,
        precision=precision,
        minus="-" in flag_characters,
        plus="+" in flag_characters and not value,
        sharp="#" in flag_characters and not value,
        space=" " in flag_characters,
        zero="0" in flag_characters,
        plus_v="+" in flag_characters and value,
        sharp_v="#" in flag_characters and value,
    )
