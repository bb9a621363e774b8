"""How long a review waits for AWS that does not answer: measured, on sockets that stay silent.

Addresses that take a connection and say nothing, or take none at all. Outside of these bounds is
what no clock here sees: the start of the interpreter (``make bench``), compiling a bundle once it
is there, and a name that is never resolved, which ``test_clients.py`` measures.
"""

import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from time import monotonic

import pytest
from flask.testing import FlaskClient

from podgraft.service.http import Auth, create_app
from podgraft.service.store.aws import clients, s3, ssm
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.store import CachedStore
from support.recorded_requests import load_request
from support.store_fixture import TOKEN

COLD_SECONDS = 2.0
STARTS = 5
BODY = load_request("24-bearer-token").body
ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_ENDPOINT_URL": "http://aws.example:80",
}


@contextmanager
def nowhere(monkeypatch: pytest.MonkeyPatch, *, full: bool) -> Generator[None]:
    """A name of AWS with several addresses, none of which answers.

    A *full* one takes no connection: its queue is, so that the kernel drops who comes.
    """
    with ExitStack() as open_:
        backlog = 0 if full else 64
        servers = [
            open_.enter_context(socket.create_server(("127.0.0.1", 0), backlog=backlog))
            for _ in range(4)
        ]
        for server in servers if full else []:
            for _ in range(4):
                waiting_ = open_.enter_context(socket.socket())
                waiting_.setblocking(False)
                waiting_.connect_ex(server.getsockname())
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", s.getsockname()) for s in servers]

        def resolve_name(*_: object, **__: object) -> list[object]:
            return list(found)

        monkeypatch.setattr(socket, "getaddrinfo", resolve_name)
        for name, value in ENVIRONMENT.items():
            monkeypatch.setenv(name, value)
        yield


def make_function(refresh_seconds: float = 30.0, *, auth: Auth = Auth.TOKEN) -> FlaskClient:
    parameter_store, object_store = clients.make_clients()
    parameters = ssm.ParameterReader(parameter_store, "/podgraft")
    store = CachedStore(parameters, s3.BundleReader(object_store, "b", "p/"), refresh_seconds)
    callers = CachedCallers(parameters, refresh_seconds)
    return create_app(store, callers, auth=auth, request_log=lambda _: None).test_client()


@pytest.mark.parametrize("auth", [Auth.TOKEN, Auth.NONE])
@pytest.mark.parametrize("full", [True, False], ids=["no connection", "no answer"])
def test_a_cold_start_with_everything_out_of_reach_is_reported_in_time(
    full: bool, auth: Auth, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best of a few starts counts: a busy machine stalls one of them, not all."""
    with nowhere(monkeypatch, full=full):
        for _ in range(STARTS):
            started = monotonic()
            answer = make_function(auth=auth).post(
                "/inject?timeout=10s",
                data=BODY,
                content_type="application/json",
                headers={"Authorization": f"Bearer {TOKEN}"},
            )
            took = monotonic() - started
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
            if took < COLD_SECONDS:
                return
    raise AssertionError(f"{STARTS} starts took longer than {COLD_SECONDS} s")
