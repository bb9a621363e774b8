"""urlParse and urlJoin: between a URL and a dict of its parts (Go's net/url)."""

from typing import Any

from podgraft.golang.reflect import Kind, Value
from podgraft.golang.texttemplate.errors import FunctionError
from podgraft.golang.url import URL, URLError, parse

from .dicts import entries
from .go_panics import kind_of

_PARTS = ("scheme", "host", "path", "query", "opaque", "fragment")


def url_parse(text: str) -> dict[str, Value]:
    """The decoded parts of a URL; a missing part is empty."""
    try:
        url = parse(text)
    except URLError as error:
        raise FunctionError(f"unable to parse url: {error}") from error
    parts = {name: getattr(url, name) for name in (*_PARTS, "hostname")}
    return {**parts, "userinfo": url.userinfo or ""}


def url_join(parts_map: Value) -> str:
    """The URL of the parts in the dict; ignores ``hostname``."""
    parts: dict[str, Any] = {name: _part_of(parts_map, name) for name in _PARTS}
    userinfo = _part_of(parts_map, "userinfo")
    if userinfo:
        try:
            userinfo = parse(f"proto://{userinfo}@host").userinfo
        except URLError as error:
            raise FunctionError(f"unable to parse userinfo in dict: {error}") from error
    return str(URL(**parts, userinfo=userinfo or None))


def _part_of(parts_map: Value, name: str) -> str:
    value = entries(parts_map).get(name, "")
    if kind_of(value) is not Kind.STRING:
        raise FunctionError(
            f"unable to parse {name} key, must be of type string, but {kind_of(value)} found"
        )
    return str(value)
