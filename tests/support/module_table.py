"""The table module → tests of ``tests/README.md``, made from the imports of the test files.

A test file covers the modules that it imports, directly or by a name that a package re-exports. A
module that no test file imports is covered through the modules that import it. Nothing is executed.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "layers" / "engine"
TESTS = ROOT / "tests"
PAGE = TESTS / "README.md"
BEGIN = "<!-- What follows was written by tests/docs/test_module_table.py --update-goldens. -->"
MAX_FILES = 3
# A program that a test runs as a whole: the test covers what the program imports.
PROGRAMS: Mapping[str, Path] = {
    "service/http/test_handler.py": ROOT / "functions" / "webhook" / "handler.py",
}

Coverage = Mapping[str, frozenset[str]]


def render_page(page: str) -> str:
    """Return the page with a new table."""
    before, begin, _ = page.partition(BEGIN)
    assert begin, f"tests/README.md: the line {BEGIN} is missing"
    return f"{before}{BEGIN}\n\n{render_table()}\n"


def render_table() -> str:
    """The table: a row for each module of the engine."""
    rows = [f"| `{_path(name)}` | {_describe(name)} |" for name in sorted(engine_modules())]
    return "\n".join(["| module | tests |", "|---|---|", *rows])


def uncovered_modules() -> list[str]:
    """Modules that no test file reaches by imports."""
    return [name for name in engine_modules() if not find_tests(name)[0]]


@cache
def engine_modules() -> Mapping[str, Path]:
    """The modules of the engine by their dotted names, without packages that only re-export."""
    return {name: path for name, path in _all_modules().items() if _has_code(path)}


def find_tests(module: str) -> tuple[tuple[str, ...], str]:
    """The test files of a module, nearest first, and the module through which they reach it."""
    reached, through = {module}, ""
    for _ in range(len(engine_modules())):
        files = {file for name in reached for file in _direct_tests().get(name, ())}
        if files:
            return tuple(sorted(files, key=lambda file: (-_nearness(module, file), file))), through
        importers = {
            importer
            for importer, imported in _engine_imports().items()
            if imported & reached and importer not in reached
        }
        if not importers:
            break
        through = through or min(importers)
        reached |= importers
    return (), ""


def _describe(module: str) -> str:
    files, through = find_tests(module)
    names = ", ".join(f"`{file}`" for file in files[:MAX_FILES])
    more = f", and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else ""
    return f"{names}{more}{f' (through `{_path(through)}`)' if through else ''}"


def _nearness(module: str, file: str) -> int:
    """How much of the module's path the test file mirrors; its own name counts most."""
    folders, parts = module.split(".")[1:], Path(file).with_suffix("").parts
    shared = 0
    for folder, part in zip(folders, parts, strict=False):
        if folder != part:
            break
        shared += 1
    return 2 * shared + (10 if f"test_{folders[-1] if folders else ''}" == parts[-1] else 0)


@cache
def _direct_tests() -> Coverage:
    covered: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        file = str(path.relative_to(TESTS))
        program = PROGRAMS.get(file)
        covers = _find_imports(path) | (_find_imports(program) if program else frozenset[str]())
        for module in covers:
            covered.setdefault(module, set()).add(file)
    return {module: frozenset(files) for module, files in covered.items()}


@cache
def _engine_imports() -> Coverage:
    return {
        name: (_find_imports(path) | _imported_by_name(path)) - {name}
        for name, path in engine_modules().items()
    }


def _imported_by_name(path: Path) -> frozenset[str]:
    """Modules that a file names in strings for ``import_module``, relative to its package.

    The commands of a group are below ``podgraft.cli``.
    """
    text = path.read_text(encoding="utf-8")
    package = ".".join(path.relative_to(ENGINE).parts[:-1])
    if "lazy_group import" in text:
        package = "podgraft.cli"
    elif "import_module" not in text:
        return frozenset()
    nodes = ast.walk(_parse(path))
    texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    names = {f"{package}.{text.partition(':')[0]}" for text in texts}
    names |= {name.rpartition(".")[0] for name in names}
    names = {_resolve(*_split(name)) if name in _all_modules() else name for name in names}
    return frozenset(names & _all_modules().keys())


def _split(package: str) -> tuple[str, str]:
    """A package of a command leads to the module that defines its ``command``."""
    return package, "command"


@cache
def _find_imports(path: Path) -> frozenset[str]:
    """The engine's modules that a file imports; names of packages lead to where they come from."""
    text = path.read_text(encoding="utf-8")
    modules: set[str] = set()
    packages: dict[str, str] = {}
    for node in _import_statements(text):
        for module, name, alias in _import_names(node, path):
            target = _resolve(module, name)
            modules.add(target)
            if name and target in _all_modules():
                packages[alias] = target
    if packages:  # patch.diff, where patch is a package
        uses = re.finditer(rf"\b({'|'.join(packages)})\.(\w+)", text)
        modules.update(_resolve(packages[use[1]], use[2]) for use in uses)
    return frozenset(modules & engine_modules().keys())


_IMPORT = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?:\([^)]*\)|[^\n#;(]+))", re.MULTILINE
)


def _import_statements(text: str) -> Iterator[ast.AST]:
    """The import statements of a file, without the time that the whole syntax tree takes."""
    for found in _IMPORT.finditer(text):
        with suppress(SyntaxError):  # a sentence of a docstring that starts like an import
            yield from ast.parse(found[1]).body


def _import_names(node: ast.AST, path: Path) -> Iterator[tuple[str, str, str]]:
    """The module, the name in it, and the local name of each import."""
    match node:
        case ast.Import(names):
            for alias in names:
                yield alias.name, "", alias.asname or alias.name
        case ast.ImportFrom(module, names, level):
            base = _base(path, level, module or "")
            for alias in names:
                yield base, alias.name, alias.asname or alias.name
        case _:
            pass


def _base(path: Path, level: int, module: str) -> str:
    if not level or not path.is_relative_to(ENGINE):
        return module
    parts = path.relative_to(ENGINE).parts[:-level]
    return ".".join([*parts, *([module] if module else [])])


@cache
def _resolve(module: str, name: str) -> str:
    """The module that defines *name* of *module*, through re-exports of packages."""
    if not name:
        return module
    if f"{module}.{name}" in _all_modules():
        return f"{module}.{name}"
    path = _all_modules().get(module)
    if path is None or path.name != "__init__.py":
        return module
    for node in ast.walk(_parse(path)):
        for source, exported, alias in _import_names(node, path):
            if alias == name and exported and source != module:
                return _resolve(source, exported)
    return module


@cache
def _all_modules() -> Mapping[str, Path]:
    return {_dotted(path): path for path in ENGINE.rglob("*.py")}


def _has_code(path: Path) -> bool:
    if path.name != "__init__.py":
        return True
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.If)
    nodes = [node for node in _parse(path).body if isinstance(node, kinds)]
    return any(not (isinstance(node, ast.Assign) and _assigns_all(node)) for node in nodes)


def _assigns_all(node: ast.Assign) -> bool:
    return [ast.unparse(target) for target in node.targets] == ["__all__"]


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _dotted(path: Path) -> str:
    parts = path.relative_to(ENGINE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _path(module: str) -> str:
    path = _all_modules()[module]
    return str(path.relative_to(ENGINE / "podgraft"))
