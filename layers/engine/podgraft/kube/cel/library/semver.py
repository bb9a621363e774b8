"""``semver("1.2.3-rc.1")``: semantic versions (Kubernetes library/semverlib.go, semver.org 2.0)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from podgraft.kube.cel.cost import traversal_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member
from podgraft.kube.cel.values import UINT_MAX

_NUMBER = r"0|[1-9][0-9]{0,19}"
_VERSION = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)
_PARTS = 3

# A pre-release identifier as it sorts: numbers before words, and by value, which without leading
# zeros is by length and then by text.
_Identifier: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Semver:
    """A version. The build belongs to the text, and so to ``==``, but not to the order."""

    CEL_NAME: ClassVar = "kubernetes.Semver"

    numbers: tuple[int, int, int]
    pre_release: tuple[_Identifier, ...] = ()
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.text

    def compare(self, other: Semver) -> int:
        """-1, 0 or 1; a release comes after its pre-releases."""
        first = (self.numbers, not self.pre_release, self.pre_release)
        second = (other.numbers, not other.pre_release, other.pre_release)
        return (first > second) - (first < second)


def _parse(text: str) -> Semver | None:
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    major, minor, patch = (int(match[index]) for index in (1, 2, 3))
    if max(major, minor, patch) > UINT_MAX:
        return None
    identifiers = match[4].split(".") if match[4] else []
    if any(
        identifier.isdigit() and identifier[0] == "0" and len(identifier) > 1
        for identifier in identifiers
    ):
        return None
    return Semver((major, minor, patch), tuple(map(_identifier, identifiers)), text)


def _identifier(identifier: str) -> _Identifier:
    return (0, len(identifier), identifier) if identifier.isdigit() else (1, 0, identifier)


def _normalize(text: str) -> str:
    """``v1.02`` as ``1.2.0``: what ``semver(text, true)`` reads."""
    parts = [_strip_zeros(part) for part in text.removeprefix("v").split(".", _PARTS - 1)]
    if len(parts) < _PARTS and re.search(r"[+-]", parts[-1]):
        return text
    return ".".join(parts + ["0"] * (_PARTS - len(parts)))


def _strip_zeros(part: str) -> str:
    if len(part) <= 1:
        return part
    stripped = part.lstrip("0")
    return stripped if stripped[:1].isdigit() else "0" + stripped


def _parse_or_none(text: str, normalize: bool) -> Semver | None:
    return _parse(_normalize(text) if normalize else text)


def _semver(text: str, normalize: bool = False) -> Semver:
    version = _parse_or_none(text, normalize)
    if version is None:
        raise EvaluationError(f'"{text}" is not a semantic version')
    return version


def _is_semver(text: str, normalize: bool = False) -> bool:
    return _parse_or_none(text, normalize) is not None


_V = Semver.CEL_NAME

SEMVER = (
    function("semver", f"string -> {_V}", _semver, traversal_cost),
    function("semver", f"string bool -> {_V}", _semver, traversal_cost),
    function("isSemver", "string -> bool", _is_semver, traversal_cost),
    function("isSemver", "string bool -> bool", _is_semver, traversal_cost),
    member("major", f"{_V} -> int", lambda version: version.numbers[0]),
    member("minor", f"{_V} -> int", lambda version: version.numbers[1]),
    member("patch", f"{_V} -> int", lambda version: version.numbers[2]),
    member("isGreaterThan", f"{_V} {_V} -> bool", lambda left, right: left.compare(right) > 0),
    member("isLessThan", f"{_V} {_V} -> bool", lambda left, right: left.compare(right) < 0),
    member("compareTo", f"{_V} {_V} -> int", Semver.compare),
)
