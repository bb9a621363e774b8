"""Policy documents: which keys differ, and changes as text, which preserve comments and order."""

import re
from collections.abc import Container, Iterator

from podgraft.base.jsonvalue import JSON, Object, equal, object_at
from podgraft.cli.documents import convert_yaml_errors
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.core.signing.signature import SignatureError, split_signature
from podgraft.kube import yaml

_CLUSTERS, _FEATURES = "clusters", "features"


def load_mapping(text: str) -> Object:
    """Return the keys of a document; an empty mapping for another value.

    Raises ``CommandError`` for invalid YAML.
    """
    with convert_yaml_errors("policy"):
        value = yaml.load_document(text)
    return value if isinstance(value, dict) else {}


def find_missing(current: Object, other: Object, ignored: Container[str]) -> Iterator[str]:
    """Yield the JSON Pointers of keys that *current* sets and *other* does not.

    Overrides cannot remove a key.
    """
    for key, value in current.items():
        if key in ignored or value is None:
            continue
        if other.get(key) is None:
            yield f"/{key}"
        elif key == _FEATURES:
            own, new = (object_at(each, key) for each in (current, other))
            yield from (f"/{key}{pointer}" for pointer in find_missing(own, new, ()))


def find_changed(current: Object, other: Object, ignored: Container[str]) -> Object:
    """Return the keys of *other* with another value; of features, only those that differ."""
    changed: Object = {
        key: value
        for key, value in other.items()
        if key not in ignored and not equal(value, current.get(key))
    }
    if isinstance(features := changed.get(_FEATURES), dict):
        changed[_FEATURES] = find_changed(object_at(current, _FEATURES), features, ())
    return changed


def strip_signature(document: str) -> str:
    """Return the document without its signature; raises ``CommandError`` for a damaged one."""
    with convert_errors(SignatureError, place="policy"):
        return split_signature(document).text


def signed_version(document: str) -> int | None:
    """Return the version that a document is signed for; None without a signature."""
    try:
        signature = split_signature(document).signature
    except SignatureError:
        return 0
    return None if signature is None else signature.version


def set_key(text: str, key: str, value: JSON, name: str) -> str:
    """Return the document with a value of a top-level key, and otherwise unchanged.

    Raises ``CommandError`` for a document in flow style; *name* is its name for the message.
    """
    problem = f"{name}: is in flow style, so podgraft cannot write the key {key}"
    return write_keys(text, {key: value}, f"{problem}; write one key per line")


def set_cluster(text: str, cluster: str, override: Object, name: str) -> str:
    """Return the document with the overrides of a cluster, and otherwise unchanged.

    Comments of other clusters remain, unless ``clusters`` is in flow style.
    """
    clusters: Object = {**object_at(load_mapping(text), _CLUSTERS), cluster: override}
    written = _insert_entry(text, cluster, override)
    if written is not None and _is_mapping(written, {**load_mapping(text), _CLUSTERS: clusters}):
        return written
    return set_key(text, _CLUSTERS, clusters, name)


def write_keys(text: str, keys: Object, problem: str) -> str:
    """Return the text with other values of top-level keys; None removes a key.

    Raises ``CommandError`` with the *problem* for a document in flow style.
    """
    expected = {key: value for key, value in load_mapping(text).items() if key not in keys}
    expected.update({key: value for key, value in keys.items() if value is not None})
    changed = text
    for key, value in keys.items():
        changed = _write_key(changed, key, value)
    if not _is_mapping(changed, expected):
        raise CommandError(problem)
    return changed


def _write_key(text: str, key: str, value: JSON) -> str:
    lines = text.splitlines(keepends=True)
    block = [] if value is None else [yaml.dump({key: value})]
    found = find_block(lines, key)
    if found is not None:
        return "".join((*lines[: found.start], *block, *lines[found.stop :]))
    if lines and block and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return "".join((*lines, *block))


def find_block(lines: list[str], key: str) -> range | None:
    """Return the lines of a key; comments before the next key belong to that key."""
    pattern = re.compile(rf"{re.escape(key)}\s*:")
    start = next((number for number, line in enumerate(lines) if pattern.match(line)), None)
    if start is None:
        return None
    end = start + 1
    while end < len(lines) and _continues(lines[end]):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return range(start, end)


def _continues(line: str) -> bool:
    return not line.strip() or (line[0] in " \t#-" and not line.startswith("---"))


def _insert_entry(text: str, cluster: str, override: Object) -> str | None:
    """Write an entry of ``clusters`` in block style; ``None`` if there is no such block."""
    lines = text.splitlines(keepends=True)
    block = find_block(lines, _CLUSTERS)
    if block is None:
        return None
    entries = lines[block.start + 1 : block.stop]
    first = next((line for line in entries if line.strip() and line.lstrip()[0] != "#"), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    if not indent:
        return None
    entry = [f"{indent}{line}" for line in yaml.dump({cluster: override}).splitlines(keepends=True)]
    written = _replace_entry(entries, indent, cluster, entry)
    return "".join((*lines[: block.start + 1], *written, *lines[block.stop :]))


def _replace_entry(
    lines: list[str], indent: str, cluster: str, entry: list[str]
) -> tuple[str, ...]:
    """Return the lines of the entries, with one of them replaced or added."""
    key = re.compile(rf"{indent}(?P<quote>[\"']?){re.escape(cluster)}(?P=quote)\s*:")
    start = next((index for index, line in enumerate(lines) if key.match(line)), None)
    if start is None:
        last = lines[-1] if lines[-1].endswith("\n") else f"{lines[-1]}\n"
        return (*lines[:-1], last, *entry)
    end = start + 1
    while end < len(lines) and (
        not lines[end].strip() or lines[end].startswith((f"{indent} ", f"{indent}-"))
    ):
        end += 1
    return (*lines[:start], *entry, *lines[end:])


def _is_mapping(text: str, expected: Object) -> bool:
    try:
        return equal(load_mapping(text), expected)
    except CommandError:
        return False
