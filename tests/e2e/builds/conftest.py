"""Shows at the end what the builds said of themselves."""

import pytest

SAID = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Nothing is said yet."""
    config.stash[SAID] = []


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """A line a layer: its size, and whether it has bytecode."""
    for line in config.stash[SAID]:
        terminalreporter.write_line(line)
