"""The first result of the page, and bytecode for each module that is imported until then.

Compiling them in the browser would take longer than everything else.
"""

import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .failure import BuildError
from .zips import make_zip

_PROGRAM = Path(__file__).with_name("precompile.mjs")
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")


def run_first(
    package: Mapping[str, bytes], library: Mapping[str, bytes], site: bytes, given: Any
) -> tuple[dict[str, bytes], Any]:
    """Evaluate an input with the page's own Python.

    Returns the bytecode of modules by file name, such as ``library/json/__init__.pyc`` and
    ``site/click/core.pyc``, and the answer with its origins.
    """
    node = shutil.which("node")
    if node is None:
        raise BuildError("node: not found; install Node.js, which compiles modules for the page")
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in _RUNTIME:
            (folder / name).write_bytes(package[name])
        (folder / "library.zip").write_bytes(make_zip(library))
        (folder / "site.zip").write_bytes(site)
        (folder / "input.json").write_text(json.dumps(given))
        names = ("library.zip", "site.zip", "input.json", "output.zip", "answer.json")
        paths = [folder / name for name in names]
        command = [node, str(_PROGRAM), str(folder), *map(str, paths)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            error = _find_python_error(result.stderr) or result.stderr.strip()[-500:]
            raise BuildError(f"{_PROGRAM.name}: {error}; use Node.js 20")
        return read_zip(paths[-2].read_bytes()), json.loads(paths[-1].read_text())


def _find_python_error(text: str) -> str:
    """The error of Python before the stack of JavaScript; empty without one."""
    traceback = text.partition("Traceback (most recent call last):")[2].partition("\n    at ")[0]
    return traceback.strip().rpartition("\n")[2]


def replace_sources(
    files: Mapping[str, bytes], compiled: Mapping[str, bytes], folder: str
) -> dict[str, bytes]:
    """The files of an archive with bytecode, which has *folder* in its names, instead of source."""
    bytecode = {
        name.removeprefix(f"{folder}/"): content
        for name, content in compiled.items()
        if name.startswith(f"{folder}/")
    }
    sources = {name: content for name, content in files.items() if f"{name}c" not in bytecode}
    return {**sources, **bytecode}


def read_zip(content: bytes) -> dict[str, bytes]:
    """The files of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
