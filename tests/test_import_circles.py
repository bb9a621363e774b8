"""No module of podgraft or of its scripts imports itself, directly or through others.

An import inside a function counts too; one for type checkers alone does not.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "layers" / "engine"
SCRIPTS, TOOLS = ROOT / "scripts", ROOT / "tools"
GENERATE = TOOLS / "generate"


@pytest.mark.parametrize(
    ("root", "folder"),
    [
        (SCRIPTS, SCRIPTS),
        (TOOLS, TOOLS),
        (GENERATE, GENERATE),
        (ENGINE, ENGINE / "podgraft"),
    ],
    ids=lambda path: path.name,
)
def test_imports_make_no_circle(root: Path, folder: Path) -> None:
    modules = {module_name(root, path): path for path in folder.rglob("*.py")}
    graph = {name: {*imports(name, path, modules)} for name, path in modules.items()}
    assert graph
    assert find_circle(graph) == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set[str]()}
    assert find_circle(graph) == ["b", "c", "b"]


def module_name(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def imports(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """The modules among *modules* that one module imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in runtime_nodes(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                parts = package.split(".") if level else []
                base = [*parts[: len(parts) - level + 1], *([module] if module else [])]
                found = [resolve(".".join(base), alias.name, modules) for alias in names]
            case _:
                continue
        yield from (each for each in found if each in modules and each != name)


def resolve(module: str, name: str, modules: Mapping[str, Path]) -> str:
    inner = f"{module}.{name}"
    return inner if inner in modules else module


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from runtime_nodes(node)


def find_circle(graph: Mapping[str, set[str]]) -> list[str]:
    """The first circle of imports, as the names along it; empty without one."""
    finished: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in finished:
            return []
        for inner in sorted(graph[name]):
            circle = visit(inner, [*path, name])
            if circle:
                return circle
        finished.add(name)
        return []

    for name in sorted(graph):
        circle = visit(name, [])
        if circle:
            return circle
    return []
