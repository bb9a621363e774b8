"""A pytest plugin that records which tests ran, and why others did not.

With ``TEST_OUTCOMES``, each process of pytest writes one file into that folder. ``make check``
compares the files of all its targets (``tools/check_skips.py``).
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

FOLDER = "TEST_OUTCOMES"
TARGET = "TEST_TARGET"  # the target of make that runs the tests

_ran: set[str] = set()
_skipped: dict[str, str] = {}  # reasons by the id of the test
_deselected: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that ran or was skipped."""
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped[report.nodeid] = _read_reason(report)
    elif report.when == "call":
        _ran.add(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a module that was skipped with all its tests."""
    if report.skipped:
        _skipped[report.nodeid] = _read_reason(report)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Note tests that an option omitted."""
    _deselected.update(item.nodeid for item in items)


def pytest_sessionfinish() -> None:
    """Write the file of this process."""
    if folder := os.environ.get(FOLDER):
        target = os.environ.get(TARGET, "pytest")
        record = {
            "target": target,
            "ran": sorted(_ran - _skipped.keys()),
            "skipped": _skipped,
            "deselected": sorted(_deselected),
        }
        path = Path(folder) / f"{target}-{os.getpid()}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record))


def _read_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason of a skip, such as ``needs curl``."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").split("\n")[0]
