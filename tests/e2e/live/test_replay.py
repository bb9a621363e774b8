"""The scenarios with the recorded responses of a real kube-apiserver."""

import os
import shlex
from pathlib import Path

import pytest

from e2e.live import exchanges
from e2e.live.command_runs import run_scenario
from e2e.live.scenarios import SCENARIOS, STATES, LiveScenario
from support.programs import PYTHON, write_shell_program

KUBECTL = Path(__file__).parents[2] / "support" / "raw_kubectl.py"


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the kubectl of the tests first in PATH; ``test_live.py`` uses the real one."""
    file = tmp_path / "bin" / "kubectl"
    file.parent.mkdir()
    write_shell_program(file, f'exec {PYTHON} -S {shlex.quote(str(KUBECTL))} "$@"')
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
