#!/usr/bin/env python3
"""Make the commands of this project available in the environment of this Python, without a build.

link_project.py

The result is what ``pip install --editable`` writes with the static metadata of pyproject.toml: a
path file, the programs, and a folder of metadata with its RECORD, so that pip can replace it. It
needs no build backend, which takes longer than the demo. The script imports only the standard
library, because no package may be installed yet.
"""

import csv
import sys
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# sh starts Python, because the first line of a program cannot contain spaces or a long path.
_PROGRAM = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys
from {module} import {function}

if __name__ == "__main__":
    sys.exit({function}())
"""
_EXECUTABLE = 0o755


def link_project(root: Path, packages: Path, programs: Path, python: str) -> None:
    """Link the project below *root* into a folder of packages and a folder of programs."""
    document = tomllib.loads((root / "pyproject.toml").read_text())
    project = document["project"]
    [sources] = document["tool"]["setuptools"]["packages"]["find"]["where"]
    name, version = project["name"], project["version"]
    metadata = packages / f"{name}-{version}.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    files = {
        packages / f"{name}.pth": f"{root / sources}\n",
        metadata / "INSTALLER": "link_project.py\n",
        metadata / "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        metadata / "entry_points.txt": _format_entry_points(project),
        **{
            programs / program: _format_program(target, python)
            for program, target in project["scripts"].items()
        },
    }
    for path, text in files.items():
        path.write_text(text)
        if path.parent == programs:
            path.chmod(_EXECUTABLE)
    record = metadata / "RECORD"
    with record.open("w", newline="") as target:
        csv.writer(target).writerows((path, "", "") for path in (*files, record))


def _format_entry_points(project: Mapping[str, Any]) -> str:
    lines = (f"{program} = {target}" for program, target in project["scripts"].items())
    return "\n".join(("[console_scripts]", *lines, ""))


def _format_program(target: str, python: str) -> str:
    module, _, function = target.partition(":")
    return _PROGRAM.format(python=python, module=module, function=function)


if __name__ == "__main__":
    PATHS = sysconfig.get_paths()
    link_project(ROOT, Path(PATHS["purelib"]), Path(PATHS["scripts"]), sys.executable)
