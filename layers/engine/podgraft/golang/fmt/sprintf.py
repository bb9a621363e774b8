"""Go's fmt: Sprint, Sprintln and Sprintf of Go values (fmt/print.go)."""

import re
from collections.abc import Sequence

from msgspec import Struct, field

from podgraft.golang.errors import LimitExceededError
from podgraft.golang.reflect import Value, type_of
from podgraft.golang.strconv.quote import REPLACEMENT, is_escaped_byte, merge_escaped_bytes

from .format import PLAIN, Flags
from .print import INTEGERS, print_arg

# The limit of one formatted text: the size that a template can render, see Limits.
MAX_CHARACTERS = 8 * 1024 * 1024
_MAX_NUMBER = 1_000_000  # fmt.tooLarge: the limit of a width or precision

_FLAGS = re.compile(r"[#0+\- ]*")
_DIGITS = re.compile(r"[0-9]*")

# Floats in this range have no exponent, neither in Go nor in Python.
_PLAIN_FROM, _PLAIN_BELOW = 1e-4, 1e6


def sprint(*values: Value) -> str:
    """fmt.Sprint: default formats, with a space between two operands if neither is a string.

    >>> sprint("a", 1, 2.0, True, None, "b")
    'a1 2 true <nil>b'
    """
    parts: list[str] = []
    after_string = True
    for value in values:
        is_string = isinstance(value, str)
        if parts and not is_string and not after_string:
            parts.append(" ")
        parts.append(format_default(value))
        after_string = is_string
    return merge_escaped_bytes("".join(parts))


def sprintln(*values: Value) -> str:
    """fmt.Sprintln: default formats, spaces between all operands, and a newline."""
    return " ".join(map(format_default, values)) + "\n"


def format_default(value: Value) -> str:
    """Format ``value`` as %v does."""
    if value.__class__ is str:
        return value
    if value.__class__ is int:
        return str(value)
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is float and _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        return repr(value).removesuffix(".0")
    return print_arg(PLAIN, "v", value)


def sprintf(format_: str, arguments: Sequence[Value]) -> str:
    """fmt.Sprintf.

    >>> sprintf("%-5s|%05.1f|%+d|%q", ("ab", 3.14159, 7, "x"))
    'ab   |003.1|+7|"x"'
    >>> sprintf("%d %s", ("x",))
    '%!d(string=x) %!s(MISSING)'
    """
    formatter = _Formatter(format_, arguments)
    while (percent := format_.find("%", formatter.offset)) >= 0:
        formatter.write(format_[formatter.offset : percent])
        formatter.offset = percent + 1
        formatter.write(formatter.format_directive())
    formatter.write(format_[formatter.offset :])
    formatter.write(formatter.describe_extra_arguments())
    return merge_escaped_bytes("".join(formatter.parts))


class _Formatter(Struct):
    """The offset in the format, the next argument, and the output so far (doPrintf)."""

    format: str
    arguments: Sequence[Value]
    offset: int = 0
    next: int = 0
    reordered: bool = False
    is_index_valid: bool = True
    length: int = 0
    parts: list[str] = field(default_factory=list[str])

    def write(self, text: str) -> None:
        self.length += len(text)
        if self.length > MAX_CHARACTERS:
            raise LimitExceededError(f"formats more than {MAX_CHARACTERS} characters")
        self.parts.append(text)

    def format_directive(self) -> str:
        """Format ``[flags] [index] [width] ["." [index] [precision]] [index] verb``, after ``%``.

        An index can precede a star and the verb, but no number. Most directives are only a verb.
        """
        self.is_index_valid = True
        if "a" <= self.format[self.offset : self.offset + 1] <= "z":
            return self._format_operand(PLAIN, self._scan_verb())
        characters = self._scan_pattern(_FLAGS)
        is_selected = self._select_argument()
        if self._accept("*"):
            width, is_selected = self._read_integer(-_MAX_NUMBER, "%!(BADWIDTH)"), False
        else:
            width = self._scan_number()
            self.is_index_valid &= not is_selected or width is None
        precision = None
        if self.offset + 1 < len(self.format) and self._accept("."):
            self.is_index_valid &= not is_selected
            is_selected = self._select_argument()
            if self._accept("*"):
                precision, is_selected = self._read_integer(0, "%!(BADPREC)"), False
            else:
                precision = self._scan_number() or 0
        if not is_selected:
            self._select_argument()
        verb = self._scan_verb()
        return self._format_operand(_parse_flags(characters, width, precision, verb), verb)

    def _format_operand(self, flags: Flags, verb: str) -> str:
        if not verb:
            return "%!(NOVERB)"
        if verb == "%":
            return "%"
        if not self.is_index_valid:
            return f"%!{verb}(BADINDEX)"
        if self.next >= len(self.arguments):
            return f"%!{verb}(MISSING)"
        self.next += 1
        value = self.arguments[self.next - 1]
        if value.__class__ is str and flags is PLAIN and verb in "sv":
            return value
        return print_arg(flags, verb, value)

    def describe_extra_arguments(self) -> str:
        """Describe the arguments that no directive used: ``%!(EXTRA …)``."""
        if self.reordered or self.next >= len(self.arguments):
            return ""
        rest = self.arguments[self.next :]
        operands = (f"{type_of(v)}={format_default(v)}" if v is not None else "<nil>" for v in rest)
        return f"%!(EXTRA {', '.join(operands)})"

    def _select_argument(self) -> bool:
        """Select the next argument by ``[n]``, and return whether n is a number (argNumber).

        Consume only ``[`` if no bracket closes it, and for ``[]`` at the end.
        """
        if not self._accept("["):
            return False
        self.reordered = True
        closed = self.format.find("]", self.offset)
        number = None
        if closed >= 0 and self.format[self.offset :] != "]":
            digits = self.format[self.offset : closed]
            self.offset = closed + 1
            number = _parse_number(digits) if digits.isascii() and digits.isdigit() else None
        if number is not None and 1 <= number <= len(self.arguments):
            self.next = number - 1
        else:
            self.is_index_valid = False
        return number is not None

    def _read_integer(self, least: int, problem: str) -> int | None:
        """Read the next argument; write the problem if it is no integer in range (intFromArg)."""
        if self.next < len(self.arguments):
            value = self.arguments[self.next]
            self.next += 1
            type_ = type_of(value)
            if type_ and type_.kind in INTEGERS and least <= value <= _MAX_NUMBER:
                return int(value)
        self.write(problem)
        return None

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
        digits = self._scan_pattern(_DIGITS)
        number = _parse_number(digits)
        if number is None and digits:
            self.offset = len(self.format)
        return number

    def _scan_verb(self) -> str:
        verb = self.format[self.offset : self.offset + 1]
        self.offset += len(verb)
        return REPLACEMENT if not verb.isascii() and is_escaped_byte(verb) else verb


def _parse_number(digits: str) -> int | None:
    """Parse a number; ``None`` if it is missing or too large. Go checks before the last digit."""
    if not digits or len(digits.lstrip("0")) > len(str(_MAX_NUMBER)) + 1:
        return None
    return int(digits) if int(digits[:-1] or "0") <= _MAX_NUMBER else None


def _parse_flags(characters: str, width: int | None, precision: int | None, verb: str) -> Flags:
    """The flags of a directive; with %v, ``#`` and ``+`` mean Go syntax and field names.

    A negative width aligns to the left.
    """
    is_value = verb in ("v", "w")
    plus, sharp = "+" in characters, "#" in characters
    return Flags(
        width=None if width is None else abs(width),
        precision=precision,
        minus="-" in characters or (width or 0) < 0,
        plus=plus and not is_value,
        sharp=sharp and not is_value,
        space=" " in characters,
        zero="0" in characters,
        plus_v=plus and is_value,
        sharp_v=sharp and is_value,
    )
