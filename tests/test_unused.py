"""Each function and class is used: by the engine, a function of AWS, a script, or a tool."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "layers" / "engine" / "podgraft"
USERS = (ENGINE, *(ROOT / name for name in ("functions", "scripts", "tools", "playground")))
# The simulation and tests replace the clock by it.
SEAMS = {"replace_machine"}
_WORD = re.compile(r"\w+")


def find_definitions(tree: ast.Module) -> Iterator[str]:
    """Module-level functions and classes; a decorator can register one that nothing names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
            yield node.name


def test_each_module_level_definition_is_used() -> None:
    """A name that occurs once is that of its definition. Tests alone are no use."""
    texts = [path.read_text() for user in USERS for path in user.rglob("*.py")]
    texts += [path.read_text() for path in ENGINE.rglob("*.json")]
    words = Counter(word for text in texts for word in _WORD.findall(text))
    unused = [
        f"{path.relative_to(ENGINE)}: {name}"
        for path in sorted(ENGINE.rglob("*.py"))
        for name in find_definitions(ast.parse(path.read_text()))
        if words[name] == 1 and name not in SEAMS
    ]
    assert unused == []
