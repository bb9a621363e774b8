"""Changes of bytes and of JSON documents, as fuzzers make them."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from service.http.test_malformed_reviews import ODD, changed, places

# Pieces of the formats that podgraft reads.
TOKENS = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b":",
        b",",
        b"\\u0000",
        b"\\ud800",
        b"null",
        b"1e999",
        b"-",
        b"#",
    ),
    *(b"\n", b"\r", b"\t", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3\x28", b"---\n", b"...\n"),
    *(
        b"&a ",
        b"*a",
        b"<<: ",
        b"!!binary ",
        b"!!python/object:os.system ",
        b"|",
        b"> ",
        b"? ",
        b"%Y",
    ),
    *(
        b"{{",
        b"}}",
        b"{{end}}",
        b"$patch",
        b"/",
        b"..",
        b"%2e",
        b"%00",
        b";",
        b"-----BEGIN ",
        b"==",
    ),
    *(b"99999999999999999999", b"0x1", b"true", b"~", b"\xe2\x80\xa8", b"\xc2\x85", b"[[[[[[[["),
)


def mutate_bytes(random: Random, data: bytes) -> bytes:
    """The data after one to four changes."""
    for _ in range(random.choice((1, 1, 2, 4))):
        data = _mutate_once(random, data)
    return data


def mutate_text(random: Random, text: str) -> str:
    """The text after changes of its bytes."""
    return mutate_bytes(random, text.encode()).decode("utf-8", "replace")


def _mutate_once(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    match random.randrange(6):
        case 0:
            return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
        case 1:
            return data[:at] + random.choice(TOKENS) + data[at:]
        case 2:
            return data[:at] + data[at + random.randrange(1, 20) :]
        case 3:
            end = at + random.randrange(1, 40)
            return data[:end] + data[at:end] * random.choice((1, 2, 8)) + data[end:]
        case 4:
            return data[:at]
        case _:
            other = random.randrange(len(data) + 1)
            return data[:at] + data[other : other + random.randrange(1, 40)] + data[at:]


def mutate_document(random: Random, document: Any, *, fixed: tuple[str, ...] = ("",)) -> Any:
    """A copy of a JSON document with one to three odd values, none of them below *fixed*."""
    document = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 2, 3))):
        paths = [path for path in places(document) if path[: len(fixed)] != fixed]
        if not paths:
            return document
        how = random.choice(("replace", "replace", "remove", "add", "double"))
        changed(document, random.choice(paths), copy.deepcopy(random.choice(ODD)), how)
    return document
