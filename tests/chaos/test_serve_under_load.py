"""``podgraft serve`` with reviews in flight: workers are killed, certificates renewed, SIGTERM.

The clients repeat a review whose connection ends without a response, as kube-apiserver does. None
of them may get a wrong response, and none may remain without one.
"""

from __future__ import annotations

import json
import os
import signal
import ssl
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic

import pytest

from podgraft.cli import main
from service.serve.running import JSON, PATH, REVIEW, Served, issue_token, prepare, serving

CLIENTS = 6
ROUNDS = 3
BODY = json.dumps(REVIEW).encode()


class Clients:
    """Threads that send reviews on persistent connections until they are stopped."""

    def __init__(self, served: Served, token: str) -> None:
        self._served = served
        self._headers = {"Content-Type": JSON, "Authorization": f"Bearer {token}"}
        self.stopping = Event()
        self.counts: Counter[str] = Counter()
        self.certificates: set[str] = set()
        self.lock = Lock()
        self._threads = [Thread(target=self._run, daemon=True) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _run(self) -> None:
        while not self.stopping.is_set():
            with suppress(OSError), closing(self.connect()) as connection:
                while not self.stopping.is_set():
                    self.count(self.send(connection))

    def connect(self) -> HTTPSConnection:
        context = ssl.create_default_context(cafile="certificates/ca.pem")
        return HTTPSConnection("127.0.0.1", self._served.port, context=context, timeout=30)

    def send(self, connection: HTTPSConnection) -> str:
        """What a review ended with: injected, no connection, or anything else."""
        try:
            connection.request("POST", PATH, BODY, self._headers)
            response = connection.getresponse()
            body = response.read()
        except (OSError, HTTPException):
            connection.close()
            return "repeated"
        if connection.sock is not None:
            with self.lock:
                self.certificates.add(ssl.DER_cert_to_PEM_cert(read_certificate(connection)))
        injected = response.status == 200 and "patch" in json.loads(body)["response"]
        return "injected" if injected else f"{response.status} {body[:200]!r}"

    def count(self, outcome: str) -> None:
        with self.lock:
            self.counts[outcome] += 1

    def await_more(self, number: int = 60) -> None:
        """Wait until this many more reviews have been injected."""
        wanted, give_up = self.counts["injected"] + number, monotonic() + 120
        while self.counts["injected"] < wanted:
            assert monotonic() < give_up, dict(self.counts)
            self.stopping.wait(0.01)

    def stop(self) -> Counter[str]:
        """Stop all threads; what the reviews ended with."""
        self.stopping.set()
        for thread in self._threads:
            thread.join(timeout=60)
        return self.counts


def read_certificate(connection: HTTPSConnection) -> bytes:
    """The certificate that the server presented, as DER."""
    assert isinstance(connection.sock, ssl.SSLSocket)
    return connection.sock.getpeercert(binary_form=True) or b""


Start = Callable[..., tuple[Served, Clients]]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Start]:
    """Start a server and its clients; both are stopped at the end."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    token = issue_token()
    started: list[Clients] = []

    with serving(tmp_path, "--workers", "2") as served:

        def both() -> tuple[Served, Clients]:
            started.append(Clients(served, token))
            return served, started[-1]

        yield both
        for clients in started:
            clients.stop()


def test_killed_workers_lose_no_review_that_is_repeated(start: Start) -> None:
    served, clients = start()
    clients.await_more()
    for _ in range(ROUNDS):
        victim = served.workers()[0]
        os.kill(victim, signal.SIGKILL)
        clients.await_more()
        assert victim not in served.workers()
    counts = clients.stop()
    assert set(counts) <= {"injected", "repeated"}, counts
    # Each kill ends the connections of one worker, once.
    assert counts["repeated"] <= ROUNDS * CLIENTS * 3


def test_a_renewed_certificate_breaks_no_review(start: Start) -> None:
    _, clients = start()
    clients.await_more()
    for _ in range(ROUNDS):
        assert main(["certs", "renew", "server", "--force"]) == 0
        with clients.lock:  # new connections use the new certificate
            before = len(clients.certificates)
        give_up = monotonic() + 60
        while len(clients.certificates) == before:
            assert monotonic() < give_up
            fresh = clients.connect()
            with closing(fresh):
                clients.count(clients.send(fresh))
    counts = clients.stop()
    assert set(counts) == {"injected"}, counts
    assert len(clients.certificates) > ROUNDS


def test_sigterm_with_reviews_in_flight_ends_each_of_them(start: Start) -> None:
    served, clients = start()
    clients.await_more()
    served.process.terminate()
    assert served.process.wait(timeout=60) == 0
    counts = clients.stop()
    log = served.output()
    wrong = [outcome for outcome in counts if outcome not in ("injected", "repeated")]
    assert wrong == []
    # Each review that the server logged was answered to its client, completely.
    assert log.count('"decision":"inject"') == counts["injected"]
