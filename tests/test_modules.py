"""Every module of the engine and of the functions is one of the Python that runs the tests."""

import subprocess
import sys
from pathlib import Path

import podgraft

ENGINE = Path(podgraft.__file__).parent
FUNCTIONS = ENGINE.parents[2] / "functions"
_IMPORT = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
_PARSE = "import ast, sys; [ast.parse(open(name).read()) for name in sys.argv[1:]]"


def test_every_module_of_the_engine_imports() -> None:
    """In another process, so it changes nothing for tests of what is loaded."""
    paths = (path.relative_to(ENGINE.parent).with_suffix("") for path in ENGINE.rglob("*.py"))
    names = {".".join(path.parts).removesuffix(".__init__") for path in paths}
    run(_IMPORT, *sorted(names - {"podgraft.__main__"}))


def test_every_module_of_the_functions_parses() -> None:
    files = sorted(map(str, FUNCTIONS.rglob("*.py")))
    assert files
    run(_PARSE, *files)


def run(code: str, *arguments: str) -> None:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
