"""The prose of a page: its sentences without blocks, tables, headings, and code spans."""

import re
from collections.abc import Iterator

_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ")


def remove_code(text: str) -> str:
    """The text without blocks and comments, with ``x`` for each code span and link target."""
    bare = _COMMENT.sub("", _BLOCK.sub("", text))
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "x", bare))


def split_sentences(text: str) -> Iterator[str]:
    """Each sentence of the paragraphs and list items of a page."""
    for block in re.split(r"\n\s*\n", remove_code(text)):
        lines = [
            line for line in block.splitlines() if not line.lstrip().startswith(("|", "#", "!"))
        ]
        for item in re.split(r"\n(?= *(?:[-*]|\d+\.) )", "\n".join(lines)):
            words = " ".join(_ITEM.sub("", item.strip()).split())
            yield from filter(None, re.split(r"(?<=[.!?:;])\s+", words))


def count_sentence(sentence: str) -> int:
    """The words of a sentence."""
    return len(re.findall(r"\w[\w'’-]*", sentence))
