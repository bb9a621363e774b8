"""Go's types: which member a name means, and that every type is made once."""

import pytest

from oracle.go_types import array_of, interface_type
from podgraft.golang import reflect as go
from podgraft.golang.reflect import Field, GoType, Kind, Method, Struct
from podgraft.golang.reflect.types import Member


def struct(name: str, *fields: Field, **methods: Method) -> GoType:
    made = go.struct_type(name, methods)
    made.fields = fields
    return made


def plain_field(name: str) -> Field:
    return Field(name, go.STRING, json=name)


def embedded_field(type_: GoType) -> Field:
    return Field(type_.name.strip("*"), type_, json=type_.name, embedded=True)


DEEP = struct("Deep", plain_field("Same"), plain_field("Far"), plain_field("Hidden"))
LEFT = struct("Left", plain_field("Twice"), embedded_field(DEEP), Call=Method(str))
RIGHT = struct("Right", plain_field("Twice"), plain_field("Hidden"))
TOP = struct("Top", plain_field("Same"), embedded_field(LEFT), embedded_field(go.pointer_to(RIGHT)))
FOUND = {
    "Same": ("Same",),  # a shallower field hides a deeper one
    "Far": ("Left", "Deep", "Far"),
    "Hidden": ("Right", "Hidden"),
    "Left": ("Left",),
    "Twice": None,  # two at the same depth
    "Call": None,  # a method is no field
    "Nope": None,
}


@pytest.mark.parametrize("name", FOUND)
def test_a_selector_finds_promoted_fields_as_go_does(name: str) -> None:
    path = TOP.field_path(name)
    assert (path and tuple(field.name for field in path)) == FOUND[name]


def test_a_method_is_promoted_too() -> None:
    member = TOP.member("Call")
    assert isinstance(member, Member)
    assert [step.name for step in member.path] == ["Left"]
    assert isinstance(member.target, Method)


def test_types_that_embed_each_other_do_not_go_on_for_ever() -> None:
    loop = go.struct_type("Loop")
    loop.fields = (embedded_field(go.pointer_to(loop)), plain_field("Own"))
    assert loop.field_path("Own") is not None
    assert loop.field_path("Nope") is None


def test_what_is_embedded_need_not_be_a_struct() -> None:
    odd = struct("Odd", embedded_field(interface_type("Iface", ("String",))))
    assert odd.field_path("Iface") is not None


def test_a_literal_type_is_the_same_object_each_time() -> None:
    assert go.slice_of(go.INT8) is go.slice_of(go.INT8)
    assert array_of(2, go.INT8) is array_of(2, go.INT8)
    assert go.map_of(go.STRING, go.INT8) is go.map_of(go.STRING, go.INT8)
    assert go.pointer_to(go.INT8) is go.pointer_to(go.INT8)
    assert go.slice_of(go.ANY) is go.ANY_SLICE
    assert go.map_of(go.STRING, go.ANY) is go.ANY_MAP


NAMES = {
    "[]int8": go.slice_of(go.INT8),
    "[2][]string": array_of(2, go.STRINGS),
    "map[string]map[int]bool": go.map_of(go.STRING, go.map_of(go.INT, go.BOOL)),
    "**v1.Pod": go.pointer_to(go.pointer_to(go.struct_type("v1.Pod"))),
    "map[string]interface {}": go.ANY_MAP,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_type_is_called_as_go_prints_it(name: str) -> None:
    assert str(NAMES[name]) == name
    assert NAMES[name].literal


def test_a_field_is_inline_only_if_embedded_without_a_name_in_json() -> None:
    assert Field("Base", DEEP, json="", embedded=True).inline
    assert not Field("Base", DEEP, json="base", embedded=True).inline
    inline = struct("Inline", Field("Deep", DEEP, json="", embedded=True))
    assert Struct(inline, {"Far": "away"}).field("Far") == "away"


def test_a_kind_is_the_word_go_has_for_it() -> None:
    assert f"{Kind.POINTER} {Kind.UINT8}" == "ptr uint8"
