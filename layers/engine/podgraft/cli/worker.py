"""gunicorn's worker, but for what it says of calls that it cannot read: they may hold tokens."""

import ssl
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from gunicorn import util
from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import ThreadWorker

from podgraft.web import trace


class Worker(ThreadWorker):
    """Tells what kind of fault it was, where gunicorn's own repeats the request to log and caller.

    A request line holds a path token, a header line a bearer token.
    """

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a call that is no HTTP, or at which the application failed."""
        del req
        source = addr[0] if addr else "nowhere"
        if isinstance(exc, (ParseException, ssl.SSLError)):
            status = HTTPStatus.BAD_REQUEST
            self.log.warning("a call from %s is no HTTP: %s", source, type(exc).__name__)
        else:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            self.log.error("a call from %s failed: %s", source, trace(exc))
        with suppress(OSError):  # the caller may be gone
            util.write_error(client, status.value, status.phrase, "")
