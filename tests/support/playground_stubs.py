"""The replacements of native libraries, next to the originals."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

STUBS = Path(__file__).parents[2] / "playground" / "stubs"


@cache
def load_stub(name: str) -> ModuleType:
    """The replacement ``PACKAGE/MODULE`` or ``MODULE``, under another name than the original."""
    package, _, module = name.rpartition("/")
    if package and (STUBS / package / "__init__.py").exists():
        load_stub(package)
        return sys.modules[f"stub_{package}.{module}"]
    path = STUBS / name / "__init__.py" if (STUBS / name).is_dir() else STUBS / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"stub_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded
