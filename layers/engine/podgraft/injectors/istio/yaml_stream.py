"""Changing some of the objects in a YAML stream, and leaving the rest byte for byte as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from podgraft import yaml
from podgraft.jsonvalue import JSON, Object

_SEPARATOR = "---"


def rewrite_objects(text: str, change: Callable[[Object], Object]) -> str:
    """The stream with ``change`` applied to every object, also to those in Lists.

    A document in which ``change`` gives back the very object it got is copied as it stands; others
    are written anew, keys in their order. Each document is followed by a line ``---``. Raises
    ``kubeyaml.NotYAMLError``.
    """
    return "".join(
        _terminate_document(_rewrite_document(part, change)) for part in _split_documents(text)
    )


def _split_documents(text: str) -> Iterator[str]:
    """The documents as they stand; separators (and what is no document) are not among them."""
    lines: list[str] = []
    for line in re.findall("[^\\n]*\\n|[^\\n]+", text):
        if line.startswith(_SEPARATOR):
            if lines:
                yield "".join(lines)
            lines = []
        else:
            lines.append(line)
    if lines:
        yield "".join(lines)


def _rewrite_document(part: str, change: Callable[[Object], Object]) -> str:
    before = yaml.load(part, strict=False)
    after = _apply_change(before, change)
    return part if after is before else yaml.dump(after, sort_keys=False)


def _apply_change(document: JSON, change: Callable[[Object], Object]) -> JSON:
    if not isinstance(document, dict):
        return document
    if document.get("kind") != "List" or not isinstance(items := document.get("items"), list):
        return change(document)
    changed = [_apply_change(item, change) for item in items]
    same = all(one is other for one, other in zip(changed, items, strict=True))
    return document if same else {**document, "items": changed}


def _terminate_document(document: str) -> str:
    newline = "" if document.endswith("\n") else "\n"
    return f"{document}{newline}{_SEPARATOR}\n"
