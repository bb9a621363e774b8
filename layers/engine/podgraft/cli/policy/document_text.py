"""Changes of a policy document as text, which preserve its comments and the order of its keys."""

import re
from collections.abc import Mapping

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli.failure import CommandError
from podgraft.kube import yaml

# A key at the start of a line, and all lines of its value.
_BLOCK = r"^{key}:.*\n?(?:(?:[ \t#-].*)?\n)*(?:[ \t#-].*)?"
_CLUSTERS = "clusters"


def load_mapping(text: str) -> Object:
    """Return the keys of a document; an empty mapping for another value."""
    value = yaml.load_document(text)
    return value if isinstance(value, dict) else {}


def set_key(text: str, key: str, value: JSON, name: str) -> str:
    """Return the document with a value of a top-level key, and otherwise unchanged.

    Raises ``CommandError`` for a document in flow style; *name* is its name for the message.
    """
    block = yaml.dump({key: value})
    pattern = re.compile(_BLOCK.format(key=re.escape(key)), re.MULTILINE)
    if pattern.search(text):
        written = pattern.sub(lambda match: block + _trailing_comments(match[0]), text, count=1)
    else:
        end = "" if not text or text.endswith("\n") else "\n"
        written = f"{text}{end}{block}"
    if not _is_mapping(written, {**load_mapping(text), key: value}):
        raise CommandError(
            f"{name}: is in flow style, so podgraft cannot write the key {key}; "
            "write one key per line"
        )
    return written


def set_cluster(text: str, cluster: str, override: Object, name: str) -> str:
    """Return the document with the overrides of a cluster, and otherwise unchanged.

    Comments of other clusters remain, unless ``clusters`` is in flow style.
    """
    clusters: Object = {**object_at(load_mapping(text), _CLUSTERS), cluster: override}
    written = _insert_entry(text, cluster, override)
    if written is not None and _is_mapping(written, {**load_mapping(text), _CLUSTERS: clusters}):
        return written
    return set_key(text, _CLUSTERS, clusters, name)


def _insert_entry(text: str, cluster: str, override: Object) -> str | None:
    """Write an entry of ``clusters`` in block style; ``None`` if there is no such block."""
    pattern = re.compile(_BLOCK.format(key=_CLUSTERS), re.MULTILINE)
    match = pattern.search(text)
    if match is None:
        return None
    head, *lines = match[0].splitlines(keepends=True)
    first = next((line for line in lines if line.strip() and line.lstrip()[0] != "#"), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    if not indent:
        return None
    entry = "".join(
        f"{indent}{line}" for line in yaml.dump({cluster: override}).splitlines(keepends=True)
    )
    block = head + _replace_entry(lines, indent, cluster, entry)
    return text[: match.start()] + block + text[match.end() :]


def _replace_entry(lines: list[str], indent: str, cluster: str, entry: str) -> str:
    """Return the lines of the entries, with one of them replaced or added."""
    key = re.compile(rf"{indent}(?P<quote>[\"']?){re.escape(cluster)}(?P=quote)\s*:")
    start = next((index for index, line in enumerate(lines) if key.match(line)), None)
    if start is None:
        end = len(lines) - len(_trailing_comments("".join(["-\n", *lines])).splitlines())
        last = lines[end - 1]
        before = [*lines[: end - 1], last if last.endswith("\n") else f"{last}\n"]
        return "".join((*before, entry, *lines[end:]))
    end = start + 1
    while end < len(lines) and (
        not lines[end].strip() or lines[end].startswith((f"{indent} ", f"{indent}-"))
    ):
        end += 1
    return "".join((*lines[:start], entry, *lines[end:]))


def _is_mapping(text: str, expected: Mapping[str, JSON]) -> bool:
    try:
        return load_mapping(text) == expected
    except yaml.NotYAMLError:
        return False


def _trailing_comments(block: str) -> str:
    """The comments and empty lines after the last value: they belong to the next key."""
    lines = block.splitlines(keepends=True)
    end = len(lines)
    while end > 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return "".join(lines[end:])
