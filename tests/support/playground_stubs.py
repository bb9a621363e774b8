"""The replacements of native libraries, next to the originals."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

STUBS = Path(__file__).parents[2] / "playground" / "stubs"


@cache
def load_stub(name: str) -> ModuleType:
    """The replacement under another name than the original."""
    spec = importlib.util.spec_from_file_location(f"stub_{name}", STUBS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
