"""Environments of the function behind an HTTP front: one process that prints its port.

    lambda_service NUMBER    NUMBER is how many environments it starts

The front does what API Gateway does: it turns an HTTP request into an event of payload format 2.0,
passes it to a free environment, and turns the result into the response. The handler of each
environment runs in Lambda's own runtime client. One thread serves all connections, so that the
front costs less than what is measured. The process ends when its standard input is closed.

On Lambda, environments have processors of their own. Here they share one. So each response has a
header with the time in which its environment waited for the processor.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bench.runtime_api import INVOCATION_HEADERS, start_runtime_client

from .http_messages import LIMIT, WAITED_HEADER, Message, read_message, render_message
from .request_cost import read_waited_seconds

ROOT = Path(__file__).parents[2]
_HOST = "127.0.0.1"
# The runtime client needs the content type.
_EVENT_HEADERS = {"Content-Type": "application/json", **INVOCATION_HEADERS}
# A connection ends with its client, or with the service.
_ENDS = (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError)
_ACCEPTED = render_message("HTTP/1.1 202 Accepted", {}, b"{}")


class Environment:
    """The Runtime API of one environment, which processes one event at a time."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[bytes] = asyncio.Queue()
        self._results: asyncio.Queue[Message] = asyncio.Queue()
        self.pid = 0  # of the runtime client, which starts after this API

    async def invoke(self, event: bytes) -> tuple[Message, float]:
        """Pass an event to the runtime client; return what it posts, and how long it waited."""
        waited = read_waited_seconds(self.pid)
        self._events.put_nowait(event)
        message = await self._results.get()
        return message, read_waited_seconds(self.pid) - waited

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection of the runtime client."""
        try:
            while True:
                message = await read_message(reader)
                if message.start.startswith("GET "):
                    event = await self._events.get()
                    writer.write(render_message("HTTP/1.1 200 OK", _EVENT_HEADERS, event))
                else:
                    self._results.put_nowait(message)
                    writer.write(_ACCEPTED)
        except _ENDS:
            writer.close()


class Front:
    """Turns requests into events for free environments, and results into responses."""

    def __init__(self, environments: asyncio.Queue[Environment]) -> None:
        self._free = environments

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection of the generator."""
        source = writer.get_extra_info("peername")[0]
        try:
            while True:
                request = await read_message(reader)
                target = request.start.split()[1]
                event = make_event(target, request.headers, request.body, source)
                environment = await self._free.get()
                result, waited = await environment.invoke(msgspec.json.encode(event))
                self._free.put_nowait(environment)
                writer.write(make_response(result, waited))
        except _ENDS:
            writer.close()


def make_event(target: str, headers: Mapping[str, str], body: bytes, source: str) -> dict[str, Any]:
    """The event of payload format 2.0 for a POST."""
    url = urlsplit(target)
    http = {"method": "POST", "path": url.path, "protocol": "HTTP/1.1", "sourceIp": source}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": url.path,
        "rawQueryString": url.query,
        "headers": {name.lower(): value for name, value in headers.items()},
        "requestContext": {"http": http, "stage": "$default"},
        "body": body.decode("utf-8", "replace"),
        "isBase64Encoded": False,
    }


def make_response(result: Message, waited: float) -> bytes:
    """The HTTP response for what a runtime client posted: 502 for an error.

    *waited* is the wait of its environment for the processor, in seconds.
    """
    own_headers = {WAITED_HEADER: str(waited)}
    if not result.start.split()[1].endswith("/response"):
        return render_message("HTTP/1.1 502 Bad Gateway", own_headers, b"")
    returned = msgspec.json.decode(result.body)
    headers = {name.lower(): value for name, value in returned.get("headers", {}).items()}
    headers.pop("content-length", None)
    status = HTTPStatus(returned["statusCode"])
    start = f"HTTP/1.1 {status.value} {status.phrase}"
    return render_message(start, headers | own_headers, returned.get("body", "").encode())


async def run_service(number: int) -> None:
    """Serve with *number* environments until the standard input is closed."""
    variables = {
        "PYTHONPATH": str(ROOT / "layers" / "engine"),
        "PODGRAFT_STORE": os.environ["PODGRAFT_STORE"],
    }
    function = ROOT / "functions" / "webhook"
    environments: asyncio.Queue[Environment] = asyncio.Queue()
    pids: list[int] = []
    async with AsyncExitStack() as stack:
        for _ in range(number):
            environment = Environment()
            api = await asyncio.start_server(environment.serve, _HOST, 0, limit=LIMIT)
            stack.callback(api.close)
            client = stack.enter_context(
                start_runtime_client(_address(api), variables, function, output=sys.stderr.fileno())
            )
            environment.pid = client.pid
            environments.put_nowait(environment)
            pids.append(client.pid)
        front = await asyncio.start_server(Front(environments).serve, _HOST, 0, limit=LIMIT)
        stack.callback(front.close)
        port = int(_address(front).rpartition(":")[2])
        print(json.dumps({"port": port, "pids": pids}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


def _address(server: asyncio.Server) -> str:
    host, port = server.sockets[0].getsockname()
    return f"{host}:{port}"


if __name__ == "__main__":
    asyncio.run(run_service(int(sys.argv[1])))
