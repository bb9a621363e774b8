"""Laws of sprig's functions, over all texts, values and numbers."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podgraft.golang import utf8
from podgraft.golang.errors import FunctionError
from podgraft.golang.json import syntax
from podgraft.golang.json.unmarshal import unmarshal
from podgraft.golang.sprig import (
    arithmetic,
    case,
    cast,
    deepcopy,
    dicts,
    encoding,
    lists,
    merge,
    paths,
    regex,
    strings,
    values,
    versions,
)

# Any bytes, as the Go strings that they are.
CAST = cast.CASTS["1.10"]
TEXTS = st.binary(max_size=12).map(utf8.decode) | st.text(max_size=12).filter(
    lambda text: not any("\ud800" <= char <= "\udfff" for char in text)
)
VALID = TEXTS.filter(utf8.is_valid)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
SCALARS = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | VALID
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(VALID, inner, max_size=3),
    max_leaves=8,
)
DICTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)
VERSIONS = st.from_regex(
    r"\A(0|[1-9][0-9]?)(\.(0|[1-9][0-9]?)){2}(-[a-c1-9]{1,2}(\.[a-c1-9]{1,2})?)?\Z"
)


@given(TEXTS)
def test_what_is_encoded_decodes(text: str) -> None:
    assert encoding.b64dec(encoding.b64enc(text)) == text
    assert encoding.b32dec(encoding.b32enc(text)) == text


@given(TEXTS, TEXTS)
def test_parts_join_to_the_whole(separator: str, text: str) -> None:
    assert values.join(separator, strings.split_list(separator, text)) == text


@given(st.integers(-15, 15), TEXTS)
def test_a_truncated_text_begins_or_ends_its_text(count: int, text: str) -> None:
    cut = strings.trunc(count, text)
    assert len(utf8.encode(cut)) == min(abs(count), len(utf8.encode(text)))
    assert (strings.has_prefix if count >= 0 else strings.has_suffix)(cut, text)


@given(TEXTS)
def test_case_is_mapped_rune_by_rune(text: str) -> None:
    assert len(strings.upper(text)) == len(strings.lower(text)) == len(strings.title(text))
    assert strings.lower(strings.lower(text)) == strings.lower(text)


@given(VALID)
def test_snakes_and_kebabs_differ_by_their_connector(text: str) -> None:
    snake, kebab = case.snakecase(text), case.kebabcase(text)
    assert snake.replace("_", "-") == kebab.replace("_", "-")


@given(st.text(alphabet="ab./", max_size=10))
def test_a_clean_path_stays_clean(path: str) -> None:
    clean = paths.clean(path)
    assert paths.clean(clean) == clean
    assert paths.is_abs(clean) == paths.is_abs(path)


@given(VALUES)
def test_json_brings_back_what_it_was_made_of(value: Any) -> None:
    text = encoding.must_to_json(value)
    assert deepcopy.deep_equal(encoding.must_from_json(text), value)
    assert encoding.must_from_json(encoding.must_to_pretty_json(value)) == json.loads(
        text, parse_int=float
    )
    assert not set("<>&") & set(text)


@given(st.text(alphabet='{}[]",:truefalsn0123.eE+- \\u', max_size=12))
def test_a_fault_is_found_exactly_if_there_is_no_value(text: str) -> None:
    error = unmarshal(text).error
    try:
        json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        assert error == syntax.syntax_error(text.encode())
    else:
        assert error is None or "cannot unmarshal number" in error


@given(VALUES)
def test_a_copy_is_equal_and_apart(value: Any) -> None:
    copied = deepcopy.deep_copy(value)
    assert deepcopy.deep_equal(value, copied)
    if isinstance(value, dict | list) and value:
        copied.clear()
        assert value


@given(st.lists(VALUES, max_size=5))
def test_lists(values: list[Any]) -> None:
    assert lists.reverse(lists.reverse(values)) == values
    once = lists.uniq(values)
    assert lists.uniq(once) == once
    assert all(lists.has(value, once) for value in values)
    assert lists.without(values, *values) == []
    if values:
        assert lists.prepend(lists.rest(values), lists.first(values)) == values
        assert lists.append(lists.initial(values), lists.last(values)) == values
        assert [one for part in lists.chunk(2, values) for one in part] == values


@given(DICTS, DICTS)
def test_merged_maps(target: dict[str, Any], source: dict[str, Any]) -> None:
    filled = merge.must_merge(deepcopy.deep_copy(target), deepcopy.deep_copy(source))
    assert filled.keys() == target.keys() | {k for k, v in source.items() if v is not None}
    assert merge.must_merge(deepcopy.deep_copy(filled), deepcopy.deep_copy(source)) == filled
    assert merge.must_merge(deepcopy.deep_copy(target), deepcopy.deep_copy(target)) == target
    assert merge.must_merge({}, source) == {k: v for k, v in source.items() if v is not None}


@given(DICTS, st.lists(st.sampled_from("abc")))
def test_pick_and_omit_share_a_map(given_map: dict[str, Any], keys: list[str]) -> None:
    assert dicts.pick(given_map, *keys) | dicts.omit(given_map, *keys) == given_map


@given(NUMBERS, NUMBERS)
def test_arithmetic_wraps_as_int64(left: int, right: int) -> None:
    for result in (arithmetic.add(CAST, left, right), arithmetic.sub(CAST, left, right)):
        assert cast.wrap_int64(result) == result
    assert arithmetic.sub(CAST, arithmetic.add(CAST, left, right), right) == left
    if right:
        quotient, rest = arithmetic.div(CAST, left, right), arithmetic.mod(CAST, left, right)
        assert arithmetic.add(CAST, arithmetic.mul(CAST, quotient, right), rest) == left


@given(NUMBERS)
def test_a_number_reads_as_it_prints(number: int) -> None:
    assert CAST.to_int(str(number)) == number
    assert cast.atoi(str(number)) == number
    assert CAST.to_int(hex(number)) == number


@given(VALID, VALID)
def test_a_quoted_pattern_matches_itself(needle: str, text: str) -> None:
    pattern = regex.quote_meta(needle)
    assert regex.must_match(f"^{pattern}$", needle)
    assert regex.must_match(pattern, text) == strings.contains(needle, text)


@given(VERSIONS, VERSIONS, VERSIONS)
def test_versions_are_ordered(first: str, second: str, third: str) -> None:
    a, b, c = map(versions.parse, (first, second, third))
    assert a.compare(b) == -b.compare(a)
    assert str(versions.parse(str(a))) == str(a)
    if a.compare(b) <= 0 and b.compare(c) <= 0:
        assert a.compare(c) <= 0


@given(st.text(alphabet="ab:/?#[]@%2.1é \x00", max_size=12))
def test_a_url_is_the_same_once_it_was_joined(text: str) -> None:
    try:
        parts = paths.url_parse(text)
        again = paths.url_parse(paths.url_join(parts))
    except FunctionError:
        return
    if parts["scheme"] or parts["host"]:
        assert again["host"] == parts["host"]
        assert again["query"] == parts["query"]
