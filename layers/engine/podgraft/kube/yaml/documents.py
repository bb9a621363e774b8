"""Streams of documents, split as in kubectl and client-go."""

from collections.abc import Iterator

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON

from .decoder import load
from .errors import NotYAMLError

_SEPARATOR = "---"


def load_all(text: str, strict: bool = True) -> list[JSON]:
    """Load all documents of ``text`` that are not empty.

    A text that starts with ``{`` is one JSON document if it is valid JSON.
    """
    if text.lstrip().startswith("{"):
        try:
            return [jsonvalue.load(text)]
        except jsonvalue.NotJSONError:
            pass  # YAML in flow style also starts with {
    values = (_load_part(first, part, strict=strict) for first, part in _split_documents(text))
    return [value for value in values if value is not None]


def _split_documents(text: str) -> Iterator[tuple[int, str]]:
    """Split into documents, each with the number of lines before it.

    Mirrors ``YAMLReader`` of apimachinery: a line that starts with ``---`` ends a document at any
    position in its structure. Only a comment can follow ``---``.
    """
    first = 0
    lines: list[str] = []
    # A last line feed ends a line, and starts none: another one would belong to a block scalar.
    for number, line in enumerate(text.removesuffix("\n").split("\n")):
        if line.startswith(_SEPARATOR):
            _check_separator(line, number)
            if lines:
                yield first, "".join(lines)
                first, lines = number + 1, []
                continue
        lines.append(f"{line.removesuffix(_CARRIAGE_RETURN)}\n")
    yield first, "".join(lines)


def _check_separator(line: str, number: int) -> None:
    after = line[len(_SEPARATOR) :].strip()
    if after and not after.startswith("#"):
        raise NotYAMLError(
            "only a comment can follow the separator ---; start the document on the next line",
            number + 1,
            len(_SEPARATOR) + 1,
        )


def _load_part(first: int, part: str, *, strict: bool) -> JSON:
    try:
        return load(part, strict)
    except NotYAMLError as error:
        raise error.shift_lines(first) from error


_CARRIAGE_RETURN = "\r"
