"""Streams of documents, split as kubectl and client-go split them."""

from collections.abc import Iterator

from podgraft import jsonvalue
from podgraft.jsonvalue import JSON

from .decoder import load
from .errors import NotYAMLError

_SEPARATOR = "---"


def load_all(text: str, strict: bool = True) -> list[JSON]:
    """Every document of ``text`` that holds anything, each read as ``load`` does.

    A text that begins with ``{`` is read as one JSON document if it is one.
    """
    if text.lstrip().startswith("{"):
        try:
            return [jsonvalue.load(text)]
        except jsonvalue.NotJSONError:
            pass  # YAML in flow style begins so too
    values = (_load_part(first, part, strict=strict) for first, part in _split_documents(text))
    return [value for value in values if value is not None]


def _split_documents(text: str) -> Iterator[tuple[int, str]]:
    """The documents with the number of lines before each.

    Mirrors ``YAMLReader`` of apimachinery: a document ends where a line begins with ``---``, after
    which only a comment may follow, wherever in the document's structure that line stands.
    """
    first = 0
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
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
            "only a comment may stand after the separator ---; begin the document a line below",
            number + 1,
            len(_SEPARATOR) + 1,
        )


def _load_part(first: int, part: str, *, strict: bool) -> JSON:
    try:
        return load(part, strict)
    except NotYAMLError as error:
        raise error.shift_lines(first) from error


_CARRIAGE_RETURN = "\r"
