"""html, js and urlquery (text/template/funcs.go, net/url)."""

from podgraft.govalue import Value, copied

from .printable import is_print
from .printing import sprint
from .quoting import is_escaped_byte
from .runtime import printable

_HTML = str.maketrans(
    {
        "\0": "\ufffd",
        '"': "&#34;",
        "'": "&#39;",
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
    }
)
_JS = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "<": "\\u003C",
    ">": "\\u003E",
    "&": "\\u0026",
    "=": "\\u003D",
}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")


def html(*values: Value) -> str:
    """The text of the values, escaped for HTML.

    >>> html("a", "<b>")
    'a&lt;b&gt;'
    """
    return _joined(values).translate(_HTML)


def js(*values: Value) -> str:
    r"""The text of the values, escaped for a JavaScript string.

    >>> js("it's", 1)
    "it\\'s1"
    """
    return "".join(map(_js_escaped, _joined(values)))


def urlquery(*values: Value) -> str:
    """The text of the values, escaped for the query of a URL.

    >>> urlquery("a b&c")
    'a+b%26c'
    """
    data = _joined(values).encode("utf-8", "surrogateescape")
    return "".join(
        chr(byte) if byte in _UNRESERVED else "+" if byte == ord(" ") else f"%{byte:02X}"
        for byte in data
    )


def _joined(values: tuple[Value, ...]) -> str:
    """evalArgs: what ``print`` makes of the values, pointers followed."""
    return sprint(
        *("<no value>" if value is None else printable(copied(value)) for value in values)
    )


def _js_escaped(char: str) -> str:
    if char in _JS:
        return _JS[char]
    if char < " ":
        return f"\\u00{ord(char):02X}"
    plain = char < "\x80" or is_print(char) or is_escaped_byte(char)
    return char if plain else f"\\u{ord(char):04X}"
