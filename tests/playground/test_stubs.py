"""The replacements of msgspec, google-re2, and cel-expr-python return what the originals do."""

import random
import struct as binary
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import Decoder, Encoder

from playground_build import cel_table
from podgraft_playground.unsupported import UnsupportedError
from support.playground_stubs import STUBS, load_stub

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


def outcome(call: Any, value: Any, *errors: type[Exception]) -> Any:
    try:
        return call(value)
    except errors as error:
        return "unicode" if isinstance(error, UnicodeError) else "error"


@given(JSON)
def test_msgspec_encodes_the_same(value: Any) -> None:
    stub = load_stub("msgspec/json").Encoder()
    errors = (TypeError, UnicodeEncodeError)
    assert outcome(stub.encode, value, *errors) == outcome(Encoder().encode, value, *errors)


def test_msgspec_encodes_the_same_floats() -> None:
    stub, generator = load_stub("msgspec/json").Encoder(), random.Random(1)  # noqa: S311 - test data
    encoder = Encoder()
    for _ in range(20_000):
        (number,) = binary.unpack("d", generator.randbytes(8))
        small = generator.random() * 10 ** generator.randint(-12, 25)
        for each in (number, small, -small):
            assert stub.encode(each) == encoder.encode(each)


@pytest.mark.parametrize(
    "text",
    [b"18446744073709551616", b"-9223372036854775809", rb'"\ud800"', b"NaN", b"1e999", b"[1,]",
     b'{"a":1,"a":2}', b"-0", b"-0.0", b"1E5", b"\xff", b'"\xff"', b"01",
     b'"\t"', b"", b'"\\u0000"'],
)  # fmt: skip
def test_msgspec_decodes_the_same(text: bytes) -> None:
    stub = load_stub("msgspec/json").Decoder()
    errors = (ValueError,)
    read = outcome(Decoder().decode, text, *errors)
    assert repr(outcome(stub.decode, text, *errors)) == repr(read)


STRUCTS = """
class Span({base}, frozen=True):
    start: int
    end: int = 0
    limit: ClassVar[int] = 3

class Named(Span, frozen=True, kw_only=True):
    name: str
    tags: list[str] = field(default_factory=list)

class Counter({base}):
    count: int = 0
    seen: dict[str, int] = {{}}

class Node({base}, frozen=True, eq=False):
    text: str

class Leaf(Node, frozen=True):
    depth: int = 1

class Box({base}, Generic[T], frozen=True):
    value: T
"""
EXPRESSIONS = """
    Span(1) Span(1,2) Span(start=1,end=3) Span() Span(1,2,3) Span(1,start=1) Span(1,middle=2)
    Span(1)==Span(1,0) Span(1)==Span(2) Span(1)==Named(1,name='') hash(Span(1))==hash(Span(1))
    Span.limit Span.__struct_fields__ Span.__struct_defaults__ Named.__struct_fields__
    Named(1,2,name='a') Named(1,2,'a') Named(1) Named(1,name='a').tags
    Named(1,name='a').tags.append('b') Named(1,name='b').tags
    Named(1,name='a')==Named(1,name='a') hash(Counter()) Counter(2) Counter().seen
    Counter().seen.update(a=1) Counter().seen Counter(2)==Counter(2) setattr(Span(1),'start',2)
    setattr(Counter(),'count',2) Node('a')==Node('a')
    Leaf('a',2) Leaf('a')==Leaf('a') Box([1]) Box(1)==Box(1) hash(Box([1]))
    replace(Span(1,2),end=5) replace(Named(1,name='a'),name='b') replace(Span(1),middle=1)
    isinstance(Leaf('a'),Node)
"""


def make_structs(module: ModuleType) -> dict[str, Any]:
    names: dict[str, Any] = {
        "msgspec": module, "field": module.field, "replace": module.structs.replace,
        "ClassVar": ClassVar, "Generic": Generic, "T": TypeVar("T"), "__name__": "structs",
    }  # fmt: skip
    exec(STRUCTS.format(base="msgspec.Struct"), names)  # noqa: S102 - text of this file
    return names


@pytest.mark.parametrize("expression", EXPRESSIONS.split())
def test_msgspec_has_the_same_structs(expression: str) -> None:
    def evaluate(module: ModuleType) -> str:
        try:
            return repr(eval(expression, make_structs(module)))  # noqa: S307 - text of this file
        except (AttributeError, TypeError) as error:
            return type(error).__name__

    assert evaluate(load_stub("msgspec")) == evaluate(msgspec)


PIECES = r"""
    \d \w \s \D \S . [a-c] [^a] [\w.-] [^/] \. ^ $ \b [-a] [a-] []] [^\s:] [.] \n \A \z
    \x41 \pL [[:alpha:]] (?i)a \Q { } ] \B [a-\d]
"""
ATOMS = [*"abAB01._-/:@ \n\té", *PIECES.split()]
COUNTS = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{0}", "{,2}"]
ALPHABET = "abcABx01._-/:@ \n\t\véü[]{}"


def make_pattern(generator: random.Random, depth: int = 0) -> str:
    pieces: list[str] = []
    for _ in range(generator.randint(1 - bool(depth), 4)):
        chance = generator.random()
        if depth < 3 and chance < 0.25:
            start = generator.choice(["(", "(?:", f"(?P<n{generator.randint(0, 99)}>"])
            inner = make_pattern(generator, depth + 1)
            pieces.append(f"{start}{inner}){generator.choice(COUNTS)}")
        elif chance < 0.32:
            pieces.append("|")
        else:
            pieces.append(generator.choice(ATOMS) + generator.choice(COUNTS))
    return "".join(pieces)


def spans(match: Any, groups: int) -> Any:
    return match and [match.span(group) for group in range(groups + 1)]


def test_re2_matches_the_same_or_refuses_the_pattern() -> None:
    stub, generator = load_stub("re2"), random.Random(2)  # noqa: S311 - test data
    re2: Any = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    accepted = 0
    for _ in range(10_000):
        pattern = make_pattern(generator)
        try:
            replacement = stub.compile(pattern)
        except UnsupportedError:
            continue
        original = re2.compile(pattern, options)
        accepted += 1
        assert replacement.groups == original.groups
        assert replacement.groupindex == dict(original.groupindex)
        for _ in range(4):
            text = "".join(generator.choices(ALPHABET, k=generator.randint(0, 12)))
            expected = spans(original.search(text), original.groups)
            assert spans(replacement.search(text), original.groups) == expected, (pattern, text)
            try:
                found = [spans(match, original.groups) for match in replacement.finditer(text)]
            except UnsupportedError:
                continue
            assert found == [spans(match, original.groups) for match in original.finditer(text)]
    assert accepted > 1_000


def test_cel_expressions_of_the_examples_are_in_the_table() -> None:
    table = cel_table.make_table(STUBS.parents[1])
    expressions = [text for environment in table.values() for text in environment]

    assert "variables.said.orValue('') == 'true'" in expressions


def test_an_unknown_cel_expression_stops_the_evaluation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cel = load_stub("cel_expr_python/cel")
    monkeypatch.setattr(cel, "_read_table", lambda: {"key": {"1 == 1": ["", "bool"]}})
    environment = cel.NewEnv(config="key")

    assert environment.compile("1 == 1").return_type().name() == "bool"
    with pytest.raises(UnsupportedError, match="1 == 2"):
        environment.compile("1 == 2")
    with pytest.raises(UnsupportedError):
        cel.NewEnv(config="other").compile("1 == 1")
