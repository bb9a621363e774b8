"""Runs the command of a scenario, and checks its output."""

from pathlib import Path

import pytest

from e2e.live.cluster_objects import SAMPLES
from e2e.live.exchanges import PATH_TOKEN, write_kubeconfig
from e2e.live.scenarios import LiveScenario
from podgraft.cli import main
from podgraft.cli.live import kubectl
from support.config_folder import write_folder

# Of the application: never printed by commands that compare or explain.
SECRET = "plain-text-password"


def run_scenario(
    scenario: LiveScenario,
    port: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    token: str = PATH_TOKEN,
) -> None:
    """Run the command with the API server on *port*."""
    write_kubeconfig(folder / "kubeconfig", port)
    policy = "revision: podgraft\nfeatures: {nativeSidecars: false}\n"
    write_folder(folder / "configured", "istio", policy)
    monkeypatch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
    monkeypatch.setattr(kubectl, "PAGE_SIZE", scenario.page_size)
    words = [word.format(samples=SAMPLES, folder=folder) for word in scenario.command.split()]
    status = main(words)
    out, err = capsys.readouterr()
    assert status == scenario.status, err + out
    for part in scenario.out:
        assert part in out, out + err
    for part in scenario.err:
        assert part in err, err
    for part in (*scenario.absent, SECRET, token):
        assert part not in out + err
