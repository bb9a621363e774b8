"""JSON values: what counts as equal, what counts as JSON, and how Go would print it."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import (
    JSON,
    MAX_DEPTH,
    NotJSONError,
    dump,
    equal,
    escape_like_go,
    is_deeper_than,
    load,
)

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    SCALARS | st.text() | st.text("<>&a\u2028"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

# Values that Python's == cannot tell apart, alone and inside others.
LOOKALIKES: tuple[tuple[JSON, JSON], ...] = (
    (True, 1),
    (False, 0),
    (1, 1.0),
    (True, 1.0),
    ([0], [False]),
    ({"a": [1]}, {"a": [1.0]}),
    ({"a": {"b": True}}, {"a": {"b": 1}}),
)


@pytest.mark.parametrize(("left", "right"), LOOKALIKES)
def test_values_of_different_types_differ(left: JSON, right: JSON) -> None:
    assert left == right
    assert not equal(left, right)
    assert not equal(right, left)


@given(VALUES)
def test_a_value_equals_what_is_read_back_from_its_text(value: JSON) -> None:
    assert equal(load(dump(value)), value)


# What printed JSON may be turned into, for readers to differ over.
TURNS = (
    *(
        ("", ""),
        ("{", '{"a":1,'),
        (":", ": "),
        ("1", "1.0"),
        ("1", "-0"),
        ("1", "1e400"),
        ("1", "01"),
    ),
    *(
        ("1", "18446744073709551616"),
        ("1", "0.10"),
        ("1", "1E2"),
        ("a", "\\u0061"),
        ('"', '"\\ud800'),
    ),
    *(("<", "\\u003c"), ("<", "\\u003C"), ("\\", "\\u005c"), ("/", "\\/")),
    *(("null", "NaN"), ("}", "}}"), ("]", ",]"), ("[", "[" * 300), (",", ",\n"), ("0", "\x00")),
)


@given(VALUES, st.sampled_from(TURNS), st.sampled_from(("", "\n", " ")))
def test_bytes_are_read_as_the_same_text_is(value: JSON, turn: tuple[str, str], end: str) -> None:
    """Bytes that are printed as they came take a shorter way."""

    def outcome(data: bytes | str) -> str:
        try:
            return repr(load(data))
        except NotJSONError as error:
            return str(error)

    text = dump(value).replace(*turn, 1) + end
    assert outcome(text.encode()) == outcome(text)
    escaped = escape_like_go(text)
    assert outcome(escaped.encode()) == outcome(escaped)


@pytest.mark.parametrize(
    "text", ['{"args":["a \\u0026\\u0026 b \\u003e\\u2028\\u2029"]}', '{"a":"<b> & \u2028"}\n']
)
def test_texts_of_kube_apiserver_take_the_shorter_way(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Go escapes what HTML could contain, such as the && of a command."""
    expected = load(text)
    monkeypatch.setattr(jsonvalue, "_DECODER", None)
    assert equal(load(text.encode()), expected)


@given(VALUES, VALUES)
def test_values_are_equal_exactly_when_their_sorted_texts_are(left: JSON, right: JSON) -> None:
    """Zero is the one number with two texts."""

    def text(value: JSON) -> str:
        match value:
            case dict():
                return f"{{{[(key, text(value[key])) for key in sorted(value)]}}}"
            case list():
                return f"[{[text(element) for element in value]}]"
            case float():
                return repr(value + 0.0)
            case _:
                return dump(value)

    assert equal(left, right) == (text(left) == text(right))


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    text: bytes | str
    problem: str


REFUSED = (
    InvalidCase("nothing", b"", "line 1 column 1: Expecting value"),
    InvalidCase("two values", b"{} {}", "line 1 column 4: Extra data"),
    InvalidCase("not closed", b'{"a":1', "line 1 column 7: Expecting ',' delimiter"),
    InvalidCase("single quotes", b"{'a':1}", "Expecting property name enclosed in double quotes"),
    InvalidCase("trailing comma", b"[1,]", "line 1 column "),
    InvalidCase("comment", b"// a\n1", "line 1 column 1: Expecting value"),
    InvalidCase("NaN", b"[NaN]", "NaN is not a JSON number"),
    InvalidCase("infinity", b"-Infinity", "-Infinity is not a JSON number"),
    InvalidCase("beyond a float", b"1e999", "1e999 is outside the range of a 64-bit float"),
    InvalidCase("beyond a float, negative", b"[-1e999]", "-1e999 is outside the range"),
    InvalidCase("more digits than Python reads", b"1" * 5000, "a number is too long"),
    InvalidCase("leading zero", b"01", "Extra data"),
    InvalidCase("repeated key", b'{"a":1,"b":{"c":1,"c":2}}', "duplicate key 'c' in an object"),
    InvalidCase("repeated key, escaped", b'{"a":1,"\\u0061":2}', "duplicate key 'a'"),
    InvalidCase("line break in a text", b'"a\nb"', "Invalid control character at"),
    InvalidCase("byte order mark", b"\xef\xbb\xbf{}", "Expecting value"),
    InvalidCase("not UTF-8", b'{"a":"\xff"}', "byte 6: not UTF-8"),
    InvalidCase("UTF-16", '{"a":1}'.encode("utf-16-le"), "line 1 column 2"),
    InvalidCase("surrogate as bytes", b'"\xed\xa0\x80"', "byte 1: not UTF-8"),
    InvalidCase("half of a pair", b'"\\ud800"', "a string contains a lone surrogate"),
    InvalidCase("half of a pair as a key", b'{"\\udc00":1}', "a string contains a lone surrogate"),
    InvalidCase("half of a pair, as text", '"\ud800"', "a string contains a lone surrogate"),
    InvalidCase("lists a level too deep", b"[" * 201 + b"]" * 201, "nested deeper than 200 levels"),
    InvalidCase("objects a level too deep", b'{"a":' * 201 + b"1" + b"}" * 201, "nested deeper"),
    InvalidCase("a thousand levels", b"[" * 1000 + b"]" * 1000, "nested deeper than 200 levels"),
    InvalidCase("a million levels", b"[" * 1_000_000, "nested deeper than 200 levels"),
    InvalidCase("deep and not closed", b'{"a":' * 100_000, "nested deeper than 200 levels"),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_is_not_json_is_refused_by_name(case: InvalidCase) -> None:
    with pytest.raises(NotJSONError) as caught:
        load(case.text)
    assert case.problem in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b' {"a" : [1, 1.0, true, null, ""]} \r\n', {"a": [1, 1.0, True, None, ""]}),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1e3", 1000.0),
        (b"-0.0", -0.0),
        (b"1e-999", 0.0),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        ('"\U0001f600"'.encode(), "\U0001f600"),
        ('"é"', "é"),
        (b'"\\u0000"', "\0"),
        (b'{"":{"":0}}', {"": {"": 0}}),
    ],
)
def test_numbers_keep_their_type_and_texts_their_characters(text: bytes | str, value: JSON) -> None:
    assert equal(load(text), value)


@pytest.mark.parametrize(
    ("start", "end", "times"),
    [("[", "]", MAX_DEPTH), ('{"a":', "}", MAX_DEPTH), ('[{"a":', "}]", MAX_DEPTH // 2)],
)
def test_the_deepest_text_that_is_read_can_be_compared_and_printed(
    start: str, end: str, times: int
) -> None:
    text = start * times + "1" + end * times
    first, second = load(text), load(text)
    assert equal(first, second)
    assert dump(first) == text
    assert not is_deeper_than(MAX_DEPTH, first)
    assert is_deeper_than(MAX_DEPTH - 1, first)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert len(dump(load("[" + ",".join(["[{}]"] * 1000) + "]"))) == 5001


def test_a_body_full_of_repeated_keys_is_refused_in_linear_time() -> None:
    """Half a million different keys before the repeated one take no longer than reading them."""
    keys = ",".join(f'"{number}":0' for number in range(500_000))
    with pytest.raises(NotJSONError, match="duplicate key '499999'"):
        load(f'{{{keys},"499999":1}}')


def test_printing_is_compact_and_retains_order_and_characters() -> None:
    assert dump({"b": [1, 1.0, None], "a": "é<\u2028"}) == '{"b":[1,1.0,null],"a":"é<\u2028"}'


def test_a_number_that_json_does_not_have_is_never_printed() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump({"a": math.inf})


def test_go_escapes_what_could_end_a_script() -> None:
    assert escape_like_go('"<a>&\u2028\u2029"') == '"\\u003ca\\u003e\\u0026\\u2028\\u2029"'
