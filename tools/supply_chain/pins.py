"""The pins of a lock file, and the rules that each lock must satisfy."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name

from .locks import DEVELOPMENT, Lock

_HASH = re.compile(r" *--hash=(\S+)")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")
_REMEDY = "run make lock"


class LockError(ValueError):
    """A line of a lock file that is not a pin."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock: its version, the hashes of its files, and what requires it."""

    name: NormalizedName
    version: str
    line: int
    marker: Marker | None
    hashes: tuple[str, ...]
    sources: frozenset[str]


def read_pins(path: Path) -> list[Pin]:
    """The pins of a lock; raises ``LockError`` for a line of another kind."""
    pins: list[Pin] = []
    for line, text, comments in _split_entries(path.read_text()):
        try:
            pins.append(_parse_pin(line, text, comments))
        except InvalidRequirement as error:
            problem = f"expected NAME==VERSION with hashes, got {text.split()[0]!r}"
            raise LockError(f"{path.name}:{line}: {problem}; {_REMEDY}") from error
    return pins


def _split_entries(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Line, text with its continuation lines, and following comments of each entry."""
    entry: tuple[int, list[str], list[str]] | None = None
    is_continued = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        content = line.rstrip("\\").strip()
        if is_continued and entry:
            entry[1].append(content)
        elif line.lstrip().startswith("#") and entry:
            entry[2].append(content.lstrip("# "))
        else:
            if entry:
                yield entry[0], " ".join(entry[1]), entry[2]
            entry = (number, [content], [])
        is_continued = line.endswith("\\")
    if entry:
        yield entry[0], " ".join(entry[1]), entry[2]


def _parse_pin(line: int, text: str, comments: list[str]) -> Pin:
    requirement = Requirement(_HASH.sub("", text))
    [specifier] = requirement.specifier or [None]
    if specifier is None or specifier.operator != "==" or "*" in specifier.version:
        raise InvalidRequirement(text)
    return Pin(
        name=canonicalize_name(requirement.name),
        version=specifier.version,
        line=line,
        marker=requirement.marker,
        hashes=tuple(_HASH.findall(text)),
        sources=frozenset(each.removeprefix("via").strip() for each in comments) - {""},
    )


def read_project(root: Path) -> dict[str, Any]:
    """The content of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text())


def read_requirements(root: Path, lock: Lock) -> list[Requirement]:
    """The requirements from which *lock* is resolved."""
    source = root / lock.source
    if source.suffix != ".toml":
        lines = (line.partition("#")[0].strip() for line in source.read_text().splitlines())
        return [Requirement(line) for line in lines if line]
    # make setup builds the project with the packages of the environment.
    build: list[str] = (
        read_project(root)["build-system"]["requires"] if lock.path == DEVELOPMENT else []
    )
    return [*read_dependencies(root, lock.extras), *map(Requirement, build)]


def read_dependencies(root: Path, extras: Iterable[str] = ()) -> list[Requirement]:
    """The requirements of the project with some of its extras, which can name other extras."""
    project = read_project(root)["project"]
    optional: dict[str, list[str]] = project["optional-dependencies"]
    requirements = list(map(Requirement, project["dependencies"]))
    queue = list(extras)
    for extra in queue:
        for requirement in map(Requirement, optional[extra]):
            if requirement.name == project["name"]:
                queue += sorted(requirement.extras - set(queue))
            else:
                requirements.append(requirement)
    return requirements


def find_problems(root: Path, lock: Lock) -> list[str]:
    """What is wrong with a lock, each with location and remedy; empty for a valid lock."""
    try:
        pins = {pin.name: pin for pin in read_pins(root / lock.path)}
    except LockError as error:
        return [f"{Path(lock.path).parent}/{error}"]
    return [
        *_find_missing_hashes(lock, pins),
        *_find_missing_pins(root, lock, pins),
        *_find_unused_pins(root, lock, pins),
        *_find_differences(root, lock, pins),
    ]


def _find_missing_hashes(lock: Lock, pins: dict[NormalizedName, Pin]) -> Iterator[str]:
    for pin in pins.values():
        if not pin.hashes or not all(map(_SHA256.fullmatch, pin.hashes)):
            place = f"{lock.path}:{pin.line}"
            yield f"{place}: {pin.name} has no sha256 hash; {_REMEDY}"


def _find_missing_pins(root: Path, lock: Lock, pins: dict[NormalizedName, Pin]) -> Iterator[str]:
    for requirement in read_requirements(root, lock):
        pin = pins.get(canonicalize_name(requirement.name))
        if pin is None:
            yield f"{lock.path}: {requirement} of {lock.source} has no pin; {_REMEDY}"
        elif not requirement.specifier.contains(pin.version, prereleases=True):
            place = f"{lock.path}:{pin.line}"
            yield f"{place}: expected {requirement}, got {pin.version}; {_REMEDY}"


def _find_unused_pins(root: Path, lock: Lock, pins: dict[NormalizedName, Pin]) -> Iterator[str]:
    """Pins that neither the source nor a used pin requires."""
    used = {canonicalize_name(each.name) for each in read_requirements(root, lock)}
    size = 0
    while size < len(used):
        size = len(used)
        used |= {pin.name for pin in pins.values() if _is_required(pin, used)}
    for pin in pins.values():
        if pin.name not in used:
            yield f"{lock.path}:{pin.line}: no package requires {pin.name}; {_REMEDY}"


def _is_required(pin: Pin, used: set[NormalizedName]) -> bool:
    return any(canonicalize_name(source) in used for source in pin.sources)


def _find_differences(root: Path, lock: Lock, pins: dict[NormalizedName, Pin]) -> Iterator[str]:
    """Versions that differ from those of the constraint."""
    if not lock.constraint:
        return
    for expected in read_pins(root / lock.constraint):
        pin = pins.get(expected.name)
        if pin and pin.version != expected.version:
            place = f"{lock.path}:{pin.line}"
            versions = f"expected {pin.name} {expected.version} of {lock.constraint}"
            yield f"{place}: {versions}, got {pin.version}; {_REMEDY}"
