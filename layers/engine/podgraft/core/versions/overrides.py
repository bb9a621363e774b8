"""The overrides of a large policy: its groups and clusters, in a bundle beside the document.

Parameter Store accepts 8,192 bytes. For a larger policy, ``podgraft push`` stores the text of these
keys as the files of a bundle, and leaves a mark in their place. The document names the bundle by
its digest, so one write still switches all of it, and a signature of the document covers all of it.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from .errors import InvalidVersionError

KEYS = ("groups", "clusters")
# The comment names the bundles of the moved text: a prune keeps whatever a document mentions.
_HEAD = re.compile(
    r"^(?:# bundles:[^\r\n]*\r?\n)?overrides: (sha256:[0-9a-f]{64})\r?(?:\n|\Z)", re.MULTILINE
)


def find_overrides(document: str) -> str | None:
    """Return the digest of the overrides that a document names, if any."""
    found = _HEAD.search(document)
    return None if found is None else found[1]


def join_overrides(document: str, fetch: Callable[[str], Mapping[str, bytes]]) -> str:
    """Return the complete text of a document; one without overrides is complete.

    A key whose mark somebody removed is at the end. Raises ``InvalidVersionError`` for files that
    are not text, and what *fetch* raises.
    """
    digest = find_overrides(document)
    if digest is None:
        return document
    files = fetch(digest)
    text = _HEAD.sub("", document, count=1)
    for key in KEYS:
        try:
            moved = files.get(path_of(key), b"").decode()
        except UnicodeDecodeError as error:
            problem = f"bundle {digest}: {path_of(key)} is not UTF-8; push the policy again"
            raise InvalidVersionError(problem) from error
        mark = make_mark(key)
        if mark in text:
            text = text.replace(mark, moved, 1)
        elif moved:
            text = f"{text}\n{moved}"
    return text


def make_head(digest: str, bundles: Iterable[str]) -> str:
    """Return the first lines of a document with overrides."""
    return f"# bundles: {' '.join(bundles)}\noverrides: {digest}\n"


def make_mark(key: str) -> str:
    """Return the line in the place of a moved key."""
    return f"# {key}: in overrides\n"


def path_of(key: str) -> str:
    """Return the path of a moved key in the bundle."""
    return f"{key}.yaml"
