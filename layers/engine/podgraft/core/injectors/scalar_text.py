"""The text of a scalar that contains text of an object, as YAML reads it.

Between quotes, and in plain text, YAML folds line breaks to spaces and drops white space at the end
of a line. Quotes have escapes. None of this changes the structure: the scalar remains one scalar.
But a comment (``" #"``) or a closing quote can cut off what the template writes after the text.
"""

import re

from podgraft.golang.reflect.taint import PlaceholderRegistry
from podgraft.kube.yaml import NotYAMLError
from podgraft.kube.yaml.composer import Scalar, compose

# The white space and the line breaks of YAML 1.1.
_BLANKS = re.compile("[ \t\n\r\x85\u2028\u2029]+")
_ESCAPE = re.compile(r"(?s)\\.")
_SINGLE, _DOUBLE = "'", '"'


def matches_mask(slots: PlaceholderRegistry, scalar: Scalar, masked_text: str) -> bool:
    """Whether a scalar has the text that its masked text replaces, if that is known.

    White space can differ. A text between quotes is the text of the object itself, because a
    function escaped it, or what YAML reads if nothing did.
    """
    text = slots.unmask(masked_text)
    if text is None or _is_equal(scalar.text, text):
        return True
    if scalar.style not in (_SINGLE, _DOUBLE):
        return False
    read = slots.unmask(masked_text, lambda part: _read_quoted(scalar.style, part))
    return read is not None and _is_equal(scalar.text, read)


def _is_equal(left: str, right: str) -> bool:
    return left == right or _fold(left) == _fold(right)


def _fold(text: str) -> str:
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
