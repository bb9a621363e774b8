"""Changes to objects in a YAML stream that leave all other documents unchanged, byte for byte."""

import re
from collections.abc import Callable, Iterator

from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import yaml

_SEPARATOR = "---"


def rewrite_objects(text: str, change: Callable[[Object], Object]) -> str:
    """Apply ``change`` to every object of the stream, including the items of Lists.

    If ``change`` returns the same object, the text of the document is copied. Other documents are
    formatted again, with keys in their order. A line ``---`` follows each document. Raises
    ``yaml.NotYAMLError``.
    """
    return "".join(
        _terminate_document(_rewrite_document(part, change)) for part in _split_documents(text)
    )


def _split_documents(text: str) -> Iterator[str]:
    """Yield the text of each document, without separators and empty documents."""
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
    is_same = all(after is before for after, before in zip(changed, items, strict=True))
    return document if is_same else {**document, "items": changed}


def _terminate_document(document: str) -> str:
    newline = "" if document.endswith("\n") else "\n"
    return f"{document}{newline}{_SEPARATOR}\n"
