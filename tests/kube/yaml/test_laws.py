"""What holds for every value and every text."""

import json
from time import process_time

from hypothesis import example, given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON, equal
from podgraft.golang.strconv.ftoa import format_float
from podgraft.kube import yaml

# What YAML allows in a text unescaped, line breaks of its own aside.
PRINTABLE = st.characters(
    codec="utf-8",
    exclude_categories=["Cc", "Cs"],
    exclude_characters="\u2028\u2029\ufeff\ufffe\uffff",
)
TEXTS = st.text() | st.text("ab:#-?[]{},&*!|>'\"%@`0123456789.+_ \n", max_size=40)
# YAML reads at most 1,024 characters as a key without "?", and JSON escapes one with six.
KEYS = TEXTS.filter(lambda text: len(text) <= 150)
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(
    allow_nan=False, allow_infinity=False, width=32
)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


def as_go_prints_numbers(value: JSON) -> JSON:
    """The value with every float that Go would print without a fraction as an integer."""
    match value:
        case dict():
            return {key: as_go_prints_numbers(member) for key, member in value.items()}
        case list():
            return [as_go_prints_numbers(element) for element in value]
        case float() if value.is_integer() and abs(value) < 1e21:
            return int(format_float(value, "f"))
        case _:
            return value


@given(VALUES)
@example({"\u0308" * 2000: 1, "a: b " * 300: [{"c" * 1500: ""}]})
def test_a_written_value_is_read_back(value: JSON) -> None:
    assert equal(yaml.load(yaml.dump(value)), as_go_prints_numbers(value))


@given(VALUES)
def test_the_order_of_keys_changes_nothing_but_the_order_of_lines(value: JSON) -> None:
    ordered, kept = yaml.dump(value), yaml.dump(value, sort_keys=False)
    assert sorted(ordered) == sorted(kept)
    assert equal(yaml.load(kept), yaml.load(ordered))
    assert json.dumps(yaml.load(kept)) == json.dumps(as_go_prints_numbers(value))


def test_keys_with_many_digits_are_written_in_linear_time() -> None:
    """Exact numbers took 10 s. Go's wrap around."""
    began = process_time()
    text = yaml.dump({"9" * 200_000: 1, "8" * 200_000: 2})
    assert process_time() - began < 2
    assert len(text.splitlines()) == 4  # longer keys than 128 characters begin with "? "


@given(VALUES)
def test_json_is_read_as_json(value: JSON) -> None:
    """Escaped, so that no character of it means something in YAML."""
    text = json.dumps(value, ensure_ascii=True)
    if "\\ud" not in text and "\x7f" not in text:  # YAML has no surrogate pairs
        assert equal(yaml.load(text), as_go_prints_numbers(value))


@given(st.text(PRINTABLE), st.booleans())
def test_any_text_is_read_or_refused_and_nothing_else(text: str, strict: bool) -> None:
    try:
        value = yaml.load(text, strict)
    except yaml.NotYAMLError as error:
        value = str(error)
    assert equal(yaml.load(yaml.dump(value)), value)


@given(st.lists(VALUES, max_size=4))
@example(["\n"])
@example([{"text": "a\n\n"}, {"text": "\n"}])
def test_documents_one_after_another_are_read_one_after_another(values: list[JSON]) -> None:
    stream = "---\n".join(map(yaml.dump, values))
    found = [as_go_prints_numbers(value) for value in values if value is not None]
    if not any(line.startswith("---") for line in "".join(map(yaml.dump, values)).split("\n")):
        assert equal(yaml.load_all(stream), found)
