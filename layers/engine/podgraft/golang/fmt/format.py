"""The format of one value by its kind, with the flags of a directive (fmt/format.go)."""

from msgspec import Struct
from msgspec.structs import replace

from podgraft.golang.strconv.ftoa import SHORTEST, format_float
from podgraft.golang.strconv.quote import (
    MAX_RUNE,
    can_backquote,
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
