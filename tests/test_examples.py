"""The examples in docstrings hold."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import podgraft

PACKAGE = Path(podgraft.__file__).parent
MODULES = [
    ".".join(("podgraft", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module(name: str) -> None:
    found = doctest.testmod(import_module(name.removesuffix(".__init__")))
    assert (found.failed, bool(found.attempted)) == (0, True)
