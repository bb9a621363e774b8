#!/usr/bin/env python3
"""Write layers/engine/README.md: each module, with the first sentence of its docstring.

    module_list.py

tests/docs/test_module_list.py fails if the list is out of date.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "layers" / "engine" / "README.md"
# The folders, with how their modules are named: the engine's as in docs/architecture.md.
_FOLDERS = (("layers/engine/podgraft", ""), ("functions", "functions/"), ("scripts", "scripts/"))
_INTRODUCTION = """\
# Modules

Each module, with the first sentence of its docstring. `tools/module_list.py` writes this list.
[Architecture](../../docs/architecture.md) describes how the modules work together.
"""


def main() -> None:
    """Write the list."""
    PAGE.write_text(render(), encoding="utf-8")


def render() -> str:
    """The list of all modules, by folder."""
    parts = [_INTRODUCTION]
    for folder, prefix in _FOLDERS:
        paths = sorted((ROOT / folder).rglob("*.py"), key=lambda path: (path.parent, path.name))
        for parent in dict.fromkeys(path.parent for path in paths):
            name = "" if parent == ROOT / folder else parent.relative_to(ROOT / folder).as_posix()
            parts.append(f"## {f'{prefix}{name}'.rstrip('/') or 'podgraft'}\n")
            lines = (_describe(path) for path in paths if path.parent == parent)
            parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _describe(path: Path) -> str:
    sentence = read_sentence(path)
    if path.name == "__init__.py":
        return f"{sentence}\n"
    return f"- `{path.name}`: {sentence}"


def read_sentence(path: Path) -> str:
    """The first sentence of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(docstring.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", first)[0].replace("``", "`")


if __name__ == "__main__":
    main()
