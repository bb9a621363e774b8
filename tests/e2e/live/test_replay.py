"""The scenarios with the recorded responses of a real kube-apiserver."""

import os
import sys
from pathlib import Path

import pytest

from e2e.live import exchanges
from e2e.live.command_runs import run_scenario
from e2e.live.scenarios import SCENARIOS, STATES, LiveScenario

KUBECTL = Path(__file__).parents[2] / "support" / "raw_kubectl.py"


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the kubectl of the tests first in PATH; ``test_live.py`` uses the real one."""
    file = tmp_path / "bin" / "kubectl"
    file.parent.mkdir()
    file.write_text(f'#!/bin/sh\nexec {sys.executable} -S {KUBECTL} "$@"\n')
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{file.parent}:{os.environ['PATH']}")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(
    scenario: LiveScenario,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with exchanges.replay_exchanges(scenario.state) as (port, replayed):
        run_scenario(scenario, port, tmp_path, monkeypatch, capsys)
        assert replayed.methods <= {"GET"}


def test_every_state_has_its_recording() -> None:
    assert {path.stem for path in exchanges.FOLDER.iterdir()} == set(STATES)
