"""Semantic versions as in Masterminds/semver 3.3."""

import re
from dataclasses import dataclass, replace
from itertools import zip_longest

from podgraft.golang.errors import FunctionError
from podgraft.golang.strconv.atoi import NumError, parse_or_none, parse_uint

_VERSION = re.compile(
    r"v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?"
    r"(?:-([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
    r"(?:\+([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
)
_MAX_UINT64 = (1 << 64) - 1


class VersionError(FunctionError, ValueError):
    """The text is not a version or constraint; the message is semver's."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version; ``original`` is its source text."""

    major: int = 0
    minor: int = 0
    patch: int = 0
    prerelease: str = ""
    metadata: str = ""
    original: str = ""

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        text += f"-{self.prerelease}" if self.prerelease else ""
        return text + (f"+{self.metadata}" if self.metadata else "")

    def compare(self, other: "Version") -> int:
        """-1, 0, or 1; ignores metadata."""
        first = (self.major, self.minor, self.patch)
        second = (other.major, other.minor, other.patch)
        if first != second:
            return 1 if first > second else -1
        if not self.prerelease or not other.prerelease:
            return bool(other.prerelease) - bool(self.prerelease)
        return compare_prereleases(self.prerelease, other.prerelease)

    def next_major(self) -> "Version":
        """The next major version."""
        return self._with_numbers(_increment(self.major), 0, 0)

    def next_minor(self) -> "Version":
        """The next minor version."""
        return self._with_numbers(self.major, _increment(self.minor), 0)

    def next_patch(self) -> "Version":
        """The next patch version; for a prerelease, its release."""
        patch = self.patch if self.prerelease else _increment(self.patch)
        return self._with_numbers(self.major, self.minor, patch)

    def _with_numbers(self, major: int, minor: int, patch: int) -> "Version":
        return Version(major, minor, patch, original=self.original).with_normalized_original()

    def with_normalized_original(self) -> "Version":
        """The version with its normalized text as original; a leading v stays."""
        return replace(self, original=("v" if self.original.startswith("v") else "") + str(self))


def _increment(number: int) -> int:
    return number + 1 & _MAX_UINT64


def parse(text: str) -> Version:
    """semver.NewVersion: minor and patch are optional, and so is a leading v.

    >>> parse("v1.2-rc.1") == Version(1, 2, 0, "rc.1", "", "v1.2-rc.1")
    True
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise VersionError("Invalid Semantic Version")
    major, minor, patch = (_parse_segment(part or "0") for part in match.group(1, 2, 3))
    prerelease, metadata = match[4] or "", match[5] or ""
    check_prerelease(prerelease)
    return Version(major, minor, patch, prerelease, metadata, text)


def _parse_segment(text: str) -> int:
    try:
        return parse_uint(text.removeprefix("."))
    except NumError as error:
        raise VersionError(f"Error parsing version segment: {error}") from error


def check_prerelease(text: str) -> None:
    """Raise for a number with a leading zero, and for invalid characters."""
    for part in text.split("."):
        if part.isascii() and part.isdigit() and len(part) > 1 and part[0] == "0":
            raise VersionError("Version segment starts with 0")
        if not _is_identifier(part):
            raise VersionError("Invalid Prerelease string")


def check_metadata(text: str) -> None:
    """Raise for invalid characters."""
    if not all(map(_is_identifier, text.split("."))):
        raise VersionError("Invalid Metadata string")


def _is_identifier(text: str) -> bool:
    return text.isascii() and (not text or text.replace("-", "0").isalnum())


def compare_prereleases(left: str, right: str) -> int:
    """Compare each part: a missing part is the smallest, then numbers, then text."""
    parts = zip_longest(left.split("."), right.split("."), fillvalue="")
    first, second = zip(*((_sort_key(one), _sort_key(other)) for one, other in parts), strict=True)
    return (first > second) - (first < second)


def _sort_key(part: str) -> tuple[int, int, str]:
    number = parse_or_none(parse_uint, part)
    if number is not None:
        return (1, number, "")
    return (2, 0, part) if part else (0, 0, "")
