#!/usr/bin/env python3
"""Write docs/licenses.md: the license of everything that podgraft ships or installs.

    licenses.py

The lock files and the metadata of the installed packages are the source. An unknown license is an
error. tests/tools/supply_chain/test_licenses.py fails if the page is out of date.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement

from playground_build import pyodide
from supply_chain.licenses import LicenseError, check_license
from supply_chain.packages import Package, PackageError, read_environment
from supply_chain.pins import read_dependencies, read_pins

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licenses.md"
LAYERS = "layers/dependencies/requirements.txt"
PLAYGROUND = "packaging/requirements/playground.txt"
_INTRODUCTION = """\
# Licenses

podgraft has the license Apache-2.0. This page lists the license of each package that podgraft ships
or installs, as an SPDX expression. `tools/licenses.py` generates the page from the lock files and
the metadata of the packages, and rejects unknown licenses.
"""
_LAYER = """\
The layer of the dependencies contains these packages.
"""
# Parts of the playground that come from the npm package pyodide.
_PYODIDE = (("pyodide", pyodide.VERSION, "MPL-2.0"), ("cpython", "in pyodide", "PSF-2.0"))


def main() -> int:
    """Write the page; return the exit status."""
    try:
        PAGE.write_text(render_page(ROOT))
    except (LicenseError, PackageError) as error:
        print(f"licenses: {error}", file=sys.stderr)
        return 1
    print(PAGE.relative_to(ROOT))
    return 0


def render_page(root: Path) -> str:
    """The text of the page; raises ``LicenseError`` and ``PackageError``."""
    layer = list_packages(root, LAYERS)
    names = {package.name for package in layer}
    requirements = read_dependencies(root, ("all",))
    wheel = [each for each in read_environment(requirements) if each.name not in names]
    parts = [
        _INTRODUCTION,
        "## Function and layers\n",
        _LAYER,
        _render_table(_rows(layer), "package", "version", "license"),
        "## Command line\n",
        "`pip install '.[all]'` installs packages of the layer and these packages.\n",
        _render_table(_rows(wheel), "package", "version", "license"),
        "## Playground\n",
        "The page of the playground contains these packages.\n",
        _render_table(_playground_rows(root), "package", "version", "license"),
    ]
    return "\n".join(parts)


def list_packages(root: Path, lock: str) -> list[Package]:
    """The packages of a lock, as they are installed; raises ``PackageError``."""
    pins = {pin.name: pin.version for pin in read_pins(root / lock)}
    packages = [
        package for package in read_environment(map(Requirement, pins)) if package.name in pins
    ]
    for package in packages:
        if package.version != pins[package.name]:
            raise PackageError(
                f"{package.name}: expected {pins[package.name]} of {lock}, got {package.version}; "
                "run make setup"
            )
    return packages


def _rows(packages: Iterable[Package]) -> Iterator[tuple[str, ...]]:
    for package in packages:
        yield package.name, package.version, package.license


def _playground_rows(root: Path) -> Iterator[tuple[str, ...]]:
    for name, version, license_ in _PYODIDE:
        check_license(name, license_)
        yield name, version, license_
    yield from _rows(list_packages(root, PLAYGROUND))


def _render_table(rows: Iterable[tuple[str, ...]], *heading: str) -> str:
    lines = [heading, ("---",) * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
