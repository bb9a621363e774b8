"""The examples in the docstrings hold."""

import doctest
import importlib
import pkgutil

import pytest

from podgraft import gotemplate, govalue

MODULES = [
    module.name
    for package in (gotemplate, govalue)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
