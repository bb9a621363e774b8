"""What a format says: text, and directives such as ``%-[2]*.3d`` (the reading half of doPrintf)."""

import re
from functools import lru_cache

from podgraft.go.strconv.quote import REPLACEMENT, is_escaped_byte
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile

from .format import PLAIN, Flags

MAX_NUMBER = 1_000_000  # fmt.tooLarge: of a width or precision


@dataclass(frozen=True, slots=True)
class Index:
    """``[n]``: the argument that comes next, from 0; ``None`` where it cannot be read."""

    value: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """The text up to a directive, and the directive.

    ``verb`` is empty where the format ends within the directive. Width and precision may be
    arguments (``star``); ``indexes`` stand before width, precision and verb. ``misplaced``: one
    stands before a number.
    """

    text: str
    verb: str = ""
    flags: Flags = PLAIN
    width_star: bool = False
    precision_star: bool = False
    indexes: tuple[Index | None, Index | None, Index | None] = (None, None, None)
    misplaced: bool = False


@lru_cache(maxsize=512)
def parse_directives(format_: str) -> tuple[tuple[Directive, ...], str]:
    """The directives of ``format_``, and the text after the last one."""
    found: list[Directive] = []
    scanner = _Scanner(format_)
    while (percent := format_.find("%", scanner.at)) >= 0:
        text = format_[scanner.at : percent]
        scanner.at = percent + 1
        found.append(scanner.scan_directive(text))
    return tuple(found), format_[scanner.at :]


_FLAGS = lazy_compile(r"[#0+\- ]*")
_DIGITS = lazy_compile(r"[0-9]*")


@dataclass(slots=True)
class _Scanner:
    format: str
    at: int = 0

    def scan_directive(self, text: str) -> Directive:
        """``[flags] [index] [width] ["." [index] [precision]] [index] verb``; ``%`` is past."""
        flags = self._scan_pattern(_FLAGS)
        first = self._scan_index()
        width_star = self._accept("*")
        width = None if width_star else self._scan_number()
        pending = _is_readable_index(first) and not width_star
        misplaced = pending and width is not None
        second, precision, precision_star = None, None, False
        if self.format[self.at : self.at + 1] == "." and self.at + 1 < len(self.format):
            self.at += 1
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
        found = pattern.match(self.format, self.at)
        word = found[0] if found else ""
        self.at += len(word)
        return word

    def _accept(self, char: str) -> bool:
        accepted = self.format.startswith(char, self.at)
        self.at += accepted
        return accepted

    def _scan_number(self) -> int | None:
        """parsenum: one that is too large uses up the whole format."""
        start = self.at
        number = _parse_number(self._scan_pattern(_DIGITS))
        if number is None and self.at > start:
            self.at = len(self.format)
        return number

    def _scan_index(self) -> Index | None:
        """parseArgNumber; of one that is not closed, or ``[]`` at the end, only ``[`` is used."""
        if not self.format.startswith("[", self.at):
            return None
        closed = self.format.find("]", self.at)
        if closed < 0 or self.format[self.at :] == "[]":
            self.at += 1
            return Index(None)
        number = self.format[self.at + 1 : closed]
        self.at = closed + 1
        read = _parse_number(number) if number.isascii() and number.isdigit() else None
        return Index(None if read is None else read - 1)

    def _scan_verb(self) -> str:
        verb = self.format[self.at : self.at + 1]
        self.at += len(verb)
        return REPLACEMENT if verb and is_escaped_byte(verb) else verb


def _parse_number(digits: str) -> int | None:
    """The number, unless there is none or it has more digits than fit; Go looks before the last."""
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
