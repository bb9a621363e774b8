"""Advisories in the OSV format, and the versions that they affect.

https://ossf.github.io/osv-schema/ describes the format. PyPI versions compare as PEP 440 orders
them, npm versions as Semantic Versioning orders them.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from packaging.utils import canonicalize_name
from packaging.version import Version

from .semver import SemverKey, parse_semver

PYPI, NPM = "PyPI", "npm"
_ENDINGS = {".json", ".yaml", ".yml"}
VersionKey = Version | SemverKey


class AdvisoryError(ValueError):
    """A file of advisories that cannot be evaluated."""


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Events of one range, in the order of the document: kind and version."""

    events: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Advisory:
    """The statement of one OSV record about one package."""

    id: str
    aliases: tuple[str, ...]
    summary: str
    ecosystem: str
    name: str
    versions: frozenset[str]
    ranges: tuple[VersionRange, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Vulnerability:
    """An advisory that affects a version, and the lowest version that fixes it, if any."""

    advisory: Advisory
    fixed: str | None


class AdvisoryDatabase:
    """Advisories by ecosystem and package."""

    def __init__(self, advisories: Sequence[Advisory]) -> None:
        self.size = len({advisory.id for advisory in advisories})
        self._by_package: dict[tuple[str, str], list[Advisory]] = {}
        for advisory in advisories:
            key = (advisory.ecosystem, advisory.name)
            self._by_package.setdefault(key, []).append(advisory)

    def find(self, ecosystem: str, name: str, version: str) -> Iterator[Vulnerability]:
        """The vulnerabilities of one version; raises ``AdvisoryError``."""
        for advisory in self._by_package.get((ecosystem, normalize_name(ecosystem, name)), ()):
            if is_affected(advisory, version):
                yield Vulnerability(advisory, find_fix(advisory, version))


def normalize_name(ecosystem: str, name: str) -> str:
    """The name under which an ecosystem lists a package."""
    return canonicalize_name(name) if ecosystem == PYPI else name


def read_advisories(path: Path) -> AdvisoryDatabase:
    """The advisories of a file, an archive (``all.zip`` of OSV), or all files below a folder.

    Raises ``AdvisoryError`` for an invalid file, and if there is no advisory at all.
    """
    advisories = [each for place, text in _read_files(path) for each in _parse_file(place, text)]
    if not advisories:
        raise AdvisoryError(f"{path}: contains no OSV advisory; download the records of PyPI")
    return AdvisoryDatabase(advisories)


def _read_files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.suffix in _ENDINGS and file.is_file() and ".git" not in file.parts:
                yield str(file), file.read_bytes()
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if Path(name).suffix in _ENDINGS:
                    yield f"{path}/{name}", archive.read(name)
    else:
        yield str(path), path.read_bytes()


def _parse_file(place: str, text: bytes) -> Iterator[Advisory]:
    try:
        document = json.loads(text) if not place.endswith(("yaml", "yml")) else _load_yaml(text)
    except (ValueError, yaml.YAMLError) as error:
        raise AdvisoryError(f"{place}: invalid JSON or YAML; download the file again") from error
    records: list[Any] = [document]
    if isinstance(document, list):
        records = cast("list[Any]", document)
    for record in records:
        try:
            yield from _parse_record(place, record)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise AdvisoryError(f"{place}: expected an OSV record; remove the file") from error


def _load_yaml(text: bytes) -> object:
    """The document with all scalars as text: a version such as 1.10 is not a number."""
    return yaml.load(text, Loader=yaml.CBaseLoader)  # noqa: S506 - creates only str, list, and dict


def _parse_record(place: str, record: Mapping[str, Any]) -> Iterator[Advisory]:
    identifier = record["id"]
    if record.get("withdrawn"):
        return
    for affected in record.get("affected", ()):
        package = affected.get("package")
        if not package or package["ecosystem"] not in {PYPI, NPM}:
            continue
        yield Advisory(
            id=identifier,
            aliases=tuple(record.get("aliases", ())),
            summary=record.get("summary") or "",
            ecosystem=package["ecosystem"],
            name=normalize_name(package["ecosystem"], package["name"]),
            versions=frozenset(affected.get("versions", ())),
            ranges=tuple(
                _parse_range(each) for each in affected.get("ranges", ()) if each["type"] != "GIT"
            ),
            source=place,
        )


def _parse_range(document: Mapping[str, Any]) -> VersionRange:
    events = (event.items() for event in document["events"])
    return VersionRange(tuple((kind, str(bound)) for event in events for kind, bound in event))


def is_affected(advisory: Advisory, version: str) -> bool:
    """Whether an advisory affects a version, as the OSV schema evaluates it."""
    key = _parse_version(advisory, version)
    if any(_is_same(advisory, listed, key) for listed in advisory.versions):
        return True
    return any(_is_in_range(advisory, each, key) for each in advisory.ranges)


def _is_same(advisory: Advisory, listed: str, key: VersionKey) -> bool:
    """Whether a listed version is *key*; a lock contains no version from before PEP 440."""
    try:
        return _parse_version(advisory, listed) == key
    except AdvisoryError:
        return False


def _is_in_range(advisory: Advisory, version_range: VersionRange, version: VersionKey) -> bool:
    key = (1, version)
    events = [(_parse_bound(advisory, bound), kind) for kind, bound in version_range.events]
    limits = [bound for bound, kind in events if kind == "limit"]
    if limits and not any(key < limit for limit in limits):
        return False
    is_vulnerable = False
    for bound, kind in sorted(events):
        match kind:
            case "introduced" if bound <= key:
                is_vulnerable = True
            case "fixed" if bound <= key:
                is_vulnerable = False
            case "last_affected" if bound < key:
                is_vulnerable = False
            case _:
                pass
    return is_vulnerable


def _parse_bound(advisory: Advisory, bound: str) -> Any:
    """A key that compares with ``(1, version)``; 0 is before all versions, and * is after them."""
    if bound in {"0", "*"}:
        return (0,) if bound == "0" else (2,)
    return (1, _parse_version(advisory, bound))


def find_fix(advisory: Advisory, version: str) -> str | None:
    """The lowest version after *version* that fixes it, or ``None``."""
    key = (1, _parse_version(advisory, version))
    events = [event for each in advisory.ranges for event in each.events]
    fixes = [(_parse_bound(advisory, bound), bound) for kind, bound in events if kind == "fixed"]
    return min((fix for fix in fixes if key < fix[0]), default=(None, None))[1]


def _parse_version(advisory: Advisory, version: str) -> VersionKey:
    try:
        return Version(version) if advisory.ecosystem == PYPI else parse_semver(version)
    except ValueError as error:  # InvalidVersion is one
        place = f"{advisory.source}: {advisory.id}"
        raise AdvisoryError(f"{place}: invalid version {version!r}; correct it") from error
