"""Sprig's functions on strings: Go's package strings, by bytes."""

from podgraft.golang import strings
from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import STRING_MAP, STRINGS, Map, Slice
from podgraft.golang.strconv.quote import merge_escaped_bytes
from podgraft.golang.utf8 import decode, encode, to_runes

from .failures import check_text_size

upper, lower, title = strings.to_upper, strings.to_lower, strings.title
trim = strings.trim_space


def trim_all(cutset: str, text: str) -> str:
    """strings.Trim, arguments swapped: remove the runes of ``cutset`` at both ends."""
    unwanted = to_runes(cutset)
    runes = to_runes(text)
    start = len(runes) - len(runes.lstrip(unwanted)) if unwanted else 0
    end = len(runes.rstrip(unwanted)) if unwanted else len(runes)
    return text[start : max(start, end)]


def trim_prefix(prefix: str, text: str) -> str:
    """strings.TrimPrefix, arguments swapped."""
    return decode(encode(text).removeprefix(encode(prefix)))


def trim_suffix(suffix: str, text: str) -> str:
    """strings.TrimSuffix, arguments swapped."""
    return decode(encode(text).removesuffix(encode(suffix)))


def contains(needle: str, text: str) -> bool:
    """strings.Contains, arguments swapped."""
    return encode(needle) in encode(text)


def has_prefix(prefix: str, text: str) -> bool:
    """strings.HasPrefix, arguments swapped."""
    return encode(text).startswith(encode(prefix))


def has_suffix(suffix: str, text: str) -> bool:
    """strings.HasSuffix, arguments swapped."""
    return encode(text).endswith(encode(suffix))


def replace(old: str, new: str, text: str) -> str:
    """strings.ReplaceAll with the text last; an empty ``old`` matches between all runes.

    >>> replace("", "-", "aé")
    '-a-é-'
    """
    if not old:
        check_text_size((len(text) + 1) * len(new))
        return merge_escaped_bytes(text.replace("", new))
    source, needle, inserted = encode(text), encode(old), encode(new)
    if len(inserted) > len(needle):
        check_text_size(len(source) + source.count(needle) * (len(inserted) - len(needle)))
    return decode(source.replace(needle, inserted))


def repeat(count: int, text: str) -> str:
    """strings.Repeat, arguments swapped."""
    if count < 0:
        raise FunctionError("strings: negative Repeat count")
    check_text_size(count * len(text))
    return decode(encode(text) * count)


def trunc(count: int, text: str) -> str:
    """The first ``count`` bytes, or the last ``-count`` if negative.

    >>> trunc(3, "abcdef"), trunc(-2, "abcdef")
    ('abc', 'ef')
    """
    data = encode(text)
    if len(data) <= abs(count):
        return text
    return decode(data[:count] if count >= 0 else data[count:])


def substr(start: int, end: int, text: str) -> str:
    """Bytes ``start`` to ``end``; a negative ``start`` means 0, a negative ``end`` the end.

    Out of range it fails as Go's slice expression does, and so does a negative start with an
    ``end`` out of range.
    """
    data = encode(text)
    size = len(data)
    if start < 0:
        if end < 0:
            raise FunctionError(f"runtime error: slice bounds out of range [:{end}]")
        if end > size:
            raise FunctionError(
                f"runtime error: slice bounds out of range [:{end}] with length {size}"
            )
        return decode(data[:end])
    stop = size if end < 0 or end > size else end
    if start > stop:
        raise FunctionError(f"runtime error: slice bounds out of range [{start}:{stop}]")
    return decode(data[start:stop])


def indent(spaces: int, text: str) -> str:
    """Indent each line by ``spaces``, including the first line and empty lines."""
    if spaces < 0:
        raise FunctionError("strings: negative Repeat count")
    check_text_size(len(text) + spaces * (1 + text.count("\n")))
    pad = " " * spaces
    return pad + text.replace("\n", "\n" + pad)


def nindent(spaces: int, text: str) -> str:
    """``indent`` after a line break."""
    return "\n" + indent(spaces, text)


def split_list(separator: str, text: str) -> Slice:
    """strings.Split as []string, arguments swapped."""
    return Slice(STRINGS, strings.split_n(text, separator))


def split(separator: str, text: str) -> Map:
    """The parts as map[string]string with the keys ``_0``, ``_1``, and so on."""
    return splitn(separator, -1, text)


def splitn(separator: str, limit: int, text: str) -> Map:
    """``split`` into at most ``limit`` parts."""
    parts = strings.split_n(text, separator, limit)
    return Map(STRING_MAP, {f"_{index}": part for index, part in enumerate(parts)})


def plural(singular: str, plural_form: str, count: int) -> str:
    """``singular`` for exactly 1, else ``plural_form``."""
    return singular if count == 1 else plural_form


def hello() -> str:
    """Sprig's greeting."""
    return "Hello!"
