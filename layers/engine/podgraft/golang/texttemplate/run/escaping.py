"""html, js and urlquery (text/template/funcs.go, net/url)."""

from podgraft.golang.fmt.sprintf import sprint
from podgraft.golang.reflect import Value, copy_value
from podgraft.golang.strconv.quote import is_escaped_byte, is_print

from .runtime import printable_value

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
    return _print_args(values).translate(_HTML)


def js(*values: Value) -> str:
    r"""The text of the values, escaped for a JavaScript string.

    >>> js("it's", 1)
    "it\\'s1"
    """
    return "".join(map(_escape_js_character, _print_args(values)))


def urlquery(*values: Value) -> str:
    """The text of the values, escaped for the query of a URL.

    >>> urlquery("a b&c")
    'a+b%26c'
    """
    data = _print_args(values).encode("utf-8", "surrogateescape")
    return "".join(
        chr(byte) if byte in _UNRESERVED else "+" if byte == ord(" ") else f"%{byte:02X}"
        for byte in data
    )


def _print_args(values: tuple[Value, ...]) -> str:
    """evalArgs: print the values, and follow pointers."""
    return sprint(
        *("<no value>" if value is None else printable_value(copy_value(value)) for value in values)
    )


def _escape_js_character(char: str) -> str:
    if char in _JS:
        return _JS[char]
    if char < " ":
        return f"\\u00{ord(char):02X}"
    plain = char < "\x80" or is_print(char) or is_escaped_byte(char)
    return char if plain else f"\\u{ord(char):04X}"
