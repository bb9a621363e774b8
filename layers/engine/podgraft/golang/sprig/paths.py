"""Slash-separated paths (Go's path and path/filepath on Unix), and URLs by their parts."""

from posixpath import normpath
from typing import Any

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import Kind, Value
from podgraft.golang.url import URL, URLError, parse

from .dicts import entries
from .failures import kind_of


def clean(path: str) -> str:
    """path.Clean: the shortest equivalent path.

    >>> clean("/a/../../b//./c/"), clean("a/../../b"), clean("")
    ('/b/c', '../b', '.')
    """
    return normpath(f"/{path.lstrip('/')}" if path.startswith("/") else path)


def base(path: str) -> str:
    """path.Base: the last element; ``.`` for an empty path and ``/`` for only slashes."""
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def dir_(path: str) -> str:
    """path.Dir: all elements except the last, cleaned."""
    head, slash, _ = path.rpartition("/")
    return clean(head + slash)


def ext(path: str) -> str:
    """path.Ext: the suffix of the last element from its last dot."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return dot + suffix if dot else ""


def is_abs(path: str) -> bool:
    """path.IsAbs."""
    return path.startswith("/")


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
