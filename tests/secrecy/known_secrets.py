"""What is planted wherever a secret may be, and how any of it is found again, however encoded."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from urllib.parse import quote

from podgraft.service.store import caller_document
from support.store_fixture import OTHER_TOKEN, PATH_TOKEN, TOKEN

# A word that no output has a reason to hold: a value that has it in it is known everywhere.
MARK = "planted"

# A character each that JSON and URLs write otherwise, and that YAML must quote.
ENVIRONMENT = f'{MARK}-environment: é "1" & more'
ANNOTATION = f'{MARK}-annotation: é "1" & more'
ALIAS = f"*{MARK}-that-yaml-takes-for-an-alias"

SECRETS: Mapping[str, str] = {
    "the token": TOKEN,
    "the token of another cluster": OTHER_TOKEN,
    "the token in the path": PATH_TOKEN,
    "the hash of the token": caller_document.hash_token(TOKEN),
    "a planted value": MARK,
}


def find_secrets(text: str) -> list[str]:
    """The names of the secrets that a text contains in any form."""
    return [name for name in SECRETS if any(form in text for form in secret_forms(SECRETS[name]))]


@cache
def secret_forms(secret: str) -> tuple[str, ...]:
    """The text of a secret in every encoding that an output could use."""
    data = secret.encode()
    plain = (secret, json.dumps(secret)[1:-1], quote(secret, safe=""), data.hex())
    return tuple(dict.fromkeys((*plain, *_base64_fragments(data))))


def _base64_fragments(data: bytes) -> Iterator[str]:
    """What stands in a base64 text of anything that holds *data*, wherever in it that begins."""
    for before in range(3):
        # A character tells six bits: the first and the last ones may hold bits of the neighbours.
        first = (before * 8 + 5) // 6
        last = (before + len(data)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(b"\0" * before + data).decode()[first:last]
