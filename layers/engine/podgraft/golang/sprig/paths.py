"""Slash-separated paths: Go's packages path and path/filepath on Unix."""


def clean(path: str) -> str:
    """path.Clean: the shortest equivalent path.

    >>> clean("/a/../../b//./c/"), clean("a/../../b"), clean("")
    ('/b/c', '../b', '.')
    """
    rooted = path.startswith("/")
    elements: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            elements.append(part)
        elif elements and elements[-1] != "..":
            elements.pop()
        elif not rooted:
            elements.append(part)
    return "/" * rooted + "/".join(elements) or "."


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
