"""A running ``podgraft serve``, as an operator starts it: over HTTPS, from a folder."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from threading import Thread
from typing import IO, Any

from podgraft.cli import main

STORE = Path(__file__).parents[2] / "e2e" / "kube" / "store"
REVIEW: dict[str, Any] = json.loads((STORE.parent / "recorded" / "injection.json").read_text())[
    "calls"
][0]["request"]
CERT, KEY, CA = "certificates/server.pem", "certificates/server.key", "certificates/ca.pem"
JSON = "application/json"
PATH = "/inject/cluster/prod-eu"


def prepare(folder: Path) -> None:
    """Certificates and a store in a folder, which is the working directory."""
    for command in (("ca",), ("server", "127.0.0.1"), ("client", "prod-eu")):
        assert main(["certs", *command, "--key-type", "p-256"]) == 0
    shutil.copytree(STORE, folder / "store")


def issue_token() -> str:
    """A token for the cluster, in the store of the working directory."""
    issued = ["issue", "--cluster", "prod-eu", "--config", "store", "--output", "token"]
    assert main(["tokens", *issued]) == 0
    return Path("token").read_text().strip()


def find_workers(pid: int) -> list[int]:
    """The process ids of the workers of a server, in order."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return sorted(map(int, children.read_text().split()))


class Served:
    """A running server, its output and how to call it."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        assert process.stdout is not None
        self.process = process
        self.first: list[str] = []
        for line in process.stdout:
            self.first.append(line)
            if line.startswith("podgraft listens on https://127.0.0.1:"):
                break
        assert self.first, process.communicate()
        self.port = int(self.first[-1].rsplit(":", 1)[-1])
        # The log of many reviews would fill a pipe that nobody reads, and stop the server.
        self._rest = [Output(process.stdout), Output(process.stderr)]
        self.context = ssl.create_default_context(cafile=folder / CA)

    def workers(self) -> list[int]:
        """The process ids of the workers."""
        return find_workers(self.process.pid)

    def connect(self) -> "closing[HTTPSConnection]":
        """A new connection, closed at the end of its block."""
        return closing(HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=20))

    def ask(self, method: str, path: str, **headers: str) -> tuple[int, Any]:
        """One call on a connection of its own; POST sends a review."""
        body = json.dumps(REVIEW) if method == "POST" else None
        with self.connect() as connection:
            connection.request(method, path, body, {"Content-Type": JSON} | headers)
            response = connection.getresponse()
            return response.status, response.read().decode()

    @contextmanager
    def open(self) -> Generator[ssl.SSLSocket]:
        """A bare TLS connection."""
        with (
            socket.create_connection(("127.0.0.1", self.port), 20) as plain,
            self.context.wrap_socket(plain, server_hostname="127.0.0.1") as tls,
        ):
            yield tls

    def send(self, data: bytes) -> "Answer":
        """Send what may not be HTTP; all that comes until the server closes."""
        with self.open() as tls:
            tls.sendall(data)
            return Answer(read_all(tls))

    def stop(self) -> str:
        """Everything that was printed, once it has stopped in good order."""
        self.process.terminate()
        assert self.process.wait(timeout=60) == 0
        return self.output()

    def output(self) -> str:
        """Everything that was printed, once the process has ended."""
        return "".join([*self.first, *(output.text() for output in self._rest)])


class Output:
    """All that comes out of a pipe, read while the process runs."""

    def __init__(self, pipe: IO[str] | None) -> None:
        assert pipe is not None
        self._lines: list[str] = []
        self._thread = Thread(target=lambda: self._lines.extend(pipe), daemon=True)
        self._thread.start()

    def text(self) -> str:
        """The text, once the process has ended."""
        self._thread.join(timeout=20)
        return "".join(self._lines)


class Answer:
    """A response as it came."""

    def __init__(self, data: bytes) -> None:
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        self.code = int(first.split()[1]) if first else 0
        self.headers: Mapping[str, str] = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }

    @property
    def status(self) -> dict[str, Any]:
        """The body, checked to be a v1 Status with this code."""
        assert self.headers["content-type"] == JSON, self.headers
        assert int(self.headers["content-length"]) == len(self.body)
        status: dict[str, Any] = json.loads(self.body)
        assert (status["kind"], status["apiVersion"]) == ("Status", "v1")
        assert (status["status"], status["code"]) == ("Failure", self.code)
        assert status["reason"]
        assert status["message"]
        return status


def read_all(tls: ssl.SSLSocket) -> bytes:
    """All that comes until the server closes."""
    return b"".join(iter(lambda: tls.recv(65536), b""))


@contextmanager
def serving(folder: Path, *words: str, program: Path | None = None) -> Generator[Served]:
    """Run the command, or another *program* with its options, until the block ends."""
    run = [str(program)] if program else ["-m", "podgraft", "serve"]
    further = ("--key", KEY, "--host", "127.0.0.1", "--port", "0", "--workers", "1", *words)
    with subprocess.Popen(
        [sys.executable, *run, "--store", "store", "--cert", CERT, *further],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        served = None
        try:
            served = Served(process, folder)
            yield served
        finally:
            process.kill()
            process.wait(timeout=20)
            if served:
                served.output()
