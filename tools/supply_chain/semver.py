"""The order of Semantic Versioning 2.0.0, section 11."""

import re
from typing import TypeAlias

_Identifier: TypeAlias = tuple[bool, int, str]
SemverKey: TypeAlias = tuple[tuple[int, int, int], bool, tuple[_Identifier, ...]]

_VERSION = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


def parse_semver(version: str) -> SemverKey:
    """A key that compares as the version does; raises ``ValueError``."""
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version}: invalid version; use MAJOR.MINOR.PATCH")
    major, minor, patch, prerelease = match.groups()
    numbers = (int(major), int(minor or 0), int(patch or 0))
    # A version without a prerelease is higher than each of its prereleases.
    return numbers, prerelease is None, tuple(map(_parse_identifier, _split(prerelease)))


def _split(prerelease: str | None) -> list[str]:
    return prerelease.split(".") if prerelease else []


def _parse_identifier(text: str) -> _Identifier:
    """Numbers are lower than texts."""
    return (False, int(text), "") if text.isdigit() else (True, 0, text)
