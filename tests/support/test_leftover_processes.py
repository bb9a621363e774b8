"""A process that outlives its test is found, and ended."""

import os
import subprocess
import sys

import pytest

from .leftover_processes import end_processes


def test_a_process_that_stays_is_named_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.leftover_processes._END_SECONDS", 0.0)
    monkeypatch.setenv("TEST_STARTED_BY", "of this test")
    program = "import sys; print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program, "left"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        (found,) = end_processes("of this test")
        assert "test_a_process_that_stays_is_named_and_ended" in found
        assert found.endswith(" left")
    assert process.returncode < 0
    assert end_processes("of this test") == []
    assert os.environ["TEST_STARTED_BY"] == "of this test"
