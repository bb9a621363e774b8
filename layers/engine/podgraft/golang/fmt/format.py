"""Directives of format strings (part of doPrintf), and the format of one value (fmt/format.go)."""

import re

from msgspec import Struct
from msgspec.structs import replace

from podgraft.golang.strconv.ftoa import SHORTEST, format_float
from podgraft.golang.strconv.quote import (
    MAX_RUNE,
    REPLACEMENT,
    can_backquote,
    is_escaped_byte,
    is_print,
    merge_escaped_bytes,
    quote,
    quote_rune,
    rune_to_str,
)


class Flags(Struct, frozen=True, kw_only=True):
    """The flags between ``%`` and the verb; ``sharp_v`` and ``plus_v`` are %#v and %+v."""

    width: int | None = None
    precision: int | None = None
    minus: bool = False
    plus: bool = False
    sharp: bool = False
    space: bool = False
    zero: bool = False
    plus_v: bool = False
    sharp_v: bool = False


PLAIN = Flags()
_BASES = {"b": 2, "o": 8, "O": 8, "d": 10, "v": 10, "x": 16, "X": 16}
_FORMATS = {2: "b", 8: "o", 10: "d", 16: "x"}
_FLOAT_PRECISION = {"e": 6, "E": 6, "f": 6, "F": 6}
_UNICODE_DIGITS = 4


def pad(flags: Flags, text: str, *, zero: bool | None = None) -> str:
    """Pad ``text`` to the width in characters; zeros are always on the left."""
    if not flags.width or flags.width <= len(text):
        return text
    if flags.minus:
        return text.ljust(flags.width)
    return text.rjust(flags.width, "0" if (flags.zero if zero is None else zero) else " ")


def write_bool(flags: Flags, value: bool, verb: str) -> str | None:
    """%t and %v; ``None`` for an unsupported verb, as in all functions below."""
    return pad(flags, "true" if value else "false") if verb in "tv" else None


def write_integer(flags: Flags, value: int, verb: str, *, signed: bool) -> str | None:
    """%d, %v, %b, %o, %O, %x, %X, %c, %q and %U."""
    match verb:
        case "v" if flags.sharp_v and not signed:
            return write_hexadecimal(flags, value, prefix=True)
        case "c":
            return pad(flags, rune_to_str(value))
        case "q":
            return pad(flags, quote_rune(value, ascii_only=flags.plus))
        case "U":
            return _format_unicode(flags, value % 2**64)
        case _ if verb in _BASES:
            return _format_digits(flags, value, verb)
        case _:
            return None


def write_hexadecimal(flags: Flags, value: int, *, prefix: bool) -> str:
    """%v of an unsigned number or an address, with or without 0x."""
    return _format_digits(replace(flags, sharp=prefix), value, "x")


def write_float(flags: Flags, value: float, verb: str, bits: int) -> str | None:
    """%v, %g, %G, %e, %E, %f, %F, %b, %x and %X."""
    if verb not in "vgGeEfFbxX":
        return None
    shape = {"v": "g", "F": "f"}.get(verb, verb)
    precision = flags.precision
    if precision is None:
        precision = _FLOAT_PRECISION.get(verb, SHORTEST)
    number = format_float(value, shape, precision, bits)
    if number[0] not in "+-":
        number = f"+{number}"
    if flags.space and number[0] == "+" and not flags.plus:
        number = f" {number[1:]}"
    if number[1] in "IN":
        bare = number[1] == "N" and not flags.space and not flags.plus
        return pad(flags, number[1:] if bare else number, zero=False)
    if flags.sharp and verb != "b":
        number = _add_point(number, shape, precision)
    if number[0] == "+" and not flags.plus:
        return pad(flags, number[1:])
    if flags.zero and not flags.minus and flags.width and flags.width > len(number):
        return number[0] + number[1:].rjust(flags.width - 1, "0")
    return pad(flags, number)


def write_complex(flags: Flags, value: complex, verb: str, bits: int) -> str | None:
    """%v, %g, and others of both parts; the imaginary part always has a sign."""
    real = write_float(flags, value.real, verb, bits // 2)
    imaginary = write_float(replace(flags, plus=True), value.imag, verb, bits // 2)
    return None if real is None else f"({real}{imaginary}i)"


def write_string(flags: Flags, text: str, verb: str) -> str | None:
    """%s, %v, %q, %x and %X."""
    match verb:
        case "s":
            return pad(flags, _truncate(flags, text))
        case "v":
            return _quote(flags, text) if flags.sharp_v else pad(flags, _truncate(flags, text))
        case "q":
            return _quote(flags, text)
        case "x" | "X":
            return write_bytes(flags, text.encode("utf-8", "surrogateescape"), verb)
        case _:
            return None


def write_bytes(flags: Flags, data: bytes, verb: str) -> str:
    """%x and %X of the bytes of a string: two digits for each byte."""
    if flags.precision is not None:
        data = data[: flags.precision]
    prefix = "0x" if flags.sharp else ""
    digits = data.hex(" ").replace(" ", f" {prefix}") if flags.space else data.hex()
    text = f"{prefix}{digits}" if data else ""
    return pad(flags, text.upper() if verb == "X" else text)


def _format_digits(flags: Flags, value: int, verb: str) -> str:
    """fmtInteger: precision and zero padding add digits, after the sign and the prefix."""
    base = _BASES[verb]
    least = 0
    if flags.precision is not None:
        least = flags.precision
        if least == 0 and value == 0:
            return " " * (flags.width or 0)
    elif flags.zero and not flags.minus and flags.width:
        least = flags.width - (value < 0 or flags.plus or flags.space)
    text = format(abs(value), _FORMATS[base]).rjust(least, "0")
    if flags.sharp:
        text = {2: "0b", 16: "0x", 8: "" if text.startswith("0") else "0"}.get(base, "") + text
    if verb == "O":
        text = f"0o{text}"
    sign = "-" if value < 0 else "+" if flags.plus else " " if flags.space else ""
    return pad(flags, sign + (text.upper() if verb == "X" else text), zero=False)


def _format_unicode(flags: Flags, code: int) -> str:
    """%U: U+0078, and with # also the character."""
    digits = max(flags.precision or 0, _UNICODE_DIGITS)
    text = f"U+{code:0{digits}X}"
    if flags.sharp and code <= MAX_RUNE and is_print(chr(code)):
        text += f" '{chr(code)}'"
    return pad(flags, text, zero=False)


def _add_point(number: str, verb: str, precision: int) -> str:
    """The flag #: a decimal point, and for %g the trailing zeros."""
    zeros = 0
    if verb in "gGx":
        zeros = 6 if precision == SHORTEST else precision
    ends = "pP" if verb in "xX" else "eEpP"
    cut = next((index for index, char in enumerate(number) if char in ends), len(number))
    number, tail = number[:cut], number[cut:]
    digits = number[1:].replace(".", "").lstrip("0")
    zeros -= len(digits)
    if "." not in number:
        if number[1:] == "0":
            zeros -= 1
        number += "."
    return number + "0" * max(zeros, 0) + tail


def _truncate(flags: Flags, text: str) -> str:
    if flags.width is None and flags.precision is None:
        return text
    return merge_escaped_bytes(text)[: flags.precision]


def _quote(flags: Flags, text: str) -> str:
    text = _truncate(flags, text)
    if flags.sharp and can_backquote(text):
        return pad(flags, f"`{text}`")
    return pad(flags, quote(text, ascii_only=flags.plus))


MAX_NUMBER = 1_000_000  # fmt.tooLarge: the limit of a width or precision


_INVALID_INDEX = -2  # an index from 0 that does not parse; that of ``[0]`` is -1


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
    indexes: tuple[int | None, int | None, int | None] = (None, None, None)
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
        pending = first not in (None, _INVALID_INDEX) and not width_star
        misplaced = pending and width is not None
        second, precision, precision_star = None, None, False
        if self.format[self.offset : self.offset + 1] == "." and self.offset + 1 < len(self.format):
            self.offset += 1
            misplaced = misplaced or pending
            second = self._scan_index()
            precision_star = self._accept("*")
            precision = None if precision_star else self._scan_number() or 0
            pending = second not in (None, _INVALID_INDEX) and not precision_star
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

    def _scan_index(self) -> int | None:
        """parseArgNumber; consume only ``[`` if no bracket closes it, and for ``[]`` at the end."""
        if not self.format.startswith("[", self.offset):
            return None
        closed = self.format.find("]", self.offset)
        if closed < 0 or self.format[self.offset :] == "[]":
            self.offset += 1
            return _INVALID_INDEX
        number = self.format[self.offset + 1 : closed]
        self.offset = closed + 1
        position = _parse_number(number) if number.isascii() and number.isdigit() else None
        return _INVALID_INDEX if position is None else position - 1

    def _scan_verb(self) -> str:
        verb = self.format[self.offset : self.offset + 1]
        self.offset += len(verb)
        return REPLACEMENT if not verb.isascii() and is_escaped_byte(verb) else verb


def _parse_number(digits: str) -> int | None:
    """Parse a number; ``None`` if it is missing or too large. Go checks before the last digit."""
    if not digits or len(digits.lstrip("0")) > len(str(MAX_NUMBER)) + 1:
        return None
    return int(digits) if int(digits[:-1] or "0") <= MAX_NUMBER else None


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
