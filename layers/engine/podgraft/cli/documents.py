"""Objects out of files: YAML or JSON, several documents, Lists."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, describe_type, object_at
from podgraft.cli import terminal
from podgraft.kube import yaml

from . import folders
from .failure import CommandError


def read_text(path: Path) -> str:
    """The text of a file; ``-`` is standard input. Raises ``CommandError``."""
    if str(path) != "-":
        return folders.read_text(path)
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise CommandError(f"standard input: {error}; send UTF-8") from error


def write_text(path: Path | None, text: str) -> None:
    """Write a file; ``-`` and none is standard output."""
    if path is None or str(path) == "-":
        terminal.write_document(text)
        return
    path.write_text(text, "utf-8")


def render_json(value: Any) -> str:
    """The text of ``-o json``, and of other documents in JSON: indented, as kubectl prints it."""
    return msgspec.json.format(jsonvalue.dump(value), indent=2) + "\n"


def read_document(path: Path) -> JSON:
    """The value of a file with one document; raises ``CommandError``."""
    with convert_yaml_errors(path):
        return yaml.load_document(read_text(path))


@contextmanager
def convert_yaml_errors(place: object) -> Generator[None]:
    """Raise ``NotYAMLError`` as ``CommandError``, for a text that contains no secret."""
    try:
        yield
    except yaml.NotYAMLError as error:
        raise CommandError(f"{place}: invalid YAML: {error}; correct this line") from error


def read_objects(path: Path) -> Iterator[Object]:
    """Every object in a file, Lists opened; empty documents are left out."""
    yield from parse_objects(read_text(path), path)


def parse_objects(text: str, path: Path) -> Iterator[Object]:
    """Every object in the text of a file, Lists opened; *path* is for messages."""
    with convert_yaml_errors(path):
        documents = yaml.load_all(text)
    for value in (each for document in documents for each in expand_lists(document)):
        if isinstance(value, dict):
            yield value
        elif value is not None:
            raise CommandError(f"{path}: expected an object, got {describe_type(value)}")


def object_name(document: Object) -> str:
    """``kind/name`` for messages; pods of controllers have only a generateName."""
    own = object_at(document, "metadata")
    return f"{document.get('kind', 'object')}/{own.get('name') or own.get('generateName') or '?'}"


def expand_lists(document: JSON) -> Iterator[JSON]:
    """Yield the items of a List or ConfigMapList, Lists in it opened, or another document."""
    match document:
        case {"kind": "List" | "ConfigMapList", "items": list(items)}:
            for item in items:
                yield from expand_lists(item)
        case _:
            yield document
