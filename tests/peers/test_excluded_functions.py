"""Guarantee: an excluded function has no second name and no other route into a function table.

Incident: OPA CVE-2022-36085 (``with`` replaces a builtin, and bypasses the list of unsafe ones).
"""

import ast
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.injectors.hostile_templates import make_injector, make_pod
from podgraft.core.injectors.errors import InjectionError
from podgraft.core.injectors.overlay.data import FUNCTIONS
from podgraft.core.review_context import ReviewContext
from podgraft.golang import sprig
from podgraft.golang.texttemplate import Function

IMPURE = {"os", "random", "secrets", "socket", "subprocess", "tempfile", "time", "uuid"}
NETWORK = {"http", "requests", "urllib.request", "urllib3"}


TABLES: Mapping[str, Mapping[str, Function]] = {
    "overlay": FUNCTIONS,
    **{f"sprig {release}": sprig.functions(release) for release in sprig.RELEASES},
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_each_excluded_function_is_refused_by_its_name(table: Mapping[str, Function]) -> None:
    for excluded, reason in sprig.UNSUPPORTED.items():
        if excluded in table:
            assert table[excluded].unsupported_reason == reason


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_no_supported_function_is_an_excluded_one(table: Mapping[str, Function]) -> None:
    excluded = {id(table[each].call) for each in sprig.UNSUPPORTED if each in table}
    for known, function in table.items():
        assert function.unsupported_reason or id(function.call) not in excluded, known


@pytest.mark.parametrize("release", ["1.9", "1.20", "1.24"])
def test_a_release_of_istio_excludes_them(release: str) -> None:
    """``env`` is Istio's own: it reads the policy. ``test_confused_deputy.py`` has the routes."""
    for excluded in sorted({*sprig.UNSUPPORTED} - {"env"}):
        template = f"metadata:\n  annotations:\n    out: {{{{ {excluded} }}}}\n"
        with pytest.raises(InjectionError, match=excluded):
            inject(template, release)


def inject(template: str, release: str) -> None:
    injector = make_injector.__wrapped__(template, release)
    injector.inject(make_pod({}), ReviewContext(namespace="shop"))


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize(
    "package", ["golang.sprig", "golang.texttemplate", "kube.cel", "core.injectors", "core.policy"]
)
def test_no_function_can_be_impure(package: str) -> None:
    """Whatever name a function has, its code cannot reach the clock, chance, or the network."""
    spec = find_spec(f"podgraft.{package}")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    [folder] = spec.submodule_search_locations
    files = [*Path(folder).rglob("*.py")]
    assert len(files) > 3
    for path in files:
        names = {*imports(path)}
        assert not {name.partition(".")[0] for name in names} & IMPURE, path
        assert not names & NETWORK, path
