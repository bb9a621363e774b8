"""tests/long_tests.txt: every entry is a test of the suite."""

import ast
from collections.abc import Iterator

from conftest import LONG_TESTS, SLOW_FILES, TESTS


def _find_tests(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((TESTS / file).read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield f"{file}::{node.name}"


def test_every_long_test_exists() -> None:
    files = {entry.partition("::")[0] for entry in LONG_TESTS}
    assert {test for file in files for test in _find_tests(file)} >= LONG_TESTS


def test_the_list_is_sorted_and_without_duplicates() -> None:
    lines = (TESTS / "long_tests.txt").read_text().splitlines()
    assert lines == sorted(set(lines))


def test_every_slow_file_exists() -> None:
    assert {file for file in SLOW_FILES if not (TESTS / file).is_file()} == set()
