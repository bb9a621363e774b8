"""The scenarios with the recorded responses of a real kube-apiserver."""

import shutil
from pathlib import Path

import pytest

from e2e.live import exchanges
from e2e.live.command_runs import run_scenario
from e2e.live.scenarios import SCENARIOS, STATES, LiveScenario

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")


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
