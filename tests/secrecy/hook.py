"""A pytest plugin: no test of the suite may get a planted secret written anywhere.

What a test leaves unread pytest reports. What a test reads itself is gone from there: so whatever
is read from ``capsys`` and ``capfd``, and from processes that are waited for, is kept here too.
``click.testing`` would get around that; ruff bans it.
"""

import subprocess
from collections.abc import Callable, Generator, Iterable
from functools import wraps
from typing import Any

import pytest

from secrecy.known_secrets import find_secrets

# ``@pytest.mark.shows_secrets(why)``: the test is about output that is there to show them.
MARKER = "shows_secrets(why): the test reads output that shows planted values on purpose"

_READ = pytest.StashKey[list[str]]()
_heard: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Listen wherever tests read what was written."""
    config.addinivalue_line("markers", MARKER)
    _listen(pytest.CaptureFixture, "readouterr")
    _listen(subprocess.Popen, "communicate")


def _listen(owner: type[Any], method: str) -> None:
    heard: Callable[..., Iterable[object]] = getattr(owner, method)

    @wraps(heard)
    def read(*arguments: Any, **named: Any) -> Iterable[object]:
        texts = heard(*arguments, **named)
        _heard.extend(map(_text, texts))
        return texts

    setattr(owner, method, read)


def _text(written: object) -> str:
    return written.decode(errors="replace") if isinstance(written, bytes) else str(written)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that passed, for what was written while it ran."""
    report = yield
    unread = "".join(text for _, text in report.sections)
    read = "" if item.get_closest_marker("shows_secrets") else "".join(_heard)
    _heard.clear()
    secrets = find_secrets(unread) or find_secrets(read)
    if report.passed and secrets:
        report.outcome = "failed"
        report.longrepr = f"the test passed, and what it wrote holds {', '.join(secrets)}"
    return report
