"""Silent connections to a server on loopback: one process, which prints a line when all are open.

    silence.py PORT SHAPE CONNECTIONS one|many SECONDS [TOKEN]

If the server closes a connection, the process opens another one after a pause. The process ends
after SECONDS, or when its standard input ends.
"""

import asyncio
import ssl
import sys
from contextlib import suppress
from dataclasses import dataclass

HOST = "127.0.0.1"
_PAUSE_SECONDS = 1.0  # silence is the attack, not the rate of handshakes
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Shape:
    """What a connection sends before it is silent."""

    sends: str = ""
    uses_tls: bool = True


_HEAD = "POST /inject HTTP/1.1\r\nHost: injector.example.com\r\n"
_JSON = "Content-Type: application/json\r\n"
SHAPES = {
    "no-handshake": Shape(uses_tls=False),
    "half-handshake": Shape(sends="\x16\x03\x01\x02\x00\x01", uses_tls=False),
    "idle": Shape(),
    "answered": Shape(sends="GET /ping HTTP/1.1\r\nHost: injector.example.com\r\n\r\n"),
    "half-head": Shape(sends=_HEAD),
    "half-body": Shape(sends=f"{_HEAD}{_JSON}Content-Length: 9000\r\n\r\n{{"),
    "half-body-refused": Shape(sends=f"{_HEAD}{_JSON}Content-Length: 900000\r\n\r\n{{"),
    "half-body-authenticated": Shape(
        sends=f"{_HEAD}Authorization: Bearer TOKEN\r\n{_JSON}Content-Length: 900000\r\n\r\n{{"
    ),
}


def address(number: int, addresses: str) -> str:
    """The source of a connection: loopback is a whole /8."""
    return "127.0.0.2" if addresses == "one" else f"127.7.{number // 250}.{number % 250 + 1}"


class Holder:
    """Connections that are open and silent."""

    def __init__(self, port: int, shape: Shape, token: str) -> None:
        self._port = port
        self._shape = shape
        self._bytes = shape.sends.replace("TOKEN", token).encode("latin-1")
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._tls.check_hostname = False
        self._tls.verify_mode = ssl.CERT_NONE  # an attacker does not care
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self.closed = 0

    async def hold(self, source: str, opened: asyncio.Event) -> None:
        """One connection after the other."""
        while True:
            with suppress(OSError):
                await self._one(source, opened)
            self.closed += 1
            opened.set()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _one(self, source: str, opened: asyncio.Event) -> None:
        async with self._gate:
            reader, writer = await asyncio.open_connection(
                HOST,
                self._port,
                ssl=self._tls if self._shape.uses_tls else None,
                local_addr=(source, 0),
            )
            writer.write(self._bytes)
        opened.set()
        try:
            while await reader.read(65_536):
                pass
        finally:
            writer.close()


async def hold(shape: str, connections: int, addresses: str, port: int, token: str) -> None:
    """Keep the connections open until cancelled; print once all were."""
    holder = Holder(port, SHAPES[shape], token)
    opened = [asyncio.Event() for _ in range(connections)]
    async with asyncio.TaskGroup() as group:
        for number, event in enumerate(opened):
            group.create_task(holder.hold(address(number, addresses), event))
        for event in opened:
            await event.wait()
        print("open", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        raise SystemExit


async def main(arguments: list[str]) -> None:
    """Carry out the command line, in the time that it gives."""
    port, shape, connections, addresses, seconds, *token = arguments
    with suppress(TimeoutError):
        async with asyncio.timeout(float(seconds)):
            await hold(shape, int(connections), addresses, int(port), "".join(token))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
