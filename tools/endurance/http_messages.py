"""HTTP/1.1 messages with a Content-Length, read from asyncio streams."""

import asyncio
from typing import NamedTuple

LIMIT = 1 << 20  # bytes that a stream reads before its reader takes them
# How long an environment waited for the processor that it shares, in seconds.
WAITED_HEADER = "x-waited-seconds"


class Message(NamedTuple):
    """A request or a response: its first line, its headers by lowercase name, and its body."""

    start: str
    headers: dict[str, str]
    body: bytes


async def read_message(reader: asyncio.StreamReader) -> Message:
    """The next message; IncompleteReadError at the end of the stream."""
    head = await reader.readuntil(b"\r\n\r\n")
    start, *lines = head[:-4].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Message(start, headers, body)


def render_message(start: str, headers: dict[str, str], body: bytes) -> bytes:
    """The bytes of a message."""
    lines = [start, *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode("latin-1") + body
