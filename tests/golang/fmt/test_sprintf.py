"""Printing apart from what Go was asked: addresses, maps of mixed keys, and short cuts."""

import pytest

from oracle.typed import decode
from podgraft.golang import reflect as go
from podgraft.golang.fmt.sprintf import sprint, sprintf
from podgraft.golang.reflect import GoType, Kind, Value

ADDRESS = "0xc000010000"
POINTER = {"$type": "*int", "value": 5}
ADDRESSES = (
    ("%v", POINTER, ADDRESS),
    ("%p", POINTER, ADDRESS),
    ("%#p", POINTER, ADDRESS[2:]),
    ("%#v", POINTER, f"(*int)({ADDRESS})"),
    ("%#v", {"$type": "*int", "value": None}, "(*int)(nil)"),
    ("%d", POINTER, str(int(ADDRESS, 16))),
    ("%x", POINTER, ADDRESS[2:]),
    ("%s", POINTER, f"%!s(*int={ADDRESS})"),
    ("%20v|", POINTER, f"{ADDRESS:>20}|"),
    ("%v", [POINTER], f"[{ADDRESS}]"),
    ("%v", {"$type": "[]*main.Point", "value": [{"X": 1}, None]}, f"[{ADDRESS} <nil>]"),
    ("%p", {"a": 1}, ADDRESS),
    ("%p", [1], ADDRESS),
    ("%p", {"$type": "[]int", "value": None}, "0x0"),
    ("%p", 1, "%!p(int=1)"),
)


@pytest.mark.parametrize(("format_", "value", "wanted"), ADDRESSES, ids=str)
def test_everything_lives_at_one_address(format_: str, value: Value, wanted: str) -> None:
    assert sprintf(format_, (decode(value),)) == wanted


def test_keys_of_several_types_go_by_the_names_of_their_types() -> None:
    mixed = go.map_of(go.ANY, go.INT).convert({"b": 1, 2: 2, 1.5: 3, "a": 4, None: 5})
    assert sprint(mixed) == "map[<nil>:5 1.5:3 2:2 a:4 b:1]"


def test_a_value_of_a_kind_that_cannot_be_is_shown_by_its_type() -> None:
    odd = GoType("func()", Kind.FUNC)
    assert sprint(go.Pointer(odd, None)) == "?func()?"


SHOWN = {
    "15020": 15020.0,
    "-0.5": -0.5,
    "100000": 1e5,
    "1e+06": 1e6,
    "999999.5": 999999.5,
    "0.0001": 1e-4,
    "9.9e-05": 9.9e-5,
    "0": 0.0,
    "-0": -0.0,
    "1.23456789e+08": 123456789.0,
    "+Inf": float("inf"),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_floats_of_helm_values_print_as_in_go(shown: str) -> None:
    assert sprint(SHOWN[shown]) == shown
