"""WSGI inside ASGI: environment and answer, message by message."""

import asyncio
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse
from wsgiref.validate import validator

import pytest

from podgraft.service.http import WsgiToAsgi

SCOPE: dict[str, Any] = {
    "type": "http",
    "method": "POST",
    "path": "/inject/größe",
    "query_string": b"timeout=10s",
    "http_version": "1.1",
    "scheme": "https",
    "server": ("injector.example.com", 443),
    "client": ("192.0.2.7", 0),
    "headers": [(b"content-type", b"application/json"), (b"x-a-b", b"1")],
    "aws.event": {"version": "2.0"},
}


def call(app: Any, *bodies: bytes) -> list[dict[str, Any]]:
    messages = [{"type": "http.request", "body": body, "more_body": True} for body in bodies]
    messages[-1]["more_body"] = False
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(WsgiToAsgi(app)(dict(SCOPE), receive, send))
    return sent


def test_the_environment_is_that_of_the_request() -> None:
    seen: dict[str, Any] = {}

    def app(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        seen.update(environ, body=environ["wsgi.input"].read())
        start_response("204 No Content", [])
        return []

    call(app, b"ab", b"c")
    assert seen["body"] == b"abc"
    wanted = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/inject/größe".encode().decode("latin-1"),
        "QUERY_STRING": "timeout=10s",
        "SERVER_NAME": "injector.example.com",
        "SERVER_PORT": "443",
        "REMOTE_ADDR": "192.0.2.7",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": "3",
        "HTTP_X_A_B": "1",
        "aws.event": {"version": "2.0"},
    }
    assert {key: seen[key] for key in wanted} == wanted


def test_the_response_is_sent_whole() -> None:
    def app(_: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        start_response("418 I'm a teapot", [("Content-Type", "text/plain"), ("X-A", "ö")])
        return [b"short ", b"and stout"]

    assert call(app, b"") == [
        {
            "type": "http.response.start",
            "status": 418,
            "headers": [(b"content-type", b"text/plain"), (b"x-a", "ö".encode("latin-1"))],
        },
        {"type": "http.response.body", "body": b"short and stout"},
    ]


@pytest.mark.filterwarnings("default")
def test_the_environment_is_one_by_the_standard() -> None:
    """wsgiref's validator checks every key and type that PEP 3333 asks for."""

    def app(_: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"ok"]

    def closing(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        answer: Any = validator(app)(environ, start_response)
        body = list(answer)
        answer.close()
        return body

    assert call(closing, b"x")[1]["body"] == b"ok"
