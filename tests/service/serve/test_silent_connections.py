"""Silent connections, in every shape and from one or many addresses, stop no review."""

import json
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bench import silence
from service.serve import key_updates
from service.serve.running import PATH, REVIEW, Served, issue_token, prepare, serving

# More than threads by far; tools/silence.py measures with 500.
SILENT = 100
THREADS = 2
REVIEWS = 10
PROGRAM = Path(silence.__file__)
KEY_UPDATES = Path(key_updates.__file__)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """One server for all shapes: what one leaves behind, the next one meets."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.chdir(folder)
        prepare(folder)
        token = issue_token()
        options = ("--threads", str(THREADS), "--connections-per-address", "60")
        yield stack.enter_context(serving(folder, *options)), token


@contextmanager
def silent(port: int, shape: str, addresses: str, token: str) -> Generator[None]:
    """Hold silent connections until the block ends."""
    command = [sys.executable, PROGRAM, str(port), shape, str(SILENT), addresses, "120", token]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"open\n"
            yield
        finally:
            process.kill()


@pytest.mark.parametrize("addresses", ["one", "many"])
@pytest.mark.parametrize("shape", silence.SHAPES)
def test_reviews_are_answered_meanwhile(
    shape: str, addresses: str, served: tuple[Served, str]
) -> None:
    """On a connection that stays and on new ones; each within the 20 s of its socket."""
    server, token = served
    bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with server.connect() as kept:

        def review() -> int:
            kept.request("POST", PATH, json.dumps(REVIEW), bearer)
            response = kept.getresponse()
            assert "patch" in json.loads(response.read())["response"]
            return kept.sock.getsockname()[1]

        before = review()
        with silent(server.port, shape, addresses, token):
            for _ in range(REVIEWS):
                assert review() == before
                assert server.ask("POST", PATH, **bearer)[0] == 200


def test_a_client_that_only_changes_its_key_is_disconnected(
    served: tuple[Served, str],
) -> None:
    """A read of OpenSSL from a socket would not return, and the loop would serve no one."""
    server, _ = served
    command = [sys.executable, KEY_UPDATES, str(server.port)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
    assert int(result.stdout) < key_updates.MAX_UPDATES // 10
    assert server.ask("GET", "/ping") == (200, "pong")
