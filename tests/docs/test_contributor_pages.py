"""The pages of contributors name files, modules, and targets that exist."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.limits import ROOT
from podgraft.cli.endpoint_check.faults import Fault

ENGINE = ROOT / "layers" / "engine" / "podgraft"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md", "tests/README.md")
# Words that look like paths: formats, routes, names of other projects, and files that users have.
OTHERS = frozenset(
    {"/validate", "/inject", "/metrics", "sidecar.istio.io/inject", "sigs.k8s.io/yaml"}
    | {"policy.yaml", "podgraft-test.yaml", "input.NAME.yaml", "want.NAME.yaml"}
)
_CODE = re.compile(r"(?<!`)`([\w./-]+)`(?!`)")
_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"python -m ([a-z_.]+)")


def list_paths(text: str) -> set[str]:
    """Words in code style that contain a slash or end as a file does."""
    words = _CODE.findall(_FENCE.sub("", text))
    return {
        each for each in words if "/" in each or each.endswith((".py", ".json", ".txt", ".yaml"))
    }


def exists(path: str, text: str) -> bool:
    """At the root, below the engine or tests, or beside a path that the same page names."""
    if any((folder / path).exists() for folder in (ROOT, ENGINE, ROOT / "tests")):
        return True
    parents = {Path(each).parent for each in list_paths(text)}
    return any((folder / parent / path).exists() for folder in (ROOT, ENGINE) for parent in parents)


@pytest.mark.parametrize("page", PAGES)
def test_each_path_exists(page: str) -> None:
    text = (ROOT / page).read_text()
    paths = list_paths(text) - OTHERS
    assert len(paths) > 5
    assert {path for path in paths if not exists(path, text)} == set()


@pytest.mark.parametrize("page", PAGES)
def test_each_target_exists(page: str) -> None:
    targets = set(re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z][a-z0-9-]*)", (ROOT / page).read_text()))
    assert named
    assert named <= targets


def test_each_program_that_a_docstring_names_exists() -> None:
    """Such as the recorders, which run in tests/ or with tools/ on the path."""
    named = {
        (path.relative_to(ROOT).as_posix(), module)
        for folder in ("tests", "tools", "scripts")
        for path in (ROOT / folder).rglob("*.py")
        for module in _PROGRAM.findall(path.read_text().partition("\nimport ")[0])
    }
    assert len(named) > 10
    assert {(path, module) for path, module in named if not has_module(module)} == set()


def has_module(module: str) -> bool:
    """Whether Python finds a module, with the paths that pyproject.toml gives the tests."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_the_page_of_doctor_has_each_fault() -> None:
    section = (ROOT / "docs" / "explain.md").read_text().partition("| checks | find |")[2]
    rows = re.findall(r"^\| (D[^|]+) \|", section.partition("\n\n")[0], re.MULTILINE)
    named = {number for row in rows for number in expand(row)}
    assert sorted(named) == sorted(Fault)


def expand(row: str) -> list[str]:
    """The numbers of ``D01 to D06``, or of ``D20, D21``."""
    first, _, last = row.partition(" to ")
    if not last:
        return row.split(", ")
    return [f"D{number:02}" for number in range(int(first[1:]), int(last[1:]) + 1)]
