"""Whether a server accepts TLS 1.1, which RFC 8996 deprecates.

This module writes the ClientHello itself, because OpenSSL on this machine can reject old versions.
It sends no other message, and no data.
"""

import contextlib
import ipaddress
import os
import socket
import struct

from podgraft.cli.certs.endpoint import TIMEOUT_SECONDS, Address
from podgraft.cli.certs.errors import CertificateError

_TLS_1_0, _TLS_1_1 = 0x0301, 0x0302
_HANDSHAKE_RECORD, _CLIENT_HELLO, _SERVER_HELLO = 22, 1, 2
_RECORD_HEADER_BYTES = 5
# Type, length, and version of a ServerHello.
_HELLO_BYTES = 6

# Suites of TLS 1.1 for ECDSA and RSA certificates.
_SUITES = (0xC009, 0xC00A, 0xC013, 0xC014, 0x0033, 0x0039, 0x002F, 0x0035, 0xC008, 0xC012, 0x000A)
_GROUPS = (29, 23, 24)
_SERVER_NAME, _SUPPORTED_GROUPS, _POINT_FORMATS, _RENEGOTIATION = 0, 10, 11, 0xFF01


def accepts_tls_1_1(address: Address) -> bool:
    """Whether the server answers a ClientHello of TLS 1.1 with a ServerHello.

    Raises ``CertificateError`` if the server does not accept a connection.
    """
    try:
        connection = socket.create_connection((address.host, address.port), TIMEOUT_SECONDS)
    except OSError as error:
        raise CertificateError(
            f"{address}: no connection: {error.strerror or error}; start the endpoint, or check "
            "--url and the network"
        ) from error
    reply = b""
    # An alert, a reset, and silence are all rejections.
    with connection, contextlib.suppress(OSError):
        connection.sendall(_client_hello(address.host))
        while len(reply) < _RECORD_HEADER_BYTES + _HELLO_BYTES:
            received = connection.recv(_RECORD_HEADER_BYTES + _HELLO_BYTES - len(reply))
            if not received:
                break
            reply += received
    return _is_old_server_hello(reply)


def _is_old_server_hello(reply: bytes) -> bool:
    if len(reply) < _RECORD_HEADER_BYTES + _HELLO_BYTES or reply[0] != _HANDSHAKE_RECORD:
        return False
    hello = reply[_RECORD_HEADER_BYTES:]
    [version] = struct.unpack("!H", hello[4:6])
    return hello[0] == _SERVER_HELLO and version <= _TLS_1_1


def _client_hello(host: str) -> bytes:
    suites = _pack_numbers(_SUITES)
    body = (
        struct.pack("!H", _TLS_1_1)
        + os.urandom(32)
        + b"\0"  # no session
        + _prefix_length(suites, 2)
        + b"\1\0"  # no compression
        + _prefix_length(_extensions(host), 2)
    )
    message = bytes([_CLIENT_HELLO]) + _prefix_length(body, 3)
    return struct.pack("!BH", _HANDSHAKE_RECORD, _TLS_1_0) + _prefix_length(message, 2)


def _extensions(host: str) -> bytes:
    extensions = (
        _extension(_SUPPORTED_GROUPS, _prefix_length(_pack_numbers(_GROUPS), 2))
        + _extension(_POINT_FORMATS, b"\1\0")
        + _extension(_RENEGOTIATION, b"\0")
    )
    if _is_ip_address(host):
        return extensions
    name = b"\0" + _prefix_length(host.encode("idna"), 2)
    return _extension(_SERVER_NAME, _prefix_length(name, 2)) + extensions


def _extension(kind: int, content: bytes) -> bytes:
    return struct.pack("!H", kind) + _prefix_length(content, 2)


def _prefix_length(content: bytes, octets: int) -> bytes:
    return len(content).to_bytes(octets, "big") + content


def _pack_numbers(numbers: tuple[int, ...]) -> bytes:
    return struct.pack(f"!{len(numbers)}H", *numbers)


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
