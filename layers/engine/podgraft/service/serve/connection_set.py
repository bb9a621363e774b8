"""All connections of a worker, and the selection of one to close if there is no room.

A new connection is always accepted, and a silent one is closed for it. Otherwise, one client with
many silent connections could lock out all others. A client that sends its review at once is done
before its connection is the oldest.
"""

from collections.abc import Iterable, Iterator

from podgraft.service.serve.connection import Connection, Phase

_WORKING = frozenset({Phase.SERVING, Phase.SENDING})


class ConnectionSet:
    """Connections in the order of their last use, by source."""

    def __init__(self, capacity: int, per_address: int) -> None:
        self._capacity = capacity
        self._per_address = per_address
        self._connections: dict[Connection, None] = {}  # in order of the last use
        self._by_source: dict[str, dict[Connection, None]] = {}

    def __len__(self) -> int:
        return len(self._connections)

    def __contains__(self, connection: Connection) -> bool:
        return connection in self._connections

    def __iter__(self) -> Iterator[Connection]:
        """Iterate over a copy, so connections can be closed meanwhile."""
        return iter(tuple(self._connections))

    def add(self, connection: Connection) -> None:
        """Add a connection as the most recent one."""
        self._connections[connection] = None
        self._by_source.setdefault(connection.source, {})[connection] = None

    def remove(self, connection: Connection) -> bool:
        """Remove a connection; whether it was here."""
        if connection not in self._connections:
            return False
        del self._connections[connection]
        group = self._by_source[connection.source]
        del group[connection]
        if not group:
            del self._by_source[connection.source]
        return True

    def renew(self, connection: Connection) -> None:
        """Make a connection the most recent one."""
        if self.remove(connection):
            self.add(connection)

    def has_room(self, source: str) -> bool:
        """Whether another connection of *source* fits."""
        return (
            len(self._connections) < self._capacity
            and len(self._by_source.get(source, ())) < self._per_address
        )

    def find_victim(self, source: str | None) -> Connection | None:
        """Find the connection to close for another one of *source*; None if all are in use.

        If the source has more than its share, one of its own is closed. Otherwise, it is the
        oldest connection of all without a review.
        """
        group = self._by_source.get(source, {}) if source is not None else {}
        if len(group) >= self._per_address:
            return _select(group)
        return _select(self._connections)


def _select(connections: Iterable[Connection]) -> Connection | None:
    oldest: Connection | None = None
    for connection in connections:
        if connection.phase in _WORKING:
            continue
        if not connection.is_proven:
            return connection
        oldest = oldest or connection
    return oldest
