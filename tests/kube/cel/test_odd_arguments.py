"""Each function with odd arguments gives a value or CEL's own error, never one of Python.

Zero and NaN are as cel-go 0.29 prints and compares them.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from random import Random

import pytest

from podgraft.kube.cel import Environment, EvaluationError, Meter
from podgraft.kube.cel.library import FUNCTIONS
from podgraft.kube.cel.library.operators import ACCESS, LOGIC, OPTIONAL_ACCESS
from podgraft.kube.cel.overloads import OverloadSet
from podgraft.kube.cel.values import (
    INT_MAX,
    INT_MIN,
    NONE,
    UINT_MAX,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    Uint,
    Value,
)
from support.effort import scaled

ENVIRONMENT = Environment({"object": "dyn"})
MADE = (
    "quantity('1.5Gi')",
    "quantity('-1e3')",
    "semver('1.2.3-rc.1')",
    "ip('192.0.2.7')",
    "ip('::1')",
    "cidr('192.0.2.0/24')",
    "cidr('::/0')",
    "url('https://user@example.com:80/a?b=c')",
    "url('https://a%ff/%ff?%ff=%ff')",
    "format.named('date').value()",
)


def evaluate(text: str, value: Value = None) -> Value:
    return ENVIRONMENT.compile_(text).evaluate({"object": value}, Meter(10**9))


ODD: tuple[Value, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, INT_MIN, INT_MAX, Uint(0), Uint(1), Uint(UINT_MAX)),
    *(0.0, -0.0, 0.5, 1e300, -1e300, 5e-324, math.nan, math.inf, -math.inf, float(2**63)),
    *(
        "",
        "a",
        "é\U0001f600",
        "%s",
        "%",
        "1h",
        "-1ns",
        "2024-01-01T00:00:00Z",
        "a,b",
        "[",
        "\x7f\x80",
        "1" * 400,
    ),
    *(b"", b"a", b"\xff"),
    *([], [None], [math.nan], [1, "a"], [0.0, math.nan], [[1], []], ["b", "a"], [Uint(1), 1]),
    *({}, {"a": None}, {1: 2.0}, {True: 1}, {"a": [math.nan]}),
    *(TypeValue("int"), Timestamp(0), Timestamp(253_402_300_799_999_999_999), Duration(0)),
    *(Duration(INT_MIN), Duration(INT_MAX), NONE, Optional(True, math.nan)),
)


@pytest.fixture(scope="module")
def values() -> tuple[Value, ...]:
    return (*ODD, *map(evaluate, MADE))


def call(function: OverloadSet, arguments: tuple[Value, ...]) -> None:
    try:
        overload = function.pick(arguments)
        result = overload.call(*arguments)
        overload.cost(list(arguments), result)
        text = repr(result)
    except EvaluationError as error:
        text = repr(str(error))
    # Bytes that are no UTF-8 are in no text: no response can contain them.
    assert "URL(" in text or "\\udc" not in text


def make_arguments(
    random: Random, values: tuple[Value, ...], count: int
) -> Iterator[tuple[Value, ...]]:
    """All arguments of up to two values, and a sample of three and four."""
    if count <= 2:
        yield from itertools.product(values, repeat=count)
    else:
        for _ in range(scaled(3000)):
            yield tuple(random.choices(values, k=count))


_SPECIAL = {row.name for row in (*LOGIC, *ACCESS, *OPTIONAL_ACCESS)}


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - _SPECIAL))
def test_odd_arguments_give_a_value_or_an_error_of_cel(
    name: str, values: tuple[Value, ...]
) -> None:
    random = Random(name)  # noqa: S311 - the same arguments each time
    for count in range(1, 5):
        for arguments in make_arguments(random, values, count):
            try:
                call(FUNCTIONS[name], arguments)
            except Exception as error:
                raise AssertionError((name, arguments)) from error


ACCESSES = ("object.l[object.k]", "object.l[?object.k].orValue(1)", "object.k in object.l",
            "{object.k: 1}", "object.l.all(x, x == object.k)", "object.l < object.k")  # fmt: skip


@pytest.mark.parametrize("text", ACCESSES)
def test_an_access_gives_a_value_or_an_error_of_cel(text: str, values: tuple[Value, ...]) -> None:
    program = ENVIRONMENT.compile_(text)
    for container, key in itertools.product(values, repeat=2):
        try:
            program.evaluate({"object": {"l": container, "k": key}}, Meter(10**9))
        except EvaluationError:
            continue
        except Exception as error:
            raise AssertionError((text, container, key)) from error


TEXTS: Mapping[str, str] = {
    "string(0.0)": "0",
    "string(dyn(quantity('1')) == dyn(null))": "false",
    "string(18446744073709551615u / 1u)": "18446744073709551615",
    "string(quantity('1.0').isInteger())": "false",
    "string(optional.ofNonZeroValue(timestamp(0)).hasValue())": "true",
    "string([1.5].filter(x, false).sum())": "0",
    "string(dyn(ip('::1')) != dyn('a'))": "true",
    "string(-0.0)": "-0",
    "string(1.0)": "1",
    "string(1e6)": "1e+06",
    "string(9007199254740993.0)": "9.007199254740992e+15",
    "'%s'.format([0.0])": "0",
    "'%f'.format([dyn(-0.0)])": "0.000000",
    "'%e'.format([dyn(-0.0)])": "0.000000\u00d710\u2070\u2070",
    "'%s'.format([[double('NaN'), double('Infinity'), double('-Infinity')]])": (
        '["NaN", "+Inf", "-Inf"]'
    ),
    "'%s'.format([double('NaN')])": "NaN",
}


@pytest.mark.parametrize(("text", "printed"), TEXTS.items())
def test_zero_and_nan_are_printed_as_go_prints_them(text: str, printed: str) -> None:
    assert evaluate(text) == printed


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("other", ["1.0", "1", "1u", "double('NaN')"])
def test_nan_cannot_be_ordered(operator: str, other: str) -> None:
    for text in (f"double('NaN') {operator} {other}", f"{other} {operator} double('NaN')"):
        with pytest.raises(EvaluationError, match="NaN values cannot be ordered"):
            evaluate(text.replace("double('NaN')", "dyn(object)"), math.nan)


@pytest.mark.parametrize("text", ["double('NaN') == double('NaN')", "object == object"])
def test_nan_equals_nothing(text: str) -> None:
    assert evaluate(text, math.nan) is False


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (1.5, "1.5"),
        (1e300, "1e+300"),
        (2.0**63, "9.223372036854776e+18"),
    ],
)
def test_an_index_that_is_no_integer_is_an_error(key: float, shown: str) -> None:
    for text in ("[1][object]", "[1][?object].orValue(1)"):
        with pytest.raises(EvaluationError) as raised:
            evaluate(text, key)
        assert shown in str(raised.value)
