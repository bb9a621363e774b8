"""JSON of structs, by their fields' tags, as encoding/json has it."""

import pytest

from podgraft.golang.json.marshal import marshal
from podgraft.golang.reflect import (
    BOOL,
    INT,
    STRING,
    STRINGS,
    UINT8,
    Field,
    GoType,
    Method,
    Slice,
    Struct,
    Value,
    pointer_to,
    slice_of,
    struct_type,
)
from podgraft.golang.texttemplate import FunctionError


def make_struct(name: str, *fields: Field) -> GoType:
    type_ = struct_type(name)
    type_.fields = fields
    return type_


META = make_struct(
    "Meta", Field("Name", STRING, "name", omitempty=True), Field("Kind", STRING, "kind")
)
MORE = make_struct("More", Field("Kind", STRING, "kind"), Field("Note", STRING, "note"))


def marshal_method(data: bytes) -> Method:
    def marshal_value(_: Struct) -> Slice:
        return Slice(slice_of(UINT8), [*data])

    return Method(marshal_value)


def is_zero(span: Struct) -> bool:
    return not span.raw.get("days")


CLOCK = struct_type("Clock", {"MarshalJSON": marshal_method(b'"<12>"')})
NAMED = struct_type("Named", {"MarshalText": marshal_method(b'"n"')})
SPAN = struct_type("Span", {"IsZero": Method(is_zero)})
SPAN.fields = (Field("Days", INT, "days"),)
POD = make_struct(
    "Pod",
    Field("Meta", META, "", embedded=True),
    Field("Owner", META, "owner", embedded=True),
    Field("Tags", STRINGS, "tags", omitempty=True),
    Field("Span", SPAN, "span", omitempty=True, omitzero=True),
    Field("On", BOOL, "on", omitzero=True),
)
POINT = make_struct("Point", Field("X", INT, "x"), Field("Y", INT, "y"))
TWICE = make_struct(
    "Twice", Field("A", META, "", embedded=True), Field("B", MORE, "", embedded=True)
)
HIDING = make_struct(
    "Hiding",
    Field("Meta", META, "", embedded=True),
    Field("Kind", INT, "kind"),
    Field("private", INT, "private"),
    Field("Point", POINT, "point", omitzero=True),
)
CLOCKED = make_struct(
    "Clocked", Field("Clock", CLOCK, "Clock", embedded=True), Field("X", INT, "x")
)
LOOP = struct_type("Loop")
LOOP.fields = (Field("Next", pointer_to(LOOP), "next"),)

ENCODED = (
    # Embedded structs without a tag stand in their parent's object, others under their name.
    (
        POD.convert({"name": "p", "kind": "k", "owner": {"kind": "o"}, "span": {"days": 1}}),
        '{"name":"p","kind":"k","owner":{"kind":"o"},"span":{"days":1}}',
    ),
    (
        POD.convert({"tags": ["<a>"], "on": True}),
        '{"kind":"","owner":{"kind":""},"tags":["\\u003ca\\u003e"],"on":true}',
    ),
    # Of two fields of one name, neither counts where both are equally deep.
    (TWICE.convert({"name": "n", "kind": "k", "note": "x"}), '{"name":"n","note":"x"}'),
    # A shallower field hides a deeper one, and private ones are left out.
    (HIDING.convert({"name": "n", "kind": 5, "private": 1}), '{"name":"n","kind":5}'),
    (HIDING.convert({"point": {"y": 1}}), '{"kind":0,"point":{"x":0,"y":1}}'),
    # Types that write themselves, by promoted methods too.
    (CLOCK.convert({}), '"\\u003c12\\u003e"'),
    (CLOCKED.convert({"x": 1}), '"\\u003c12\\u003e"'),
    ({"k": [NAMED.convert({})]}, '{"k":["\\"n\\""]}'),
)


@pytest.mark.parametrize(("value", "want"), ENCODED)
def test_a_struct_is_an_object_of_its_fields(value: Value, want: str) -> None:
    assert marshal(value) == want


def test_a_struct_that_holds_itself_has_no_json() -> None:
    raw: dict[str, Value] = {"next": None}
    loop = pointer_to(LOOP).convert(raw)
    raw["next"] = loop
    with pytest.raises(FunctionError, match=r"encountered a cycle via \*Loop"):
        marshal(loop)


FIRST = make_struct(
    "First", Field("Name", STRING, "name"), Field("On", BOOL, "on"), Field("X", INT, "x")
)
SECOND = make_struct("Second", Field("Other", STRING, "name"), Field("X", INT, "x", omitempty=True))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Struct(FIRST, {"name": "a", "x": 1}), '{"name":"a","on":false,"x":1}'),
        (Struct(SECOND, {"name": "a", "x": 1}), '{"name":"a","x":1}'),
        (Struct(FIRST, {"name": "a", "x": 0}), '{"name":"a","on":false,"x":0}'),
        (Struct(SECOND, {"name": "a", "x": 0}), '{"name":"a"}'),
        (Struct(FIRST, {"x": 1, "name": "<a>"}), '{"name":"\\u003ca\\u003e","on":false,"x":1}'),
        (Struct(FIRST, {"name": "a", "on": True}), '{"name":"a","on":true,"x":0}'),
        (Struct(FIRST, {"name": "a" * 100}), f'{{"name":"{"a" * 100}","on":false,"x":0}}'),
    ],
)
def test_equal_structs_share_their_text_and_others_never(value: Struct, expected: str) -> None:
    for _ in range(2):  # the second text can be a stored one
        assert marshal(value) == expected
