"""Plain text: text that is free of YAML syntax wherever a template writes it.

Plain text stays plain next to other plain text. For this reason, parts of ``null``, of directives,
and of document end markers are not plain. A template that cannot make syntax of plain text
(``Program.can_create_syntax``), and reads only plain text of an object, cannot get structure from
the object. The structure check then needs no second rendering.
"""

import re
from collections.abc import Collection

import msgspec

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect.taint import Address

# Letters and numbers in one line, joined by single spaces and inner colons: none of it is syntax
# anywhere in YAML. "-" alone would open a list, "---" and "..." would end the document, and no
# scalar can start with "@". A dollar starts a variable reference, never a merge directive.
_LETTERS = "[A-Za-z0-9_./+=()@-]*"
_PART = rf"(?=[A-Za-z0-9_./+=()@-]|\$\(){_LETTERS}(?:\$\({_LETTERS})*"
_WORD = f"{_PART}(?::{_PART})*"
_PLAIN_TEXT = re.compile(rf"\*?|(?!---|-(?: |$)|@|\.+(?: |$)){_WORD}(?: (?!-(?: |$)){_WORD})*")
_NULL = "null"
_PARTS_OF_NULL = frozenset(
    _NULL[start:end] for start in range(len(_NULL)) for end in range(start + 1, len(_NULL) + 1)
)


def is_plain_text(text: str) -> bool:
    """Whether the text is free of YAML syntax, wherever a template writes it.

    >>> [is_plain_text(text) for text in ("hub/proxyv2:1.30 -x", "a: b", "- a", "")]
    [True, False, False, True]
    """
    return _PLAIN_TEXT.fullmatch(text) is not None and text.lower() not in _PARTS_OF_NULL


def has_only_plain_text(value: JSON, reserved: Collection[str] = ()) -> bool:
    """Whether the value contains only plain text, including its keys, and no ``reserved`` text.

    Its JSON has all texts between quotes. Plain text is ASCII and needs no escapes.
    """
    try:
        json = _ENCODER.encode(value).decode("ascii")
    except (UnicodeError, TypeError):  # other letters, or no JSON
        return False
    if "\\" in json:
        return False
    texts = set(_TEXTS.findall(json))
    is_plain = texts.isdisjoint(reserved) and all(map(_PLAIN_TEXT.fullmatch, texts))
    return is_plain and _PARTS_OF_NULL.isdisjoint(map(str.lower, texts))


_ENCODER = msgspec.json.Encoder()
_TEXTS = re.compile('"([^"]*)"')


def path_steps(path: Address) -> tuple[str | int, ...]:
    """The keys and indexes of a path, outermost first."""
    return () if path is None else (*path_steps(path[0]), path[1])
