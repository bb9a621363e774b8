"""``podgraft serve`` while its store does not load: what its workers and a restart answer from."""

import json
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from service.serve.running import find_workers
from support.recorded_requests import load_request
from support.store_fixture import write_injector

BODY = load_request("24-bearer-token").body


class Server:
    """A running server, and how to send it a review."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        assert process.stdout is not None
        self.process = process
        line = next(text for text in process.stdout if text.startswith("podgraft listens on"))
        self._port = int(line.rsplit(":", 1)[-1])
        self._context = ssl.create_default_context(cafile=folder / "certificates/ca.pem")

    def review(self) -> tuple[int, list[str]]:
        """The status and the warnings of a review, on a separate connection."""
        connection = HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=30)
        try:
            connection.request("POST", "/inject", BODY, {"Content-Type": "application/json"})
            response = connection.getresponse()
            body: Any = json.loads(response.read())
        finally:
            connection.close()
        return response.status, body.get("response", {}).get("warnings", [])

    def workers(self) -> list[int]:
        """The process ids of the workers."""
        return find_workers(self.process.pid)

    def stop(self) -> None:
        """End it as an orchestrator does."""
        self.process.terminate()
        self.process.communicate(timeout=60)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Certificates and a store, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for command in (("ca",), ("server", "127.0.0.1")):
        assert main(["certs", *command, "--key-type", "p-256"]) == 0
    write_injector(tmp_path / "store", policy="policy: enabled")
    (tmp_path / "temporary").mkdir()
    return tmp_path


@contextmanager
def serving(folder: Path, *words: str) -> Generator[Server]:
    with serving_process(folder, *words) as process:
        yield Server(process, folder)


@contextmanager
def serving_process(folder: Path, *words: str) -> Generator[subprocess.Popen[str]]:
    command = [
        *(sys.executable, "-m", "podgraft", "serve", "--store", "store", "--auth", "none"),
        *("--cert", "certificates/server.pem", "--key", "certificates/server.key"),
        *("--host", "127.0.0.1", "--port", "0", "--workers", "1", *words),
    ]
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "TMPDIR": str(folder / "temporary")}
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def assert_stale(answer: tuple[int, list[str]]) -> None:
    status, [warning] = answer
    assert status == 200
    assert warning.startswith("podgraft used an older configuration: injector default")


def break_policy(folder: Path) -> None:
    write_injector(folder / "store", policy="policy: [")


def test_a_new_worker_responds_with_what_the_one_before_loaded(folder: Path) -> None:
    with serving(folder) as server:
        assert server.review() == (200, [])
        break_policy(folder)
        assert_stale(server.review())
        [worker] = server.workers()
        os.kill(worker, signal.SIGKILL)
        assert_stale(server.review())  # the listening socket waits for the next worker
        assert server.workers() != [worker]
        write_injector(folder / "store", policy="policy: enabled")
        assert server.review() == (200, [])
        assert [path.name for path in (folder / "temporary").glob("podgraft-*/*")]
        server.stop()
    assert not list((folder / "temporary").glob("podgraft-*"))


def test_a_restart_uses_the_state_folder(folder: Path) -> None:
    with serving(folder, "--state", "state") as server:
        assert server.review() == (200, [])
        server.stop()
    break_policy(folder)
    with serving(folder, "--state", "state") as server:
        assert_stale(server.review())


def test_a_restart_without_a_state_folder_is_refused(folder: Path) -> None:
    with serving(folder) as server:
        assert server.review() == (200, [])
        server.stop()
    break_policy(folder)
    with serving_process(folder) as process:
        assert process.wait(timeout=60) == 1
