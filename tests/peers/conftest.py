"""No network: every attempt to reach another host, or to start a program, is an error."""

import sys
from collections.abc import Generator

import pytest

_EVENTS = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostby",
    "socket.sendto",
    "os.exec",
    "os.posix_spawn",
    "os.system",
    "subprocess.Popen",
)
_attempts: list[str] = []
_blocked: list[bool] = []


def _audit(event: str, _: object) -> None:
    if _blocked and event.startswith(_EVENTS):
        _attempts.append(event)
        raise PermissionError(f"{event}: the network is blocked")


@pytest.fixture(scope="session")
def audit_hook() -> None:
    """Install the hook once: Python cannot remove it."""
    sys.addaudithook(_audit)


@pytest.fixture
def offline(audit_hook: None) -> Generator[list[str]]:
    """Block the network; the attempts of a test, which must be none, even if it hides the error."""
    del audit_hook
    _attempts.clear()
    _blocked.append(True)
    yield _attempts
    _blocked.clear()
    assert _attempts == []
