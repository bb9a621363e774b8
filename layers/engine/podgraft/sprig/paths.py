"""Slash-separated paths: Go's package path, and path/filepath as on Unix, where they agree."""


def clean(path: str) -> str:
    """path.Clean: the shortest path of the same meaning.

    >>> clean("/a/../../b//./c/"), clean("a/../../b"), clean("")
    ('/b/c', '../b', '.')
    """
    rooted = path.startswith("/")
    kept: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            kept.append(part)
        elif kept and kept[-1] != "..":
            kept.pop()
        elif not rooted:
            kept.append(part)
    return "/" * rooted + "/".join(kept) or "."


def base(path: str) -> str:
    """path.Base: the last element; ``.`` of nothing and ``/`` of slashes alone."""
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def dir_(path: str) -> str:
    """path.Dir: all but the last element, cleaned."""
    head, slash, _ = path.rpartition("/")
    return clean(head + slash)


def ext(path: str) -> str:
    """path.Ext: the last element's suffix from its last dot on."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return dot + suffix if dot else ""


def is_abs(path: str) -> bool:
    """path.IsAbs."""
    return path.startswith("/")
