"""Shows at the end what the builds said of themselves."""

import pytest

_SAID = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Nothing is said yet."""
    config.stash[_SAID] = []


@pytest.fixture(scope="session")
def build_output(request: pytest.FixtureRequest) -> list[str]:
    """The lines to show."""
    return request.config.stash[_SAID]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """A line a layer: its size, and whether it has bytecode."""
    for line in config.stash[_SAID]:
        terminalreporter.write_line(line)
