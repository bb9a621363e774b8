"""Options of the whole suite, and what no test may write (secrecy/hook.py)."""

import pytest
from hypothesis import HealthCheck, settings

from support.effort import scaled

# How long an example takes depends on what else the machine does: no test asserts it.
settings.register_profile(
    "podgraft",
    deadline=None,
    max_examples=scaled(100, by=4),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("podgraft")

pytest_plugins = ("secrecy.hook",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what tests got over what they wanted: look at the diff."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files")
