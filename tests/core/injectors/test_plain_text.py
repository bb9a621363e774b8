"""Which objects contain only text that is free of YAML syntax."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.plain_text import has_only_plain_text, is_plain_text

from .generated import PAYLOADS

TEXTS = (
    st.sampled_from([*PAYLOADS, "web", "hub/proxyv2:1.30 -x", '"', "\\", "\x7f", "\ud800", "\x00"])
    | st.text(max_size=4)
    | st.from_regex("[a-z0-9./-]{1,8}", fullmatch=True)
)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def are_texts_plain(value: JSON) -> bool:
    """The definition: text by text."""
    match value:
        case str():
            return is_plain_text(value)
        case dict():
            return all(map(is_plain_text, value)) and all(map(are_texts_plain, value.values()))
        case list():
            return all(map(are_texts_plain, value))
        case _:
            return True


@given(VALUES)
def test_all_keys_and_values_count(value: JSON) -> None:
    assert has_only_plain_text(value) == are_texts_plain(value)


def test_each_place_counts() -> None:
    pod: JSON = {"spec": {"containers": [{"name": "web", "args": ["plain", "a: b"]}]}}
    assert not has_only_plain_text(pod)
    assert has_only_plain_text({"spec": {"containers": [{"name": "web", "args": ["plain"]}]}})
    assert not has_only_plain_text({"labels": {"a: b": "plain"}})
