"""Version constraints as in Masterminds/semver 3.3: ``>= 1.2, < 3 || ~4.1``.

The patterns are ambiguous, so Python's ``re`` could need exponential time. This module uses RE2.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from podgraft.golang.regexp import Match, compile_, matches
from podgraft.golang.utf8 import to_runes

from .versions import Version, VersionError, compare_prereleases, parse

_OPERATOR = r"!=|>=|=>|<=|=<|~>|=|>|<|~|\^"
_VERSION = (
    r"v?([0-9|xX*]+)(\.[0-9|xX*]+)?(\.[0-9|xX*]+)?"
    r"(-[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*)?"
    r"(?:\+[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*)?"
)
_SINGLE = rf"({_OPERATOR})?\s*({_VERSION})"
_ALL_OF = rf"^\s*{_SINGLE}(?:(?:\s+|\s*,\s*){_SINGLE})*\s*$"
_RANGE = rf"\s*({_VERSION})\s+-\s+({_VERSION})\s*"
_RANGE_END = 6  # the group of the second version


class VersionPrecision(IntEnum):
    """The last number that a constraint specifies; an x is not a number."""

    NOTHING = 0
    MAJOR = 1
    MINOR = 2
    PATCH = 3


@dataclass(frozen=True, slots=True)
class Constraint:
    """An operator and the version to compare with."""

    operator: str
    bound: Version
    precision: VersionPrecision

    def allows(self, version: Version) -> bool:
        """Whether the version satisfies the constraint.

        A prerelease matches only a constraint with a prerelease, or one that excludes one version.
        """
        excludes_one = self.operator == "!=" and self.precision is VersionPrecision.PATCH
        if version.prerelease and not self.bound.prerelease and not excludes_one:
            return False
        return _CHECKS[self.operator](version, self)


def parse_constraints(text: str) -> list[list[Constraint]]:
    """semver.NewConstraint: alternatives, each a list of constraints that must all be true.

    Raises ``VersionError``.
    """
    return [_parse_all_of(part) for part in _expand_ranges(text).split("||")]


def _expand_ranges(text: str) -> str:
    """Replace ``1.2 - 2`` by two constraints."""
    parts: list[str] = []
    end = 0
    for match in matches(compile_(_RANGE), text):
        bounds = f">= {match.group(1)}, <= {match.group(_RANGE_END)} "
        parts += text[end : match.start()], bounds
        end = match.end()
    return "".join([*parts, text[end:]])


def _parse_all_of(text: str) -> list[Constraint]:
    if not compile_(_ALL_OF).search(to_runes(text)):
        raise VersionError(f"improper constraint: {text}")
    return [_parse_constraint(match) for match in matches(compile_(_SINGLE), text)]


def _parse_constraint(match: Match) -> Constraint:
    major, minor, patch, prerelease = (match.group(number) or "" for number in (3, 4, 5, 6))
    if major in _ANY:
        precision, version = VersionPrecision.NOTHING, f"0.0.0{prerelease}"
    elif minor.removeprefix(".") in _ANY:
        precision, version = VersionPrecision.MAJOR, f"{major}.0.0{prerelease}"
    elif patch.removeprefix(".") in _ANY:
        precision, version = VersionPrecision.MINOR, f"{major}{minor}.0{prerelease}"
    else:
        precision, version = VersionPrecision.PATCH, match.group(2) or ""
    try:
        return Constraint(match.group(1) or "", parse(version), precision)
    except VersionError as error:
        raise VersionError("constraint Parser Error") from error


_ANY = ("", "x", "X", "*")


def _differs(version: Version, constraint: Constraint) -> bool:
    """``!=``; with missing numbers, excludes all versions with this prefix."""
    bound = constraint.bound
    if constraint.precision is VersionPrecision.PATCH or version.major != bound.major:
        return version.compare(bound) != 0
    if constraint.precision is VersionPrecision.MAJOR:
        return False
    if version.minor != bound.minor or constraint.precision is VersionPrecision.NOTHING:
        return version.compare(bound) != 0
    return compare_prereleases(version.prerelease, bound.prerelease) != 0


def _exceeds(version: Version, constraint: Constraint) -> bool:
    """``>``; with missing numbers, greater than all versions with this prefix."""
    bound = constraint.bound
    if version.major == bound.major and constraint.precision is VersionPrecision.MAJOR:
        return False
    if version.major == bound.major and constraint.precision is VersionPrecision.MINOR:
        return version.minor > bound.minor
    return version.compare(bound) > 0


def _is_at_most(version: Version, constraint: Constraint) -> bool:
    """``<=``; with missing numbers, includes the versions with this prefix."""
    bound = constraint.bound
    if constraint.precision is VersionPrecision.PATCH:
        return version.compare(bound) <= 0
    if version.major != bound.major:
        return version.major < bound.major
    return constraint.precision is VersionPrecision.MAJOR or version.minor <= bound.minor


def _is_near(version: Version, constraint: Constraint) -> bool:
    """``~``: not less, with the same specified major and minor; ``~0.0.0`` allows any version."""
    bound = constraint.bound
    if version.compare(bound) < 0:
        return False
    if constraint.precision in (VersionPrecision.NOTHING, VersionPrecision.PATCH) and (
        bound.major,
        bound.minor,
        bound.patch,
    ) == (0, 0, 0):
        return True
    if version.major != bound.major:
        return False
    return constraint.precision is VersionPrecision.MAJOR or version.minor == bound.minor


def _equals(version: Version, constraint: Constraint) -> bool:
    """``=`` or no operator; with missing numbers, as ``~``."""
    if constraint.precision < VersionPrecision.PATCH:
        return _is_near(version, constraint)
    return version.compare(constraint.bound) == 0


def _is_compatible(version: Version, constraint: Constraint) -> bool:
    """``^``: not less, and equal up to the first number that is not 0."""
    bound, precision = constraint.bound, constraint.precision
    if version.compare(bound) < 0 or version.major != bound.major:
        return False
    if bound.major > 0 or precision is VersionPrecision.MAJOR:
        return True
    if version.minor != bound.minor:
        return False
    return bound.minor > 0 or precision is VersionPrecision.MINOR or version.patch == bound.patch


_Check = Callable[[Version, Constraint], bool]


def _order_check(compare: Callable[[int, int], bool]) -> _Check:
    return lambda version, constraint: compare(version.compare(constraint.bound), 0)


_CHECKS: Mapping[str, _Check] = {
    "": _equals,
    "=": _equals,
    "!=": _differs,
    ">": _exceeds,
    "<": _order_check(operator.lt),
    ">=": _order_check(operator.ge),
    "=>": _order_check(operator.ge),
    "<=": _is_at_most,
    "=<": _is_at_most,
    "~": _is_near,
    "~>": _is_near,
    "^": _is_compatible,
}
