"""Every locked package of the repository: the PyPI locks, the npm locks, and Pyodide."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playground_build import pyodide

from .advisories import NPM, PYPI
from .locks import LOCKS
from .pins import read_pins

NPM_LOCKS = ("tests/e2e/playground/package-lock.json", "playground/editor/package-lock.json")
_PYODIDE = "tools/playground_build/pyodide.py"


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """One version of a package, and where it is locked."""

    ecosystem: str
    name: str
    version: str
    place: str


def list_packages(root: Path) -> Iterator[LockedPackage]:
    """All packages, lock by lock; raises ``LockError``."""
    for lock in LOCKS:
        for pin in read_pins(root / lock.path):
            yield LockedPackage(PYPI, pin.name, pin.version, f"{lock.path}:{pin.line}")
    for path in NPM_LOCKS:
        for folder, entry in json.loads((root / path).read_text())["packages"].items():
            if folder:
                name = folder.rpartition("node_modules/")[2]
                yield LockedPackage(NPM, name, entry["version"], path)
    yield LockedPackage(NPM, "pyodide", pyodide.VERSION, _PYODIDE)
