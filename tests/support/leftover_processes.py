"""A run fails if a process that a test started is still there at its end: a server, for example.

Each process of the run finds its own, by a variable that they inherit. It needs ``/proc``.
"""

import os
import select
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

_VARIABLE = "TEST_STARTED_BY"
_WORKER_KEY = "leftover_processes"
_END_SECONDS = 10.0  # a process that a test has signaled may end after it
_found: list[str] = []


def pytest_configure() -> None:
    os.environ[_VARIABLE] = str(os.getpid())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    _found.extend(end_processes(str(os.getpid())))
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_WORKER_KEY] = _found
    elif _found and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _found.extend(getattr(node, "workeroutput", {}).get(_WORKER_KEY, ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _found:
        terminalreporter.write_line(f"ERROR {line}", red=True)


def end_processes(tested_by: str) -> list[str]:
    """End the processes that tests of the process *tested_by* left; return what each was."""
    left = [
        f"{variables.get('PYTEST_CURRENT_TEST', 'a fixture')} left process {pid}: {command}"
        for pid, variables, command in _find_processes(tested_by)
        if not _ends(pid)
    ]
    for pid, _, _ in [*_find_processes(tested_by)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left


def _find_processes(tested_by: str) -> Iterator[tuple[int, Mapping[str, str], str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_text(errors="replace").split("\0")
            variables = {
                name: text for name, _, text in (one.partition("=") for one in environment)
            }
            command = (folder / "cmdline").read_text(errors="replace").replace("\0", " ").strip()
        except OSError:  # ended, or of another user
            continue
        pid = int(folder.name)
        if variables.get(_VARIABLE) == tested_by and pid != os.getpid() and command:
            yield pid, variables, command


def _ends(pid: int) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], _END_SECONDS)[0])
    finally:
        os.close(descriptor)
