"""Who goes if there is no room: silence first, and never a review at work."""

from typing import Any

import pytest

from podgraft.service.serve.connection import Connection, Phase, source_of
from podgraft.service.serve.connection_set import ConnectionSet


def connection(source: str, phase: Phase = Phase.HEAD, *, proven: bool = False) -> Connection:
    socket: Any = None
    made = Connection(socket, (source, 1), ("127.0.0.1", 443), source)
    made.phase, made.is_proven = phase, proven
    return made


def of(*connections: Connection, capacity: int = 3, share: int = 3) -> ConnectionSet:
    made = ConnectionSet(capacity, share)
    for each in connections:
        made.add(each)
    return made


def test_the_oldest_silent_connection_makes_room() -> None:
    proven = connection("a", Phase.IDLE, proven=True)
    first, second = connection("b", Phase.HANDSHAKE), connection("c", Phase.IDLE)
    made = of(proven, first, second)
    assert not made.has_room("d")
    assert made.find_victim("d") is first
    assert made.remove(first)
    assert made.has_room("d")
    assert not made.remove(first)


def test_an_address_with_more_than_its_share_pays_itself() -> None:
    silent = connection("a")
    first, second = connection("b"), connection("b")
    made = of(silent, first, second, capacity=10, share=2)
    assert made.has_room("a")
    assert not made.has_room("b")
    assert made.find_victim("b") is first
    assert len(made) == 3


def test_proven_connections_go_last_and_the_one_used_longest_ago_first() -> None:
    first, second = (connection("a", Phase.IDLE, proven=True) for _ in range(2))
    made = of(first, second)
    made.renew(first)
    assert made.find_victim("b") is second
    made.add(silent := connection("b", Phase.BODY))
    assert made.find_victim("b") is silent


@pytest.mark.parametrize("phase", [Phase.SERVING, Phase.SENDING])
def test_no_connection_at_work_is_closed(phase: Phase) -> None:
    made = of(connection("a", phase), connection("a", phase), connection("a", phase))
    assert made.find_victim("a") is None
    assert made.find_victim(None) is None


SOURCES: tuple[tuple[Any, str], ...] = (
    (("192.0.2.7", 1), "192.0.2.7"),
    (("2001:db8:1:2:3:4:5:6", 1, 0, 0), "2001:db8:1:2::/64"),
    (("2001:db8:1:2::9", 1, 0, 0), "2001:db8:1:2::/64"),
    (("::ffff:192.0.2.7", 1, 0, 0), "192.0.2.7"),
    (("fe80::1%eth0", 1, 0, 2), "fe80::/64"),
    ("", "unknown"),
    (("", 0), "unknown"),
)


@pytest.mark.parametrize(("client", "source"), SOURCES)
def test_a_source_is_what_a_host_owns(client: Any, source: str) -> None:
    assert source_of(client) == source
