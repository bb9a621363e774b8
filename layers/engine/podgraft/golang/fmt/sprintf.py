"""Go's fmt: Sprint, Sprintln and Sprintf of Go values (fmt/print.go)."""

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.golang.errors import LimitExceededError
from podgraft.golang.reflect import Value, type_of
from podgraft.golang.strconv.quote import merge_escaped_bytes

from .format import MAX_NUMBER, PLAIN, Directive, Flags, parse_directives
from .print import SIGNED, UNSIGNED, print_arg

# The limit of one formatted text: the size that a template can render, see Limits.
MAX_CHARACTERS = 8 * 1024 * 1024


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
    formatter = _Formatter(arguments)
    directives, rest = parse_directives(format_)
    for directive in directives:
        formatter.write(directive.text)
        formatter.write(formatter.format_directive(directive))
    formatter.write(rest)
    formatter.write(formatter.describe_extra_arguments())
    return merge_escaped_bytes("".join(formatter.parts))


class _Formatter(Struct):
    """The next argument and the output so far (doPrintf)."""

    arguments: Sequence[Value]
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

    def format_directive(self, directive: Directive) -> str:
        """Format one directive."""
        self.is_index_valid = not directive.misplaced
        before_width, before_precision, before_verb = directive.indexes
        flags = directive.flags
        self._select_argument(before_width)
        if directive.width_star:
            flags = self._read_width(flags)
        self._select_argument(before_precision)
        if directive.precision_star:
            flags = self._read_precision(flags)
        self._select_argument(before_verb)
        return self._format_operand(flags, directive.verb)

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
        return print_arg(flags, verb, self.arguments[self.next - 1])

    def describe_extra_arguments(self) -> str:
        """Describe the arguments that no directive used: ``%!(EXTRA …)``."""
        if self.reordered or self.next >= len(self.arguments):
            return ""
        rest = self.arguments[self.next :]
        operands = (f"{type_of(v)}={format_default(v)}" if v is not None else "<nil>" for v in rest)
        return f"%!(EXTRA {', '.join(operands)})"

    def _select_argument(self, index: int | None) -> None:
        """Select the next argument by ``[n]`` (argNumber)."""
        if index is None:
            return
        self.reordered = True
        if 0 <= index < len(self.arguments):
            self.next = index
        else:
            self.is_index_valid = False

    def _read_width(self, flags: Flags) -> Flags:
        """Read the next argument as width; a negative width aligns to the left."""
        width = self._read_integer()
        if width is None:
            self.write("%!(BADWIDTH)")
        elif width < 0:
            return replace(flags, width=-width, minus=True, zero=False)
        return replace(flags, width=width)

    def _read_precision(self, flags: Flags) -> Flags:
        precision = self._read_integer()
        if precision is None or precision < 0:
            self.write("%!(BADPREC)")
            return flags
        return replace(flags, precision=precision)

    def _read_integer(self) -> int | None:
        """Read the next argument if it is an integer of at most 1,000,000 (intFromArg)."""
        if self.next >= len(self.arguments):
            return None
        value = self.arguments[self.next]
        self.next += 1
        type_ = type_of(value)
        is_integer = type_ is not None and (type_.kind in SIGNED or type_.kind in UNSIGNED)
        return int(value) if is_integer and abs(value) <= MAX_NUMBER else None
