"""Streams of documents, split as kubectl and client-go split them."""

from collections.abc import Iterator

from podgraft import jsonvalue
from podgraft.jsonvalue import JSON

from .faults import NotYAMLError
from .reading import load

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
    values = (_load_part(first, part, strict=strict) for first, part in _parts(text))
    return [value for value in values if value is not None]


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The documents with the number of lines before each.

    Mirrors ``YAMLReader`` of apimachinery: a document ends where a line begins with ``---``, after
    which only a comment may follow, wherever in the document's structure that line stands.
    """
    first = 0
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if line.startswith(_SEPARATOR):
            after = line[len(_SEPARATOR) :].strip()
            if after and not after.startswith("#"):
                raise NotYAMLError(
                    "only a comment may stand on the line of a separator ---; "
                    "begin the document on the next line",
                    number + 1,
                    len(_SEPARATOR) + 1,
                )
            if lines:
                yield first, "".join(lines)
            first, lines = number + 1, []
        else:
            lines.append(f"{line.removesuffix(_CARRIAGE_RETURN)}\n")
    yield first, "".join(lines)


def _load_part(first: int, part: str, *, strict: bool) -> JSON:
    try:
        return load(part, strict)
    except NotYAMLError as error:
        raise error.below(first) from error


_CARRIAGE_RETURN = "\r"
