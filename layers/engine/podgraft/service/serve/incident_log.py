"""What ``podgraft serve`` logs of connections without a valid request, as lines of JSON.

An attack must be visible, and must not fill the log: single lines up to a limit, and counts for the
rest.
"""

from collections import Counter
from collections.abc import Mapping

from podgraft.base import system
from podgraft.service.http import RequestLog

WINDOW_SECONDS = 60.0
MAX_LINES = 60  # in a window; as many as failed authentications of one source

_DISTRUST = (
    "the client does not trust this certificate; compare caBundle of its registration with the CA "
    "of the certificate (podgraft status --test)"
)
# By the reason of OpenSSL. Alerts are the opinion of the client.
_PROBLEMS: Mapping[str, str] = {
    "TLSV1_ALERT_UNKNOWN_CA": _DISTRUST,
    "SSLV3_ALERT_BAD_CERTIFICATE": _DISTRUST,
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": _DISTRUST,
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": (
        "this certificate has expired for the client; renew it (podgraft certs renew), and check "
        "the clock of the client"
    ),
    "CERTIFICATE_VERIFY_FAILED": (
        "the certificate of the client is not signed by --client-ca, has expired, or is not for "
        "clients; create it with podgraft certs client"
    ),
    "HTTP_REQUEST": "the client sent HTTP without TLS; use https://",
    "UNSUPPORTED_PROTOCOL": "the client offers TLS 1.1 or earlier; use TLS 1.2 or later",
}
_OTHER_PROBLEM = "the client and the server found no common TLS parameters; check the client"


class Incidents:
    """A log of incidents for one worker. Used by one thread."""

    def __init__(self, log: RequestLog) -> None:
        self._log = log
        self._counts = Counter[str]()
        self._tls_failures = Counter[str]()
        self._lines = 0
        self._ends_seconds = system.monotonic() + WINDOW_SECONDS

    def report(self, event: str, source: str, problem: str) -> None:
        """Log an incident by its own line, or count it if there were too many."""
        if self._lines < MAX_LINES:
            self._lines += 1
            self._write(event, source=source, message=problem)
        else:
            self.count("other invalid requests")

    def report_tls_failure(self, reason: str, source: str) -> None:
        """Log the first failed handshake of a kind in a window, and count the others.

        *reason* is that of OpenSSL.
        """
        if reason in self._tls_failures:
            self._tls_failures[reason] += 1
            return
        self._tls_failures[reason] = 0
        self._write_tls_failure(reason, 1, source)

    def count(self, kind: str) -> None:
        """Count an incident."""
        self._counts[kind] += 1

    def flush(self, now: float, *, at_once: bool = False) -> None:
        """Log the counts, once a window."""
        if now < self._ends_seconds and not at_once:
            return
        self._ends_seconds = now + WINDOW_SECONDS
        self._lines = 0
        for reason, count in sorted(self._tls_failures.items()):
            if count:
                self._write_tls_failure(reason, count, None)
        self._tls_failures.clear()
        if self._counts:
            counts = ", ".join(f"{kind}: {count}" for kind, count in sorted(self._counts.items()))
            self._write("connections_closed", message=f"without a complete request: {counts}")
            self._counts.clear()

    def _write_tls_failure(self, reason: str, count: int, source: str | None) -> None:
        problem = _PROBLEMS.get(reason, _OTHER_PROBLEM)
        self._write("tls_failure", kind=reason, count=count, source=source, message=problem)

    def _write(self, event: str, **fields: str | int | None) -> None:
        self._log({"event": event, "level": "WARNING", **fields})
