"""Options of the whole suite, and what no test may write."""

from collections.abc import Generator

import pytest

from events.kept import OTHER_TOKEN, TOKEN

# The tokens that tests call with, and the word that marks planted values of pods.
SECRETS = (TOKEN, OTHER_TOKEN, "planted")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what tests got over what they wanted: look at the diff."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test whose output or logs hold a secret, whatever the test itself looked at."""
    report = yield
    written = "".join(text for _, text in report.sections)
    if report.passed and any(secret in written for secret in SECRETS):
        report.outcome = "failed"
        report.longrepr = "the test passed, and its output or logs hold a planted secret"
    return report
