"""Sentences of the page, with the parts that are code.

A sentence is a list of texts; those at odd indexes are code. A value is never parsed, so a pod
author cannot choose what is code.
"""

import re
from typing import TypeAlias

from podgraft.base.jsonvalue import JSON

Sentence: TypeAlias = list[JSON]


def say(template: str, *values: object) -> Sentence:
    """The template with its values; text between backticks is code."""
    remaining = iter(values)
    return [re.sub(r"\{\}", lambda _: str(next(remaining)), part) for part in template.split("`")]


def to_text(sentence: Sentence) -> str:
    """The sentence without marks."""
    return "".join(map(str, sentence))


def join(sentences: list[Sentence], separator: str = ", ") -> Sentence:
    """Sentences one after the other."""
    joined: Sentence = [""]
    for index, sentence in enumerate(sentences):
        first, *others = sentence
        joined[-1] = f"{joined[-1]}{separator if index else ''}{first}"
        joined += others
        if len(joined) % 2 == 0:
            joined.append("")
    return joined
