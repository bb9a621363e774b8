"""Functions have at most 40 lines, and modules 400; function-level imports are few and decrease."""

import ast
from collections.abc import Iterator
from pathlib import Path

import podgraft

ENGINE = Path(podgraft.__file__).parent
MAX_FUNCTION = 40
MAX_MODULE = 400
# An import inside a function defers an extra, a command, or a package of few policies.
MAX_LOCAL_IMPORTS = 69
MAX_TYPING_BLOCKS = 26


def parse_modules() -> Iterator[tuple[str, ast.Module, int]]:
    for path in sorted(ENGINE.rglob("*.py")):
        text = path.read_text()
        yield str(path.relative_to(ENGINE)), ast.parse(text), text.count("\n")


def test_functions_are_short() -> None:
    long = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree, _ in parse_modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION
    ]
    assert long == []


def test_modules_are_short() -> None:
    long = {name: lines for name, _, lines in parse_modules() if lines > MAX_MODULE}
    assert long == {}


def test_imports_inside_functions_do_not_increase() -> None:
    found = [
        node
        for _, tree, _ in parse_modules()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(found) <= MAX_LOCAL_IMPORTS


def test_blocks_for_type_checkers_do_not_increase() -> None:
    found = [
        node
        for _, tree, _ in parse_modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    assert len(found) <= MAX_TYPING_BLOCKS
