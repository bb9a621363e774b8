"""The first result of the page, and bytecode for what Python's library needs until then.

Compiling it in the browser takes longer than everything else. Bytecode is larger than source, so
the modules are selected by the size of their source, within the budget of the page.
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
from .zips import make_zip, packed_size

_PROGRAM = Path(__file__).with_name("precompile.mjs")
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")


def run_first(
    package: Mapping[str, bytes], library: Mapping[str, bytes], site: bytes, given: Any
) -> tuple[dict[str, bytes], Any]:
    """Evaluate an input with the page's own Python.

    Returns the bytecode of library modules by file name, such as ``json/__init__.pyc``, and the
    answer with its origins.
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
    library: Mapping[str, bytes], compiled: Mapping[str, bytes], budget: int
) -> dict[str, bytes]:
    """The library with bytecode instead of source, largest sources first, within *budget* bytes."""
    files = dict(library)
    available = budget - packed_size(files)
    for name in sorted(compiled, key=lambda name: (-len(library[name[:-1]]), name)):
        growth = packed_size({name: compiled[name]}) - packed_size({name: library[name[:-1]]})
        if growth <= available:
            available -= growth
            del files[name[:-1]]
            files[name] = compiled[name]
    return files


def read_zip(content: bytes) -> dict[str, bytes]:
    """The files of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
