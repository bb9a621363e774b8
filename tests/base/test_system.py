"""All clocks, threads, and random bytes of the product come from ``podgraft.base.system``."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import podgraft
from podgraft.base import system
from podgraft.service.store.timeouts import run_with_timeout
from support.machines import LaterMachine, use_machine

PACKAGE = Path(podgraft.__file__).parent
# Import contracts (pyproject.toml) forbid modules. These are names of modules that code may import.
FORBIDDEN = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("os", "urandom"),
}
# A mark of the process for its own terminal: no one else ever sees it.
ALLOWED = {"cli/terminal.py"}


def find_forbidden_names(path: Path) -> set[str]:
    return {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) in FORBIDDEN
    }


def test_no_module_reads_the_time_or_random_bytes_from_another_place() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for room in ("service", "core", "cli")
        for path in (PACKAGE / room).rglob("*.py")
        if not path.is_relative_to(PACKAGE / "cli" / "bench") and find_forbidden_names(path)
    }
    assert found == ALLOWED


def test_a_replaced_machine_serves_code_that_was_loaded_before() -> None:
    clock = system.wall_seconds  # as a default argument keeps it
    before = clock()
    with use_machine(LaterMachine(days=31)):
        assert clock() - before > 30 * 86_400
        assert system.now().timestamp() - before > 30 * 86_400
    assert clock() - before < 86_400


class StoppedThread:
    """A thread that never runs."""

    def join(self, timeout: float | None = None) -> None: ...

    def is_alive(self) -> bool:
        return True


class StoppedMachine(system.Machine):
    def start_thread(self, target: object) -> Any:
        del target
        return StoppedThread()


def test_a_timeout_waits_on_the_thread_of_the_machine() -> None:
    with use_machine(StoppedMachine()), pytest.raises(TimeoutError):
        run_with_timeout(60, lambda: 1)
