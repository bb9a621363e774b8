"""``podgraft serve`` writes no secret, whatever it is sent: HTTP or not, over TLS as in earnest."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from podgraft.cli.certs import keys, pem
from podgraft.cli.certs.keys import KeyType
from podgraft.kube.admission import MAX_REQUEST_BYTES
from secrecy.calls import SCENARIOS, Call, scenario_code, write_secret_store
from secrecy.known_secrets import MARK, find_secrets
from support.pki import Authority
from support.store_fixture import TOKEN

PROGRAM = Path(__file__).with_name("faulty_server.py")
ROOT = Path(__file__).parents[2]
CA = Authority()
LINE = f"POST /k/{TOKEN}/inject HTTP/1.1\r\nHost: a\r\n"
NO_HTTP: Sequence[tuple[str, str]] = (
    ("a request line of four words", f"POST /k/{TOKEN}/inject HTTP/1.1 x\r\n\r\n"),
    ("a method that is none", f"{TOKEN} / HTTP/1.1\r\n\r\n"),
    ("a version that is none", f"POST /k/{TOKEN}/inject HTTP/{MARK}\r\n\r\n"),
    ("a header line without a colon", f"{LINE}Authorization Bearer {TOKEN}\r\n\r\n"),
    ("a header's name with a blank", f"{LINE}Authorization Bearer {TOKEN}: x\r\n\r\n"),
    ("a header over two lines", f"{LINE}Authorization: Bearer\r\n {TOKEN}\r\n\r\n"),
    ("a header with a zero byte", f"{LINE}Authorization: Bearer {TOKEN}\0\r\n\r\n"),
    ("a length that is none", f"{LINE}Content-Length: {MARK}\r\n\r\n"),
    ("a coding that is none", f"{LINE}Transfer-Encoding: {MARK}\r\n\r\n"),
    ("an expectation", f"{LINE}Expect: {TOKEN}\r\n\r\n"),
    ("a line without an end", f"POST /k/{TOKEN}/inject?{'x' * 9000} HTTP/1.1\r\n\r\n"),
    ("headers without an end", f"{LINE}{f'A: {TOKEN}{chr(13)}{chr(10)}' * 200}\r\n"),
    (
        "a chunk that is none",
        f"{LINE}A: {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n{MARK}\r\n{MARK}\r\n",
    ),
    ("HTTP/2 without being asked", f"PRI * HTTP/2.0\r\n\r\n{TOKEN}\r\n\r\n"),
)


class ServerProcess:
    """A running server, how to reach it, and all that it wrote."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        assert process.stdout is not None
        self.process = process
        self.folder = folder
        self.first = process.stdout.readline()
        self.port = int(self.first.rsplit(":", 1)[-1])
        self.trust = ssl.create_default_context(cafile=folder / "ca.pem")

    def ask(self, call: Call) -> tuple[int, str]:
        """Call as a client of HTTP does."""
        connection = HTTPSConnection("127.0.0.1", self.port, context=self.trust, timeout=20)
        length = {"Content-Length": str(len(call.body))}
        # What is too large is answered before it is sent to its end.
        body = call.body if len(call.body) <= MAX_REQUEST_BYTES else call.body[:1000]
        try:
            connection.request(call.method, call.path, body, {**call.headers, **length})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def send(self, text: str) -> str:
        """Send invalid HTTP, and return the complete response."""
        with (
            socket.create_connection(("127.0.0.1", self.port), 20) as plain,
            self.trust.wrap_socket(plain, server_hostname="127.0.0.1") as tls,
        ):
            tls.sendall(text.encode())
            return b"".join(iter(lambda: tls.recv(65536), b"")).decode()

    def stop(self) -> str:
        """All that was written, to the end."""
        self.process.terminate()
        return self.first + "".join(self.process.communicate(timeout=20))


@pytest.fixture
def server_process(tmp_path: Path) -> Iterator[ServerProcess]:
    key = keys.make_key(KeyType.P_256)
    certificate = CA.server("127.0.0.1", key=key)
    (tmp_path / "key.pem").write_bytes(keys.encode_key(key, None))
    (tmp_path / "cert.pem").write_bytes(pem.dump_certificates([certificate]))
    (tmp_path / "ca.pem").write_bytes(pem.dump_certificates([CA.certificate]))
    write_secret_store(tmp_path / "store")
    with _start_server(tmp_path) as running:
        yield running


@contextmanager
def _start_server(folder: Path) -> Generator[ServerProcess]:
    files = ("--store", "store", "--cert", "cert.pem", "--key", "key.pem")
    place = ("--host", "127.0.0.1", "--port", "0", "--workers", "1")
    path = os.pathsep.join(str(ROOT / part) for part in ("layers/engine", "tests"))
    with subprocess.Popen(
        [sys.executable, PROGRAM, *files, *place],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": path},
    ) as process:
        try:
            yield ServerProcess(process, folder)
        finally:
            process.kill()


def test_no_request_writes_a_secret(server_process: ServerProcess) -> None:
    for scenario in SCENARIOS:
        _restore_store(server_process.folder / "store")
        scenario.store(server_process.folder / "store")
        code, body = [server_process.ask(scenario.call) for _ in range(scenario.times)][-1]
        # What was good before answers where a change is not: test_http.py is exact about these.
        assert scenario.changes or code == scenario_code(scenario), (scenario.name, body)
        assert scenario.shows or code == 200 or find_secrets(body) == [], scenario.name
    written = server_process.stop()
    assert written.count('"message":"review"') > 15
    assert find_secrets(written) == [], written


def _restore_store(store: Path) -> None:
    shutil.rmtree(store / "other", ignore_errors=True)
    (store / "auth" / "third.yaml").unlink(missing_ok=True)
    write_secret_store(store)


def test_invalid_http_is_neither_logged_nor_repeated(server_process: ServerProcess) -> None:
    for name, text in NO_HTTP:
        answer = server_process.send(text)
        assert answer.startswith("HTTP/1.1 4"), (name, answer)
        assert find_secrets(answer) == [], (name, answer)
    for _ in range(2):
        assert server_process.ask(Call(path="/readyz", method="GET"))[0] == 500
    written = server_process.stop()
    assert written.count('"message":"invalid_request"') >= len(NO_HTTP) - 2
    assert written.count('"message":"internal_error"') == 2
    assert find_secrets(written) == [], written
