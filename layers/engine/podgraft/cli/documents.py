"""Objects out of files: YAML or JSON, several documents, Lists."""

import sys
from collections.abc import Iterator
from pathlib import Path

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import terminal
from podgraft.kube import yaml

from . import files
from .failure import CommandError


def read_text(path: Path) -> str:
    """The text of a file; ``-`` is standard input. Raises ``CommandError``."""
    if str(path) != "-":
        return files.read_text(path)
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise CommandError(f"standard input: {error}; send UTF-8") from error


def write_text(path: Path | None, text: str) -> None:
    """Write a file; ``-`` and none is standard output."""
    if path is None or str(path) == "-":
        terminal.write_document(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def read_objects(path: Path) -> Iterator[Object]:
    """Every object in a file, Lists opened; empty documents are left out."""
    yield from parse_objects(read_text(path), path)


def parse_objects(text: str, path: Path) -> Iterator[Object]:
    """Every object in the text of a file, Lists opened; *path* is for messages."""
    try:
        documents = yaml.load_all(text)
    except yaml.NotYAMLError as error:
        raise CommandError(f"{path}: {error}") from error
    for document in documents:
        yield from _expand_lists(document, path)


def object_name(document: Object) -> str:
    """``kind/name`` for messages; pods of controllers have only a generateName."""
    metadata = document.get("metadata")
    own = metadata if isinstance(metadata, dict) else {}
    return f"{document.get('kind', 'object')}/{own.get('name') or own.get('generateName') or '?'}"


def _expand_lists(document: JSON, path: Path) -> Iterator[Object]:
    match document:
        case None:
            return
        case {"kind": "List", "items": list(items)}:
            for item in items:
                yield from _expand_lists(item, path)
        case dict():
            yield document
        case _:
            raise CommandError(f"{path}: expected an object, got {type(document).__name__}")
