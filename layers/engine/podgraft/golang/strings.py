"""Go's package strings: the case of a text, letter by letter.

Go maps each letter to one letter, unlike Python: "ß" has no upper case, and a final "Σ" no lower
case of its own. A result never depends on other letters, and has as many.
"""

from . import utf8

_ASCII_SPACES = "\t\n\v\f\r "  # ``str.strip`` would also remove U+001C to U+001F
_LONG_S = "ſ"  # U+017F, whose upper case is "S"


def to_upper(text: str) -> str:
    """strings.ToUpper.

    >>> to_upper("straße")
    'STRAßE'
    """
    if text.isascii():
        return text.upper()
    return utf8.map_runes(utf8.to_upper, text)


def to_lower(text: str) -> str:
    """strings.ToLower.

    >>> to_lower("İ ΣΑΣ")
    'i σασ'
    """
    if text.isascii():
        return text.lower()
    return utf8.map_runes(utf8.to_lower, text)


def title(text: str) -> str:
    """strings.Title: the first letter of each word; words are letters, digits, and ``_``.

    >>> title("an under_score")
    'An Under_score'
    """
    out: list[str] = []
    separated = True
    for char in utf8.to_runes(text):
        out.append(utf8.to_title(char) if separated else char)
        separated = not (char == "_" or utf8.is_letter(char) or utf8.is_digit(char)) and (
            char.isascii() or utf8.is_space(char)
        )
    return "".join(out)


def trim_space(text: str) -> str:
    """strings.TrimSpace."""
    if text.isascii():
        return text.strip(_ASCII_SPACES)
    return text.strip(utf8.SPACES)


def fold_name(name: str) -> str:
    """Fold the case of a name as encoding/json does to find a field with a name in ASCII.

    >>> [fold_name(name) for name in ("hostIP", "hoſtIP", "acceß")]
    ['hostip', 'hostip', 'acceß']
    """
    return name.lower() if name.isascii() else to_lower(name).replace(_LONG_S, "s")


def split_n(text: str, separator: str, limit: int = -1) -> list[str]:
    """strings.SplitN: at most ``limit`` parts; a negative limit means all, and 0 means none.

    >>> split_n("a.b.c", ".", 2), split_n("abc", "")
    (['a', 'b.c'], ['a', 'b', 'c'])
    """
    if limit == 0:
        return []
    if separator:
        parts = utf8.encode(text).split(utf8.encode(separator), max(limit - 1, -1))
        return [*map(utf8.decode, parts)]
    if limit < 0 or limit >= len(text):
        return list(text)
    return [*text[: limit - 1], text[limit - 1 :]]
