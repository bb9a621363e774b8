"""Records: equal workloads have equal digests, and a file that is not a record is an error."""

import gzip
import json
from contextlib import suppress

import pytest
from msgspec.structs import replace

from podgraft.core.census.record import (
    InvalidRecordError,
    Record,
    compute_digest,
    decode_record,
    encode_record,
    make_path,
)

RECORD = Record(
    injector="istio",
    cluster="prod-eu",
    namespace="shop",
    workload="Deployment/web",
    route="inject",
    request={"operation": "CREATE"},
    environment={},
    object={"kind": "Pod"},
    date="2026-11-22",
)


def test_a_record_survives_its_file() -> None:
    assert decode_record(encode_record(RECORD)) == RECORD
    assert encode_record(RECORD) == encode_record(replace(RECORD))


@pytest.mark.parametrize(
    ("field", "value", "differs"),
    [
        ("object", {"kind": "Pod", "spec": {}}, True),
        ("workload", "Deployment/cart", True),
        ("route", "mutate", True),
        ("cluster", "dev", True),
        ("date", "2026-11-23", False),
        ("decision", "skip", False),
        ("policy", "42", False),
    ],
)
def test_a_workload_is_distinct_by_its_names_and_its_object(
    field: str, value: object, differs: bool
) -> None:
    changed = replace(RECORD, **{field: value})
    assert (compute_digest(changed) != compute_digest(RECORD)) is differs


def test_a_path_has_no_unusual_name() -> None:
    digest = compute_digest(RECORD)
    path = make_path(RECORD, digest, "2026-W47")
    assert path == f"istio/prod-eu/shop/{digest}/2026-W47.json.gz"
    nameless = make_path(replace(RECORD, cluster="", namespace=""), digest, "2026-W47")
    assert nameless == f"istio/_/_/{digest}/2026-W47.json.gz"
    for name in ("..", "a/b", "../../etc", "a b", "-"):
        assert make_path(replace(RECORD, cluster=name), digest, "2026-W47") is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        gzip.compress(b"{}"),
        gzip.compress(b"[]"),
        gzip.compress(b'{"v": 2}'),
        gzip.compress(json.dumps({"v": 1, "injector": "a"}).encode()),
        encode_record(RECORD)[:-9],
        gzip.compress(b" " * 17_000_000),
    ],
    ids=range(8),
)
def test_another_file_is_an_error(content: bytes) -> None:
    with pytest.raises(InvalidRecordError):
        decode_record(content)


def test_a_file_with_a_damaged_byte_is_an_error_or_equal() -> None:
    content = encode_record(RECORD)
    for index in range(len(content)):
        damaged = bytearray(content)
        damaged[index] ^= 0xFF
        with suppress(InvalidRecordError):
            assert decode_record(bytes(damaged)) == RECORD
    with pytest.raises(InvalidRecordError):
        decode_record(gzip.compress(b"[" * 100_000))
