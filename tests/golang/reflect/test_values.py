"""Go values: zero values, views of raw JSON, truth, methods and pointers."""

from math import inf

import pytest

from oracle.go_types import array_of
from podgraft.golang import reflect as go
from podgraft.golang.reflect import Field, GoType, Kind, Map, Method, Pointer, Slice, Struct, Value
from podgraft.golang.reflect.constructors import COMPLEX64
from podgraft.golang.reflect.values import COMPLEX128


def shift(point: Value) -> int:
    return point.field("X") + 1


POINT = go.struct_type("Point", {"Shift": Method(shift, pointer=True)})
POINT.fields = (Field("X", go.INT, json="x"), Field("inner", go.INT, json="inner"))
SHAPE = go.struct_type("Shape")
SHAPE.fields = (
    Field("At", POINT, json="at"),
    Field("To", go.pointer_to(POINT), json="to"),
    Field("Path", go.slice_of(POINT), json="path"),
    Field("Tags", go.STRING_MAP, json="tags"),
    Field("Extra", go.ANY, json="extra"),
    Field("Point", go.pointer_to(POINT), json="point", embedded=True),
)

ZEROS: dict[GoType, Value] = {
    go.BOOL: False,
    go.INT: 0,
    go.FLOAT64: 0.0,
    COMPLEX128: 0j,
    go.STRING: "",
    go.INT8: 0,
    go.FLOAT32: 0.0,
    go.scalar_type("Half", Kind.FLOAT64): 0.0,
    go.scalar_type("Wave", Kind.COMPLEX128): 0j,
    go.scalar_type("Word", Kind.STRING): "",
    go.ANY: None,
}


@pytest.mark.parametrize("type_", ZEROS, ids=str)
def test_what_is_absent_is_the_zero_value(type_: GoType) -> None:
    zero = type_.convert(None)
    assert zero == ZEROS[type_]
    assert go.type_of(zero) is (None if type_ is go.ANY else type_)
    assert type_.convert(zero) is zero or zero == 0.0
    assert not zero


def test_nil_collections_and_pointers_are_typed_and_false() -> None:
    for type_ in (go.ANY_MAP, go.ANY_SLICE, go.STRINGS, go.STRING_MAP, go.pointer_to(go.INT)):
        nil = type_.convert(None)
        assert go.type_of(nil) is type_
        assert not nil
    assert [*go.STRINGS.convert(None)] == []
    assert [*go.STRING_MAP.convert(None)] == [*go.STRING_MAP.convert(None).items()] == []
    assert "a" not in go.STRING_MAP.convert(None)
    assert go.STRING_MAP.convert(None).get("a") == ""


def test_a_struct_shows_raw_json_through_its_fields() -> None:
    raw = {"at": {"x": 1}, "to": {"x": 2}, "path": [{"x": 3}], "tags": {"a": "b"}, "odd": 1}
    shape = Struct(SHAPE, raw)
    assert shape.field("At").field("X") == 1
    assert shape.field("To").target.field("X") == 2
    assert [point.field("X") for point in shape.field("Path")] == [3]
    assert shape.field("Path")[0].field("X") == 3
    assert shape.field("Tags").get("a") == "b"
    assert dict(shape.field("Tags").items()) == {"a": "b"}
    assert "a" in shape.field("Tags")
    assert len(shape.field("Tags")) == len(shape.field("Path")) == 1
    assert shape.field("Extra") is None
    with pytest.raises(KeyError):
        shape.field("Odd")


def test_a_field_is_converted_once() -> None:
    shape = Struct(SHAPE, {"at": {"x": 1, "inner": 2}})
    assert shape.field("At") is shape.field("At")
    assert shape.field("At").field("inner") == 2
    assert "inner" not in shape.field("At").cached_fields  # which holds what templates may see


def test_a_field_promoted_from_a_nil_pointer_panics() -> None:
    with pytest.raises(go.PanicError, match="nil pointer to embedded struct field Point"):
        Struct(SHAPE, {}).field("X")
    assert Struct(SHAPE, {"point": {"x": 4}}).field("X") == 4


def test_what_pointers_and_slices_hold_is_addressable() -> None:
    """And so are its fields; a copy, or what a map holds, is not."""
    points = go.slice_of(POINT).convert([{"x": 1}])
    shape = go.pointer_to(SHAPE).convert({"at": {"x": 1}})
    places = go.map_of(go.STRING, POINT).convert({"a": {"x": 1}})
    assert points[0].addressable
    assert all(point.addressable for point in points)
    assert shape.target.field("At").addressable
    assert not places.get("a").addressable
    assert not go.copy_value(points[0]).addressable
    assert go.copy_value(places.get("a")).field("X") == 1


def test_pointer_methods_need_an_address() -> None:
    pointer = go.pointer_to(POINT).convert({"x": 1})
    for reachable in (pointer, pointer.target):
        bound = go.bind_method(reachable, "Shift")
        assert bound is not None
        assert bound.call() == 2
    assert go.bind_method(pointer.target, "Shift", without_pointer_methods=True) is None
    assert go.bind_method(Struct(POINT, {"x": 1}), "Shift") is None
    assert go.bind_method(None, "Shift") is None
    assert go.bind_method(pointer, "X") is None


def test_a_named_bool_is_true_or_not() -> None:
    flag = go.scalar_type("Flag", Kind.BOOL)
    yes, no = flag.convert(True), flag.convert(False)
    assert yes
    assert not no
    assert (yes == flag.convert(True), yes == True, yes == no, yes == 1) == (  # noqa: E712 - its own
        True,
        True,
        False,
        False,
    )
    assert len({yes, flag.convert(True), no}) == 2


def test_a_float32_has_the_precision_of_one() -> None:
    assert go.FLOAT32.convert(0.1) != 0.1
    assert go.FLOAT32.convert(1e39) == inf
    assert go.FLOAT32.convert(-1e39) == -inf
    assert COMPLEX64.convert(0.1 + 0j).real == go.FLOAT32.convert(0.1)


def test_a_named_collection_is_a_view_of_its_own_type() -> None:
    labels = go.named_type("Labels", go.STRING_MAP)
    path = go.named_type("Path", go.STRINGS)
    assert go.type_of(labels.convert({"a": "b"})) is labels
    assert go.type_of(path.convert(["a"])) is path
    assert not labels.literal
    assert labels.convert(labels.convert({})).type is labels


def test_an_array_has_its_length_from_the_start() -> None:
    pair = array_of(2, go.INT)
    assert [*pair.convert(None)] == [0, 0]
    assert [*pair.convert([1, 2])] == [1, 2]


def test_pointers_point_on() -> None:
    inner = go.pointer_to(go.INT)
    outer = go.pointer_to(inner)
    assert outer.convert(5).target.target == 5
    assert not outer.convert(None)
    assert isinstance(outer.convert(outer.convert(5)), Pointer)


def test_views_are_what_they_describe() -> None:
    assert isinstance(go.STRING_MAP.convert({}), Map)
    assert isinstance(go.STRINGS.convert([]), Slice)
    assert go.type_of({}) is go.ANY_MAP
    assert go.type_of([]) is go.ANY_SLICE
    assert go.ANY_MAP.convert({"a": 1}) == {"a": 1}
    with pytest.raises(TypeError, match="has no elements"):
        Map(GoType("odd", Kind.MAP), {"a": 1}).get("a")
