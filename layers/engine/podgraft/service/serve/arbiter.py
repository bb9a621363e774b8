"""gunicorn's arbiter, with workers that receive a stop signal at any time.

The hazard. A new worker starts as a copy of the arbiter, with its signal handlers. Until it has
installed its own, the copied handler puts SIGTERM into a queue that no one reads. The worker then
serves on, and the arbiter kills it after the graceful timeout.

So the arbiter blocks these signals while it forks. The worker unblocks them after it has installed
its handlers (``worker.py``). Until then, the operating system keeps them pending.
"""

import signal

from gunicorn.arbiter import Arbiter

STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGQUIT, signal.SIGINT})


class BlockingArbiter(Arbiter):
    """An arbiter that blocks stop signals while it forks."""

    def spawn_worker(self) -> int:
        """Fork a worker. In the worker, this function does not return."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock_stop_signals() -> None:
    """Receive the stop signals again, the pending ones first."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
