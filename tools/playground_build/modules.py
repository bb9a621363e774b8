"""The modules that a Python file imports, inside functions as well."""

import ast
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath


def find_modules(files: Mapping[str, bytes], start: str) -> set[str]:
    """The files among *files* that a module imports, directly or not."""
    used: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in used or name not in files:
            continue
        used.add(name)
        *folders, _ = PurePosixPath(name).parents
        waiting.extend(f"{folder}/__init__.py" for folder in folders)
        for module in find_imports(files[name], folders[0].parts):
            path = module.replace(".", "/")
            waiting.extend((f"{path}.py", f"{path}/__init__.py"))
    return used


def find_imports(source: bytes, package: Sequence[str] = ()) -> set[str]:
    """The modules that a file imports.

    For ``from a import b``, these are ``a`` and ``a.b``, which can be a module. *package* resolves
    relative imports; without it, they are omitted.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (package or not node.level):
            parents = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*parents, *([node.module] if node.module else [])])
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            match node.args:
                case [ast.Constant(value=str(name))]:
                    names.add(name)
                case _:
                    pass
    return names
