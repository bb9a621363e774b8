"""What ``podgraft serve`` logs of connections without a valid request.

An attack must be visible, and must not fill the log: single lines up to a limit, and counts for the
rest.
"""

import time
from collections import Counter
from typing import Any

WINDOW_SECONDS = 60.0
MAX_LINES = 60  # in a window; as many as failed authentications of one source


class Incidents:
    """A log of incidents for one worker. Used by one thread."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._counts = Counter[str]()
        self._lines = 0
        self._ends_seconds = time.monotonic() + WINDOW_SECONDS

    def report(self, line: str) -> None:
        """Log an incident by its own line, or count it if there were too many."""
        if self._lines < MAX_LINES:
            self._lines += 1
            self._log.warning("%s", line)
        else:
            self.count("other invalid requests")

    def count(self, kind: str) -> None:
        """Count an incident."""
        self._counts[kind] += 1

    def flush(self, now: float, *, at_once: bool = False) -> None:
        """Log the counts, once a window."""
        if now < self._ends_seconds and not at_once:
            return
        self._ends_seconds = now + WINDOW_SECONDS
        self._lines = 0
        if self._counts:
            counts = ", ".join(f"{kind}: {count}" for kind, count in sorted(self._counts.items()))
            self._log.warning("closed connections without a complete request: %s", counts)
            self._counts.clear()
