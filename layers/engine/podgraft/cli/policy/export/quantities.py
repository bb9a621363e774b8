"""Arithmetic of quantities in CEL, which can read them, but neither multiply nor print them."""

from __future__ import annotations

from msgspec import Struct

from podgraft.base.jsonvalue import JSON
from podgraft.kube.quantity import Format, Quantity, QuantityError, from_json

from .errors import ExportError

_MILLI = -3
# Thousandths of Ki.
_KIBI = 1_024_000
_SUFFIXES = {Format.BINARY: 1, Format.EXPONENT: 2}
# The methods of Go's ResourceList, and their keys.
METHODS = {"Cpu": "cpu", "Memory": "memory", "StorageEphemeral": "ephemeral-storage"}


class Amount(Struct, frozen=True):
    """A list in CEL: an integer of thousandths, and its suffix: decimal 0, binary 1, exponent 2.

    Templates pass quantities as text, and a text without a suffix is decimal. One that is read of
    the object is no text in Go.
    """

    pair: str
    is_read: bool = False

    @property
    def text(self) -> str:
        """The canonical text in CEL; an error for an exponent."""
        return self._format(f"a[1] == 2 ? [''][1] : {_DECIMALS}")

    @property
    def field_text(self) -> str:
        """The text as the value of a quantity: YAML reads an exponent as a number."""
        return self._format(_DECIMALS)

    def _format(self, others: str) -> str:
        binary = _list_units("a[0] / 1000", 1024, ("", "Ki", "Mi", "Gi", "Ti", "Pi"))
        return f"[{self.pair}].map(a, a[0] == 0 ? '0' : a[1] == 1 ? {binary} : {others})[0]"

    def multiply(self, factor: JSON) -> Amount:
        """The product with a constant, rounded up as by ``quantityMul``; raises ``ExportError``."""
        quantity = _read_constant(factor)
        times = quantity.unscaled * 10 ** max(0, quantity.exponent)
        parts = 10 ** max(0, -quantity.exponent)
        whole, thousandths = (
            f"(a[0] * {times} + {unit - 1}) / {unit}" for unit in (parts * 1000, parts)
        )
        number = f"a[1] == 1 ? {whole} * 1000 : {thousandths}"
        suffix = f"a[1] == 1 && a[0] % {_KIBI} != 0 ? 0 : a[1]"
        return Amount(f"[{self.pair}].map(a, [{number}, a[1]]).map(a, [a[0], {suffix}])[0]")

    def extreme(self, other: Amount, operator: str) -> Amount:
        """The first amount if it is not less (``>=``), or not more (``<=``), or else the other."""
        test = f"p[0][0] {operator} p[1][0]"
        return Amount(f"[[{self.pair}, {other.pair}]].map(p, {test} ? p[0] : p[1])[0]")


def add_all(pairs: str) -> Amount:
    """The sum of a list of amounts in CEL, with the suffix of the first that is not 0."""
    first = "(p.filter(a, a[0] != 0).map(a, a[1]) + [0])[0]"
    suffix = f"{first} == 1 && !p.all(a, a[0] % {_KIBI} == 0) ? 0 : {first}"
    return Amount(f"[{pairs}].map(p, [p.map(a, a[0]).sum(), {suffix}])[0]")


def _list_units(number: str, factor: int, suffixes: tuple[str, ...]) -> str:
    """The number with the largest suffix that leaves an integer."""
    *smaller, last = (
        (f"string({number} / {factor**power}) + '{suffix}'", factor ** (power + 1))
        for power, suffix in enumerate(suffixes)
    )
    tests = "".join(f"{number} % {limit} != 0 ? {text} : " for text, limit in smaller)
    return f"({tests}{last[0]})"


def read_text(text: str) -> Amount:
    """The canonical quantity in an expression, of at most milli precision."""
    suffix = "s.endsWith('i') ? 1 : s.matches('[eE][+-]?[0-9]') ? 2 : 0"
    number = "s.endsWith('m') ? int(s.substring(0, s.size() - 1)) : quantity(s).asInteger() * 1000"
    return Amount(f"[{text}].map(s, [{number}, {suffix}])[0]", is_read=True)


def make_constant(value: JSON) -> Amount:
    """The amount of a constant; raises ``ExportError``."""
    quantity = _read_constant(value)
    if quantity.exponent < _MILLI:
        raise ExportError("it has a quantity with less than a thousandth")
    number = quantity.scale_unbounded(_MILLI)
    suffix = _SUFFIXES.get(quantity.format, 0)
    return Amount(f"[{number}, {0 if suffix == 1 and number % _KIBI else suffix}]")


def _read_constant(value: JSON) -> Quantity:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            quantity = from_json(value)
        except QuantityError as error:
            raise ExportError(str(error)) from error
        if quantity.sign >= 0:
            return quantity
    raise ExportError("it calculates with a negative number, or with no quantity")


_DECIMALS = _list_units("a[0]", 1000, ("m", "", "k", "M", "G", "T", "P"))
