"""The text of a token: a public id and date, and a checksum that finds a damaged copy."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.service.store import caller_document
from podgraft.service.store.caller_token import (
    ID_BYTES,
    SECRET_BYTES,
    TokenText,
    is_damaged,
    make_token,
    parse_token,
)

IDS = st.binary(min_size=ID_BYTES, max_size=ID_BYTES)
SECRETS = st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES)
DATES = st.one_of(st.just(""), st.dates().map(lambda date: date.isoformat()))


@given(IDS, SECRETS, DATES)
def test_a_token_states_its_id_and_its_last_day(id_: bytes, secret: bytes, expires: str) -> None:
    token = make_token(id_, secret, expires)
    assert re.fullmatch("[-a-z0-9]{82}", token)
    assert parse_token(token) == TokenText(token[4:12], expires)
    assert caller_document.identify_token(token) == token[4:12]
    assert not is_damaged(token)


@given(IDS, SECRETS, st.data())
def test_a_token_with_another_character_is_damaged(
    id_: bytes, secret: bytes, data: st.DataObject
) -> None:
    token = make_token(id_, secret, "2027-02-22")
    position = data.draw(st.integers(4, len(token) - 1))
    other = data.draw(st.sampled_from("abcz234567-09").filter(lambda each: each != token[position]))
    changed = token[:position] + other + token[position + 1 :]
    assert is_damaged(changed)
    assert caller_document.identify_token(changed) == "damaged"


@given(IDS, SECRETS, st.integers(4, 81))
def test_a_token_that_was_cut_is_damaged(id_: bytes, secret: bytes, length: int) -> None:
    assert is_damaged(make_token(id_, secret, "")[:length])


def test_each_random_bit_is_in_the_token() -> None:
    """Other bits give another token; the last four bits of the 33 bytes are not used."""
    id_, secret = bytes(ID_BYTES), bytes(SECRET_BYTES)
    tokens = {make_token(id_, secret, "")}
    tokens |= {make_token(_flip(id_, bit), secret, "") for bit in range(ID_BYTES * 8)}
    tokens |= {make_token(id_, _flip(secret, bit), "") for bit in range(260)}
    assert len(tokens) == 1 + 40 + 260


def _flip(data: bytes, bit: int) -> bytes:
    value = int.from_bytes(data, "big") ^ 1 << len(data) * 8 - 1 - bit
    return value.to_bytes(len(data), "big")


@pytest.mark.parametrize("text", ["", "guess", "0af1" * 16, "k/pg1-"])
def test_other_text_is_no_damaged_token(text: str) -> None:
    """Tokens of earlier versions have no checksum."""
    assert parse_token(text) is None
    assert not is_damaged(text)
