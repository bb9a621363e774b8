"""Commands against a real kube-apiserver: ``make e2e-live`` builds it and runs them.

``tools/e2e_live.py --record`` writes its responses to recorded/, for test_replay.py.
"""

import os
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from e2e.live.cluster_setup import ClusterSetup
from e2e.live.command_runs import run_scenario
from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from e2e.live.exchanges import Exchanges, record_exchanges
from e2e.live.scenarios import SCENARIOS, STATES


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    with start_control_plane(find_program(), tmp_path_factory.mktemp("plane")) as control_plane:
        yield control_plane


@pytest.fixture(scope="module")
def setup(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Generator[ClusterSetup]:
    """The cluster in its first state."""
    with ExitStack() as stack:
        cluster = ClusterSetup(plane, tmp_path_factory.mktemp("cluster"), stack)
        cluster.create_istio()
        yield cluster


def test_scenarios(
    plane: ControlPlane,
    setup: ClusterSetup,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each scenario in its state, in order; every request is a GET."""
    failures: dict[str, str] = {}
    for state in STATES:
        if state == "upgraded":
            setup.upgrade()
        with record_exchanges(plane) as (port, exchanges):
            for scenario in SCENARIOS:
                if scenario.state == state:
                    folder = tmp_path / scenario.name.replace(" ", "-")
                    folder.mkdir()
                    try:
                        run_scenario(scenario, port, folder, monkeypatch, capsys, setup.token)
                    except AssertionError as error:
                        failures[scenario.name] = str(error)
        _check_exchanges(exchanges, state, setup.token)
    assert not failures, "\n".join(f"{name}: {error}" for name, error in failures.items())


def _check_exchanges(exchanges: Exchanges, state: str, token: str) -> None:
    assert exchanges.methods == {"GET"}
    if "PODGRAFT_RECORD" in os.environ:
        exchanges.save(state, token)
