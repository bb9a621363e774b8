"""Files and modules that docstrings and comments name exist, in this repository."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("layers/engine/podgraft", "layers", "functions", "scripts", "tests", "tools")
FOLDERS = ("layers", "functions", "scripts", "tests", "tools")
# Files of other projects.
EXTERNAL = frozenset({"Lib/importlib/_bootstrap_external.py"})

_FILE = re.compile(r"(?<![\w/.<{*-])((?:[\w-]+/)*[\w-]+\.(?:py|md))\b")
_MODULE = re.compile(r"``(podgraft(?:\.\w+)+)``")
# Documents outside of the repository.
_OUTSIDE = re.compile(
    r"(?i)(?:design|specification) §|\bwire/|\bfindings/|\bissue \d|\.\./shared|\bshared/\w+\.md"
)


def docstrings(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield ast.get_docstring(node) or ""
            case _:
                pass


def comments(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for token in tokenize.tokenize(io.BytesIO(file.read()).readline):
            if token.type == tokenize.COMMENT:
                yield token.string


@cache
def known_files() -> frozenset[str]:
    """Every ending of the path of every file: ``service/store/aws/s3.py`` is also ``s3.py``."""
    paths = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")]
    paths += [path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))]
    return frozenset(
        "/".join(path.parts[start:]) for path in paths for start in range(len(path.parts))
    )


def find_faults(path: Path) -> Iterator[str]:
    """The faults of docstrings and comments. Most files have none anywhere, so none is parsed."""
    if any(find_faults_of_text(path.read_text(encoding="utf-8"))):
        for text in (*docstrings(path), *comments(path)):
            yield from find_faults_of_text(text)


def find_faults_of_text(text: str) -> Iterator[str]:
    yield from (f"refers to {found[0]}" for found in _OUTSIDE.finditer(text))
    known = known_files()
    yield from (
        f"names {name}"
        for name in _FILE.findall(text)
        if name not in known and name not in EXTERNAL
    )
    yield from (f"names {name}" for name in _MODULE.findall(text) if not exists(name))


def exists(dotted: str) -> bool:
    """Whether a module exists, or a name in it."""
    path = ROOT / "layers" / "engine" / dotted.replace(".", "/")
    if path.is_dir() or path.with_suffix(".py").exists():
        return True
    module, name = path.parent, path.name
    files = (module.with_suffix(".py"), module / "__init__.py")
    return any(re.search(rf"\b{name}\b", file.read_text()) for file in files if file.exists())


FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts and path != Path(__file__)
)


def test_docstrings_name_what_exists() -> None:
    faults = {file: [*find_faults(ROOT / file)] for file in FILES}
    assert {file: found for file, found in faults.items() if found} == {}


PAGES = (
    *ROOT.glob("*.md"),
    *(p for top in ("docs", "samples", "tests") for p in (ROOT / top).rglob("*.md")),
)


@pytest.mark.parametrize("page", sorted(PAGES), ids=str)
def test_pages_refer_to_no_document_outside(page: Path) -> None:
    assert not _OUTSIDE.search(page.read_text())
