"""Our dataclasses are those of the standard library, for what the engine asks of them."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from inspect import signature
from typing import Any, Generic, TypeVar

import pytest

from podgraft.lazy_dataclass import dataclass

T = TypeVar("T")
Decorator = Callable[..., Any]


def _classes(decorator: Decorator) -> dict[str, Any]:
    """The same classes, by one decorator or the other."""

    @decorator(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2

    @decorator(frozen=True, slots=True, kw_only=True)
    class Placed:
        start: int = field(default=0, compare=False, repr=False)

    @decorator(frozen=True, slots=True)
    class Named(Placed):
        name: str
        parts: list[str] = field(default_factory=list[str])

    @decorator(slots=True)
    class Changing:
        count: int = 0

    @decorator(frozen=True, slots=True)
    class Of(Generic[T]):
        value: T

    @decorator(frozen=True, slots=True)
    class Nothing:
        def __repr__(self) -> str:
            return "nothing"

    @decorator(slots=True, eq=False, repr=False)
    class Itself:
        value: int

    return {made.__name__: made for made in (Point, Placed, Named, Changing, Of, Nothing, Itself)}


OURS, THEIRS = _classes(dataclass), _classes(dataclasses.dataclass)

CALLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "by place": lambda c: c["Point"](1, 3),
    "by name": lambda c: c["Point"](y=3, x=1),
    "default": lambda c: c["Point"](1),
    "inherited": lambda c: c["Named"]("a", start=4),
    "made default": lambda c: c["Named"]("a", ["b"]),
    "changing": lambda c: c["Changing"](3),
    "generic": lambda c: c["Of"](3),
    "empty": lambda c: c["Nothing"](),
    "replaced": lambda c: dataclasses.replace(c["Named"]("a", start=4), name="b"),
    "copied": lambda c: copy.copy(c["Point"](1)),
}


def test_both_have_the_same_classes() -> None:
    assert set(OURS) == set(THEIRS)


@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_values_show_and_hold_the_same(make: Callable[[dict[str, Any]], Any]) -> None:
    ours, theirs = make(OURS), make(THEIRS)
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert ours.__match_args__ == theirs.__match_args__
    assert _slots(ours) == _slots(theirs)
    assert ours == make(OURS)
    assert ours != theirs


def _slots(value: object) -> tuple[str, ...]:
    return vars(value.__class__)["__slots__"]


@pytest.mark.parametrize("name", sorted(OURS))
def test_parameters_are_the_same_once_a_value_was_made(name: str) -> None:
    given = {"Point": (1,), "Named": ("a",), "Of": (1,), "Itself": (1,)}.get(name, ())
    OURS[name](*given)
    wanted = [(each.name, each.kind) for each in signature(THEIRS[name]).parameters.values()]
    assert [(e.name, e.kind) for e in signature(OURS[name]).parameters.values()] == wanted


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_what_does_not_count_is_not_compared(classes: dict[str, Any]) -> None:
    assert classes["Placed"](start=1) == classes["Placed"](start=2)
    assert hash(classes["Placed"](start=1)) == hash(classes["Placed"](start=2))
    assert classes["Point"](1) != classes["Point"](2)
    assert classes["Point"](1) != classes["Changing"](1)
    assert classes["Itself"](1) != classes["Itself"](1)


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_frozen_values_refuse_to_change(classes: dict[str, Any]) -> None:
    point = classes["Point"](1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert point.x == 1


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_what_can_change_has_no_hash(classes: dict[str, Any]) -> None:
    changing = classes["Changing"]()
    changing.count += 1
    assert changing.count == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(changing)


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
@pytest.mark.parametrize("given", [(), (1, 2, 3)], ids=["too little", "too much"])
def test_invalid_calls_are_type_errors(classes: dict[str, Any], given: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match=r"__init__\(\)"):
        classes["Point"](*given)


@dataclass(frozen=True, slots=True)
class FrozenValue:
    """A value that a pickle can name."""

    value: int


def test_frozen_values_survive_pickling() -> None:
    assert pickle.loads(pickle.dumps(FrozenValue(3))) == FrozenValue(3)  # noqa: S301 — our own


def test_positions_match_in_patterns() -> None:
    match FrozenValue(3):
        case FrozenValue(value):
            assert value == 3
