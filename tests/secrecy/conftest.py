"""A place where everything is heard: file descriptors, and every logger at its most talkative."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from podgraft.service.http.powertools import LOGGER
from secrecy import failures
from secrecy.calls import write_secret_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A valid store that contains secrets."""
    return write_secret_store(tmp_path / "store")


@pytest.fixture
def captured_output(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Iterator[Callable[[], str]]:
    """What was written since the last time, and every record of any level."""
    logging.Logger.manager.loggerDict.pop(LOGGER, None)  # Powertools' keeps an older output

    def read_output() -> str:
        text = "".join(capfd.readouterr()) + caplog.text
        caplog.clear()
        return text

    with caplog.at_level(logging.DEBUG):
        yield read_output


@pytest.fixture
def failing_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install internal errors."""
    failures.install_failures(monkeypatch)
