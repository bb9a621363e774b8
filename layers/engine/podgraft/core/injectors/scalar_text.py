"""The text of a scalar that contains text of an object, as YAML reads it.

Between quotes, and in plain text, YAML folds line breaks to spaces and drops white space at the end
of a line. Quotes have escapes. None of this changes the structure: the scalar remains one scalar.
But a comment (``" #"``) or a closing quote can cut off what the template writes after the text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial

from podgraft.golang.reflect.taint import PlaceholderRegistry
from podgraft.kube.yaml import NotYAMLError
from podgraft.kube.yaml.composer import Scalar, compose

# The white space and the line breaks of YAML 1.1.
_BLANKS = re.compile("[ \t\n\r\x85\u2028\u2029]+")
_WORD = re.compile(r"\w+")
_MAP = re.compile(r"[{]|: ")
_ESCAPE = re.compile(r"(?s)\\.")
_SINGLE, _DOUBLE = "'", '"'


class ScalarMatcher:
    """A comparison of scalars with the masked texts of one rendering."""

    def __init__(self, slots: PlaceholderRegistry) -> None:
        self._slots = slots
        self._outputs: dict[int, list[tuple[str, int, str]]] | None = None

    def matches(self, scalar: Scalar, masked_text: str) -> bool:
        """Whether a scalar has the text that its masked text replaces, if that is known.

        White space can differ. A text between quotes is the text of the object itself, because a
        function escaped it, or what YAML reads if nothing did. Around unknown text, the constant
        text must be complete.
        """
        texts = self._find_texts(masked_text, (scalar.style,))
        if texts is None:
            constants = self._slots.find_constants(self._replace_outputs(masked_text))
            return _has_constants(fold(scalar.text), [*map(fold, constants)])
        return any(_is_equal(scalar.text, text) for text in texts)

    def find_keys(self, masked_text: str) -> Iterator[str]:
        """The texts of keys that a masked text replaces, as ``fold`` returns them."""
        yield fold(masked_text)
        yield from map(fold, self._find_texts(masked_text, (_SINGLE, _DOUBLE)) or ())

    def _find_texts(self, masked_text: str, styles: Iterable[str]) -> Iterator[str] | None:
        """The texts that a masked text replaces in scalars of these styles; ``None`` for any."""
        if self._slots.unmask(masked_text) is None:
            masked_text = self._replace_outputs(masked_text)
        text = self._slots.unmask(masked_text)
        return None if text is None else self._add_read_texts(text, masked_text, styles)

    def _add_read_texts(self, text: str, masked_text: str, styles: Iterable[str]) -> Iterator[str]:
        yield text
        for style in styles:
            if style in (_SINGLE, _DOUBLE):
                read = self._slots.unmask(masked_text, partial(_read_quoted, style))
                if read is not None:
                    yield read

    def _replace_outputs(self, masked_text: str) -> str:
        """Return a masked text with one placeholder for each output of an action.

        A function can rewrite text next to constant text, so a placeholder in its result can
        replace any text. But the text of the complete output is known.
        """
        if self._outputs is None:
            self._outputs = self._index_outputs()
        folded, pieces, end = f" {fold(masked_text)} ", list[str](), 0
        for number, position in self._slots.find_placeholders(folded):
            for output, offset, placeholder in self._outputs.get(number, ()):
                start = position - offset
                if start >= end and folded.startswith(output, start):
                    pieces += folded[end:start], placeholder
                    end = start + len(output)
                    break
        return "".join([*pieces, folded[end:]])

    def _index_outputs(self) -> dict[int, list[tuple[str, int, str]]]:
        """The outputs with unknown texts, by their first placeholder.

        Each has the masked text as a scalar can have it, the position of the placeholder in it, and
        the placeholder of the complete output.
        """
        slots, outputs = self._slots, dict[int, list[tuple[str, int, str]]]()
        for text, masked_text in slots.emissions:
            if slots.unmask(masked_text) is None:
                for read_text, read_masked in _read_output(text, masked_text):
                    folded = _BLANKS.sub(" ", read_masked)
                    number, position = slots.find_placeholders(folded)[0]
                    placeholder = slots.make_text(read_text, ()).masked_value
                    outputs.setdefault(number, []).append((folded, position, placeholder))
        return outputs


def _read_output(text: str, masked_text: str) -> Iterator[tuple[str, str]]:
    """An output and its masked text, as YAML reads it: in plain text, in quotes, or with own ones.

    The text of an output in quotes of the template is read with that of the scalar.
    """
    yield text, masked_text
    for quote in (_SINGLE, _DOUBLE):
        read = _read_quoted(quote, masked_text)
        if read is not None and read != masked_text:
            yield text, read
    quote = masked_text[0]
    if quote in (_SINGLE, _DOUBLE) and masked_text.endswith(quote):
        read = _read_quoted(quote, masked_text[1:-1])
        if read is not None:
            yield _read_quoted(quote, text[1:-1]) or text, read


def _has_constants(text: str, constants: list[str]) -> bool:
    """Whether a text has the constant text before, between, and after unknown text.

    A text with a serialized map has its keys in another order, so only its words are compared.
    """
    first, *middle, last = constants
    if any(_MAP.search(constant) for constant in constants):
        return all(word in text for constant in constants for word in _WORD.findall(constant))
    if not text.startswith(first) or not text.endswith(last):
        return False
    start = len(first)
    for constant in middle:
        found = text.find(constant, start)
        if found < 0:
            return False
        start = found + len(constant)
    return start <= len(text) - len(last)


def _is_equal(left: str, right: str) -> bool:
    return left == right or fold(left) == fold(right)


def fold(text: str) -> str:
    """Return the text with one space for all white space, and none at the ends."""
    return _BLANKS.sub(" ", text).strip(" ")


def _read_quoted(quote: str, text: str) -> str | None:
    """Return what YAML reads between quotes; ``None`` if the text ends the scalar or is invalid."""
    escaped = text.replace("''", "") if quote == _SINGLE else _ESCAPE.sub("", text)
    if quote in escaped:
        return None
    try:
        match compose(f"{quote}{text}{quote}"):
            case [Scalar() as scalar]:
                return scalar.text
            case _:
                return None
    except NotYAMLError:
        return None
