"""Options of the whole suite, and what no test may write (secrecy/hook.py)."""

import pytest

pytest_plugins = ("secrecy.hook",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what tests got over what they wanted: look at the diff."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files")
