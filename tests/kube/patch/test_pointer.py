"""JSON Pointer: the examples of RFC 6901 and what it forbids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.patch import pointer
from podgraft.kube.patch.pointer import PointerError

# The document of RFC 6901 §5.
DOCUMENT: Object = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}
FOUND: tuple[tuple[str, JSON], ...] = (
    ("", DOCUMENT),
    ("/foo", ["bar", "baz"]),
    ("/foo/0", "bar"),
    ("/", 0),
    ("/a~1b", 1),
    ("/c%d", 2),
    ("/e^f", 3),
    ("/g|h", 4),
    ("/i\\j", 5),
    ('/k"l', 6),
    ("/ ", 7),
    ("/m~0n", 8),
)
MISSED = (
    ("/bar", "pointer '/bar': 'bar' not found"),
    ("/foo/2", "pointer '/foo/2': '2' not found"),
    ("/foo/-", "pointer '/foo/-': '-' not found"),
    ("/foo/01", "pointer '/foo/01': '01' not found"),
    ("/foo/-1", "pointer '/foo/-1': '-1' not found"),
    ("/foo/²", "pointer '/foo/²': '²' not found"),
    ("/foo/0/x", "pointer '/foo/0/x': 'x' not found"),
    ("foo", "pointer 'foo': must be empty or begin with '/'"),
    ("/a~2", "pointer '/a~2': invalid escape; write '~0' for '~', and '~1' for '/'"),
    ("/a~", "pointer '/a~': invalid escape; write '~0' for '~', and '~1' for '/'"),
)


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_a_pointer_finds_its_value(text: str, value: JSON) -> None:
    assert pointer.resolve(DOCUMENT, text) == value


@pytest.mark.parametrize(("text", "message"), MISSED)
def test_a_pointer_to_nothing_states_the_location(text: str, message: str) -> None:
    with pytest.raises(PointerError) as caught:
        pointer.resolve(DOCUMENT, text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("token", "escaped"), [("~1", "~01"), ("/", "~1"), ("~", "~0"), ("~/", "~0~1"), ("a", "a")]
)
def test_a_tilde_is_escaped_before_a_slash_and_read_after_it(token: str, escaped: str) -> None:
    assert pointer.escape(token) == escaped
    assert pointer.parse(f"/{escaped}") == (token,)


@given(st.lists(st.text()))
def test_escaped_tokens_are_parsed_back(tokens: list[str]) -> None:
    assert pointer.parse("".join(f"/{pointer.escape(token)}" for token in tokens)) == tuple(tokens)
