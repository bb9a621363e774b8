"""The fields of Istio's mesh messages in each release, from the history of istio/api.

``python -m oracle.istio.mesh_history ISTIO API`` in tests, with clones of both, records to
tests/core/injectors/istio/data/mesh-fields.json when a field or a member of an enum is there: a
release, with "+" or "-", up to the next one. Where the message itself is absent, nothing is said.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from podgraft.core.injectors.istio.config.protojson import ENUMS, MESSAGES

from .known_differences import DATA

_TAG = re.compile(r"1\.([0-9]+)\.([0-9]+)")
_PROTO = re.compile(r"(?:mesh/v1alpha1|networking/(?:v1alpha3|v1beta1)|type/v1beta1)/[^/]+\.proto")
_PIN = re.compile(r"^\s*(?:require )?istio\.io/api (v\S+?)(?:-([0-9a-f]{12}))?$", re.MULTILINE)
_LOCK = re.compile(r'name = "istio\.io/api".*?revision = "([0-9a-f]+)"', re.DOTALL)  # up to 1.2
_IGNORED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_TOKEN = re.compile(r"(message|enum|oneof)\s+(\w+)\s*\{|([{}])|([^;{}]+);")
_FIELD = re.compile(r"(?:repeated |optional )?(?:map\s*<[^>]*>|[\w.]+)\s+(\w+)\s*=\s*[0-9]+")
_MEMBER = re.compile(r"(\w+)\s*=\s*-?[0-9]+")


def find_changes(istio: Path, api: Path) -> dict[str, list[str]]:
    """By name, the releases from which on it is present (+) or absent (-)."""
    changes: dict[str, list[str]] = {name: [] for name in _names()}
    for tag in _releases(istio):
        found = _read(api, _pin(istio, tag))
        for name, known in changes.items():
            message, _, field = name.rpartition(".")
            if message in found:
                sign = "+" if field in found[message] else "-"
                if not known or known[-1][0] != sign:
                    known.append(f"{sign}{tag}")
    return changes


def _names() -> Iterator[str]:
    for message, rows in MESSAGES.items():
        yield from (f"{message}.{row.split(' ')[0]}" for row in rows)
    for enum, members in ENUMS.items():
        yield from (f"{enum}.{member.split('=')[0]}" for member in members.split())


def _releases(istio: Path) -> list[str]:
    """The tags of releases, oldest first."""
    tags = filter(_TAG.fullmatch, _git(istio, "tag").split())
    return sorted(tags, key=lambda tag: [int(part) for part in tag.split(".")])


def _pin(istio: Path, tag: str) -> str:
    """The commit or the tag of istio/api that a release was built with."""
    pinned = _PIN.search(_git(istio, "show", f"{tag}:go.mod"))
    if pinned is not None:
        return pinned[2] or pinned[1]
    locked = _LOCK.search(_git(istio, "show", f"{tag}:Gopkg.lock"))
    assert locked is not None, tag
    return locked[1]


@cache
def _read(api: Path, commit: str) -> dict[str, set[str]]:
    """The fields of each message and the members of each enum, by the name of its Go type."""
    found: dict[str, set[str]] = {}
    for path in _git(api, "ls-tree", "-r", "--name-only", commit).splitlines():
        if _PROTO.fullmatch(path):
            for name, field in _parse(_git(api, "show", f"{commit}:{path}")):
                found.setdefault(name, set()).add(field)
    return found


def _parse(text: str) -> Iterator[tuple[str, str]]:
    """The names of types and their fields; a type without fields has the field ""."""
    text = _IGNORED.sub("", text)
    package = re.search(r"package\s+\S*?(\w+)\s*;", text)
    assert package is not None
    stack: list[tuple[str, str]] = []
    for kind, name, brace, statement in _TOKEN.findall(text):
        if brace == "}":
            stack.pop()
        elif brace or kind:
            stack.append((kind, name))
        names = [name for kind, name in stack if kind in ("message", "enum")]
        type_name = f"{package[1]}.{'_'.join(names)}"
        if kind in ("message", "enum"):
            yield type_name, ""
        elif stack and stack[-1][0] and statement:
            pattern = _MEMBER if stack[-1][0] == "enum" else _FIELD
            field = pattern.match(statement.strip())
            if field is not None:
                yield type_name, field[1]


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    found_changes = find_changes(*map(Path, sys.argv[1:]))
    table = json.dumps({name: " ".join(found_changes[name]) for name in found_changes}, indent=0)
    (DATA / "mesh-fields.json").write_text(table + "\n", encoding="utf-8")
