"""The registry and its pointer."""

import gzip
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.service.store.caller_document import Callers, TokensError, hash_token, parse_callers
from podgraft.service.store.registry_document import (
    MAX_BYTES,
    Pointer,
    RegistryError,
    decode_registry,
    encode_registry,
    find_in_force,
    parse_pointer,
    read_registry,
)
from service.store.test_caller_document import CALLERS

FLEETS = st.dictionaries(st.sampled_from(("a", "b", "prod-eu")), CALLERS, max_size=3)
DIGEST = f"sha256:{0:064}"


@given(FLEETS)
def test_what_is_encoded_is_decoded(fleet: dict[str, Callers]) -> None:
    digest, content = encode_registry(fleet)
    assert read_registry(content, digest) == fleet
    assert encode_registry(dict(reversed(fleet.items()))) == (digest, content)


def test_an_invalid_document_concerns_its_own_cluster_alone() -> None:
    token: JSON = {"sha256": hash_token("a"), "id": "k7m2qxx4", "expires": "2027-02-22"}
    valid: JSON = {"tokens": [token], "subjects": ["CN=a"], "issuers": [{}], "groups": None}
    clusters: JSON = {"a": valid, "b": {"tokens": [{**token, "sha256": "s3cr3t"}]}, "c": []}
    content, digest = _store(jsonvalue.dump({"clusters": clusters}).encode())
    decoded = decode_registry(content, digest)
    assert decoded["a"] == parse_callers(valid)
    assert str(decoded["b"]).startswith("tokens[0].sha256: expected 64")
    assert isinstance(decoded["c"], TokensError)
    with pytest.raises(RegistryError, match=r"contains an invalid document of b: tokens\[0\]"):
        read_registry(content, digest)


def _store(text: bytes) -> tuple[bytes, str]:
    return gzip.compress(text), f"sha256:{hashlib.sha256(text).hexdigest()}"


BROKEN = (
    (b"[]", "must be a JSON object"),
    (b'{"clusters": []}', "must be a JSON object"),
    (b"{", "must be a JSON object"),
)


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_another_object_is_no_registry(text: bytes, problem: str) -> None:
    with pytest.raises(RegistryError, match=problem):
        decode_registry(*_store(text))


def test_a_damaged_object_is_not_parsed() -> None:
    digest, content = encode_registry({"a": Callers()})
    for damaged in (b"", content[:20], content[10:], b"x", _flip(content)):
        with pytest.raises(RegistryError):
            decode_registry(damaged, digest)
    with pytest.raises(RegistryError, match="is damaged"):
        decode_registry(content, DIGEST)


def _flip(content: bytes) -> bytes:
    return content[:20] + bytes([content[20] ^ 1]) + content[21:]


def test_an_object_that_would_fill_the_memory_is_refused() -> None:
    bomb, digest = _store(b" " * (MAX_BYTES + 1))
    with pytest.raises(RegistryError, match="is too large"):
        decode_registry(bomb, digest)


POINTERS = (
    ('{"serial": 1, "callers": null}', 1, True),
    (f'{{"serial": 7, "callers": "{DIGEST}", "clusters": 3}}', 7, True),
    (f'{{"serial": 7, "callers": "{DIGEST}", "later": {{}}}}', 7, True),
    (f'{{"serial": 7, "callers": "{DIGEST}"}}', 8, False),
    (f'{{"serial": true, "callers": "{DIGEST}"}}', 1, False),
    (f'{{"serial": 1.0, "callers": "{DIGEST}"}}', 1, False),
    (f'{{"serial": "1", "callers": "{DIGEST}"}}', 1, False),
    ('{"serial": 1, "callers": "sha256:x"}', 1, False),
    ('{"serial": 1, "callers": 3}', 1, False),
    ("serial: 1", 1, False),
    ("[1]", 1, False),
    ("", 1, False),
)


@pytest.mark.parametrize(("text", "version", "counts"), POINTERS)
def test_a_version_counts_if_its_serial_is_its_number(
    text: str, version: int, counts: bool
) -> None:
    assert (parse_pointer(text, version) is not None) is counts


@given(
    st.integers(1, 1000), st.one_of(st.none(), st.just(DIGEST)), st.integers(0, 5), st.booleans()
)
def test_a_pointer_is_read_back(
    serial: int, digest: str | None, clusters: int, copies: bool
) -> None:
    pointer = Pointer(serial=serial, digest=digest, clusters=clusters, copies=copies)
    assert parse_pointer(str(pointer), serial) == pointer
    assert parse_pointer(str(pointer), serial + 1) is None


def test_the_newest_version_that_counts_is_in_force() -> None:
    texts = [str(Pointer(serial=serial, digest=None)) for serial in (1, 2, 2, 4, 3)]
    in_force = find_in_force(enumerate(texts, 1))
    assert in_force is not None
    assert in_force.serial == 4
    assert find_in_force([(2, texts[0])]) is None
