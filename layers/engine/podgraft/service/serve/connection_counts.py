"""How many connections each worker has, in memory that the workers share.

All workers wait for the same listener, and the kernel wakes them all for a new connection. Without
these counts, the first worker to wake can take all persistent connections of a kube-apiserver, and
the others, with their processors, have nothing to do.
"""

import mmap
import struct

_COUNT = struct.Struct("=I")
_CLOSED = 2**32 - 1  # the count of a worker that takes no connection


class ConnectionCounts:
    """A count for each slot of a server; made before the workers are forked."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._memory = mmap.mmap(-1, slots * _COUNT.size)
        for slot in range(slots):
            self.close(slot)

    def publish(self, slot: int, count: int) -> None:
        """Set the count of a worker. A worker beyond the slots is not counted."""
        if slot < self._slots:
            _COUNT.pack_into(self._memory, slot * _COUNT.size, count)

    def close(self, slot: int) -> None:
        """Tell the others not to leave connections to this worker."""
        self.publish(slot, _CLOSED)

    def has_fewer(self, slot: int, count: int) -> bool:
        """Whether another worker has clearly fewer connections than *count*.

        A difference of an eighth is accepted, so many clients that connect at once do not wait.
        """
        counts = _COUNT.iter_unpack(self._memory[:])
        return any(
            other + other // 8 < count for number, (other,) in enumerate(counts) if number != slot
        )
