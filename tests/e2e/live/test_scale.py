"""Time and memory with thousands of pods: ``tools/e2e_live.py --pods 3000``."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path

import pytest

from e2e.live.cluster_setup import ClusterSetup
from e2e.live.control_plane import TOKENS, ControlPlane, start_control_plane

PODS = int(os.environ.get("PODGRAFT_LIVE_PODS", "0"))
PODS_OF_A_REPLICA_SET = 10
MAX_MEGABYTES = 250  # what a page of pods needs, and not what all of them need
COMMANDS = ("status", "compare -A --revision default")


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A cluster with many pods, and a kubeconfig of a user who may read it."""
    if not PODS or "PODGRAFT_CONTROL_PLANE" not in os.environ:
        pytest.skip("needs Go, and a number of pods: tools/e2e_live.py --pods 3000")
    folder = tmp_path_factory.mktemp("scale")
    with ExitStack() as stack:
        program = Path(os.environ["PODGRAFT_CONTROL_PLANE"])
        plane = stack.enter_context(start_control_plane(program, folder))
        setup = ClusterSetup(plane, tmp_path_factory.mktemp("cluster"), stack)
        setup.create_istio()
        with ThreadPoolExecutor(4) as pool:
            names = [f"app{number}" for number in range(PODS // PODS_OF_A_REPLICA_SET)]
            list(pool.map(setup.create_pods, names, repeat(PODS_OF_A_REPLICA_SET)))
        file = folder / "kubeconfig"
        file.write_text(json.dumps(_make_config(plane)))
        yield file


@pytest.mark.parametrize("command", COMMANDS)
def test_thousands_of_pods(
    command: str, kubeconfig: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = kubeconfig.with_name("output")
    started = time.monotonic()
    with output.open("wb") as target:
        process = subprocess.Popen(
            [sys.executable, "-m", "podgraft", *command.split()],
            env=os.environ | {"KUBECONFIG": str(kubeconfig)},
            stdout=target,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    text = output.read_text()
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, text
    megabytes = usage.ru_maxrss / 1024
    with capsys.disabled():
        cpu = usage.ru_utime + usage.ru_stime
        print(  # noqa: T201
            f"\npodgraft {command}: {PODS} pods, {seconds:.1f} s, {cpu:.1f} s of CPU, "
            f"{megabytes:.0f} MB"
        )
    assert str(PODS) in text or str(PODS + 4) in text, text
    assert megabytes < MAX_MEGABYTES


def _make_config(plane: ControlPlane) -> object:
    cluster = {"server": f"https://127.0.0.1:{plane.port}", "insecure-skip-tls-verify": True}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "reader", "user": {"token": TOKENS["reader"]}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "reader"}}],
        "current-context": "test",
    }
