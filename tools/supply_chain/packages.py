"""The third-party packages of a layer, and those that the wheel of podgraft requires."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from .licenses import identify_license

Environment = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One version of a package.

    *url* and *sha256* are those of the downloaded wheel, and empty for packages of an environment.
    """

    name: NormalizedName
    version: str
    license: str
    requires: tuple[NormalizedName, ...] = ()
    url: str = ""
    sha256: str = ""

    @property
    def purl(self) -> str:
        """The package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


class PackageError(ValueError):
    """A layer or an environment that differs from its description."""


def read_layer(folder: Path, report: Path, environment: Environment) -> list[Package]:
    """The packages of a layer in the order of their names.

    *report* is the report of pip about the installation, and *environment* contains the values of
    markers on the Lambda. Raises ``PackageError`` and ``LicenseError``.
    """
    downloads = _read_downloads(report)
    distributions = _by_name(metadata.distributions(path=[str(folder)]))
    if different := downloads.keys() ^ distributions.keys():
        raise PackageError(
            f"{folder}: the report of pip and the folder differ in {', '.join(sorted(different))}; "
            "delete the folder and build it again"
        )
    graph = _resolve(distributions, environment)
    return [
        Package(
            name=name,
            version=distributions[name].version,
            license=identify_license(name, distributions[name].metadata),
            requires=graph[name],
            url=downloads[name][0],
            sha256=downloads[name][1],
        )
        for name in sorted(distributions)
    ]


def read_environment(requirements: Iterable[Requirement]) -> list[Package]:
    """The installed packages that *requirements* need, also indirectly, by name.

    Raises ``PackageError`` for a missing package, and ``LicenseError``.
    """
    distributions: dict[NormalizedName, metadata.Distribution] = {}
    queue = [canonicalize_name(each.name) for each in requirements]
    while queue:
        name = queue.pop()
        if name not in distributions:
            distributions[name] = _find_distribution(name)
            queue.extend(each for each, _ in _list_requirements(distributions[name], {}))
    graph = _resolve(distributions, {})
    return [
        Package(
            name=name,
            version=distributions[name].version,
            license=identify_license(name, distributions[name].metadata),
            requires=graph[name],
        )
        for name in sorted(distributions)
    ]


def _find_distribution(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError as error:
        raise PackageError(f"{name}: is not installed; run make setup") from error


def _read_downloads(report: Path) -> dict[NormalizedName, tuple[str, str]]:
    """Address and SHA-256 of each wheel."""
    items: Sequence[Any] = json.loads(report.read_text())["install"]
    return {
        canonicalize_name(item["metadata"]["name"]): (
            item["download_info"]["url"],
            item["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for item in items
    }


def _by_name(
    distributions: Iterable[metadata.Distribution],
) -> dict[NormalizedName, metadata.Distribution]:
    return {canonicalize_name(each.metadata["Name"]): each for each in distributions}


def _resolve(
    distributions: Mapping[NormalizedName, metadata.Distribution], environment: Environment
) -> dict[NormalizedName, tuple[NormalizedName, ...]]:
    """The direct requirements of each package that are present."""
    return {
        name: tuple(
            sorted(
                {
                    required
                    for required, _ in _list_requirements(distribution, environment)
                    if required in distributions
                }
            )
        )
        for name, distribution in distributions.items()
    }


def _list_requirements(
    distribution: metadata.Distribution, environment: Environment
) -> Iterator[tuple[NormalizedName, Requirement]]:
    for text in distribution.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": "", **environment}):
            yield canonicalize_name(requirement.name), requirement
