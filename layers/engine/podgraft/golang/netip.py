"""IP addresses as net/netip parses them, for an IPv6 address in the host of a URL."""

import re

from podgraft.golang.strconv.quote import quote

_HEX = re.compile(r"[0-9a-fA-F]*")
_GROUPS = 8
_GROUP_DIGITS = 4
_DOTS = 3
_LARGEST_OCTET = 255


class AddressError(ValueError):
    """The text is not an IP address; the message is netip's."""


def check_ipv6_literal(text: str) -> None:
    """Raise ``AddressError`` unless the text is an IPv6 address, with or without a zone."""
    kind = next((char for char in text if char in ".:%"), "")
    match kind:
        case ":":
            _IPv6Parser(text).check()
        case ".":
            problem = _ipv4_error(text)
            raise AddressError(_error_text(text, *problem) if problem else "invalid IP-literal")
        case "%":
            raise AddressError(_error_text(text, "missing IPv6 address"))
        case _:
            raise AddressError(_error_text(text, "unable to parse IP"))


def _error_text(text: str, reason: str, rest: str = "") -> str:
    position = f" (at {quote(rest)})" if rest else ""
    return f"invalid host: ParseAddr({quote(text)}): {reason}{position}"


def _ipv4_error(text: str) -> tuple[str, str] | None:
    """The problem of a dotted address and the text at its position; ``None`` if it is valid."""
    dots = digits = value = 0
    for index, char in enumerate(text):
        if char == ".":
            if not digits or index == len(text) - 1:
                return "IPv4 field must have at least one digit", text[index:]
            if dots == _DOTS:
                return "IPv4 address too long", ""
            dots, digits, value = dots + 1, 0, 0
            continue
        if char not in "0123456789":
            return "unexpected character", text[index:]
        if digits == 1 and value == 0:
            return "IPv4 field has octet with leading zero", ""
        digits, value = digits + 1, value * 10 + int(char)
        if value > _LARGEST_OCTET:
            return "IPv4 field has value >255", ""
    return ("IPv4 address too short", "") if dots < _DOTS else None


class _IPv6Parser:
    """A parser that reads an IPv6 address group by group."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest, percent, zone = text.partition("%")
        if percent and not zone:
            self._fail("zone must be a non-empty string")
        self._groups = 0
        self._ellipsis = False

    def check(self) -> None:
        """Raise ``AddressError`` for the first error."""
        if self._rest.startswith("::"):
            self._ellipsis = True
            self._rest = self._rest[2:]
        if self._ellipsis and not self._rest:
            return
        while self._groups < _GROUPS and self._parse_group():
            pass
        if self._rest:
            self._fail("trailing garbage after address", at_rest=True)
        if self._groups < _GROUPS and not self._ellipsis:
            self._fail("address string too short")
        if self._groups == _GROUPS and self._ellipsis:
            self._fail("the :: must expand to at least one field of zeros")

    def _parse_group(self) -> bool:
        """Read a group and its colon. Return whether the address continues."""
        size = _size(self._rest)
        if size > _GROUP_DIGITS:
            self._fail("each group must have 4 or less digits", at_rest=True)
        if size == 0:
            reason = "each colon-separated field must have at least one digit"
            self._fail(reason, at_rest=True)
        if self._rest[size : size + 1] == ".":
            self._parse_dotted_quad()
            return False
        self._groups += 1
        self._rest = self._rest[size:]
        return bool(self._rest) and self._parse_colon()

    def _parse_dotted_quad(self) -> None:
        if not self._ellipsis and self._groups != _GROUPS - 2:
            reason = "embedded IPv4 address must replace the final 2 fields of the address"
            self._fail(reason, at_rest=True)
        if self._groups > _GROUPS - 2:
            reason = "too many hex fields to fit an embedded IPv4 at the end of the address"
            self._fail(reason, at_rest=True)
        problem = _ipv4_error(self._rest)
        if problem:
            raise AddressError(_error_text(self._text, *problem))
        self._groups += 2
        self._rest = ""

    def _parse_colon(self) -> bool:
        if self._rest[0] != ":":
            self._fail("unexpected character, want colon", at_rest=True)
        if self._rest == ":":
            self._fail("colon must be followed by more characters", at_rest=True)
        self._rest = self._rest[1:]
        if self._rest[0] == ":":
            if self._ellipsis:
                self._fail("multiple :: in address", at_rest=True)
            self._ellipsis = True
            self._rest = self._rest[1:]
        return bool(self._rest)

    def _fail(self, reason: str, *, at_rest: bool = False) -> None:
        raise AddressError(_error_text(self._text, reason, self._rest if at_rest else ""))


def _size(text: str) -> int:
    match = _HEX.match(text)
    return match.end() if match else 0
