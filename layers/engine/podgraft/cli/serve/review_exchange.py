"""The exchange of a review, without Flask and WSGI. Its response is the same either way.

The loop itself runs it, unless the body is large or the configuration changed and must be loaded.
Reviews use the processor and wait for nothing, and one thread of a process at a time can run
Python. So if threads run them, the reviews share the processor: each one takes longer, and so does
all that the loop does meanwhile. Measured with 320 reviews/s of new workloads, p99 was 10 to 25 ms
with threads, and 4 to 6 ms without.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from gunicorn.http import wsgi
from werkzeug.http import HTTP_STATUS_CODES

from podgraft.cli.serve.connection import Connection
from podgraft.cli.serve.exchange import (
    Exchange,
    Host,
    ResponseOutput,
    make_exchange,
    report_failure,
)
from podgraft.cli.serve.framing import BodyPendingError, Message, PendingBody
from podgraft.store.folder import LoadPendingError, without_loading
from podgraft.web import JsonResponse, ReviewRequest, Webhook, find_review

# A pod has 3 to 8 KB. A larger one can take long, for example with hundreds of containers.
MAX_QUICK_BYTES = 16_384

# The rest of an exchange, which can take long.
PendingExchange: TypeAlias = Callable[[], Exchange]

# What a review reads of the head; ``web/credentials.py`` and ``web/webhook.py``.
_FIELDS = {
    "AUTHORIZATION": "HTTP_AUTHORIZATION",
    "CONTENT-TYPE": "CONTENT_TYPE",
    "CONTENT-LENGTH": "CONTENT_LENGTH",
}
_JSON = "application/json"


def begin_review(
    host: Host, connection: Connection, webhook: Webhook
) -> Exchange | PendingExchange | None:
    """Review the object of a request; return the rest of the work if it can take long.

    Returns ``None`` if the web application must serve the request.
    """
    message = connection.message
    review = message and parse_review(message, connection.client)
    if message is None or review is None:
        return None
    output: Any = ResponseOutput(connection.socket)
    environ = review.environ
    environ["gunicorn.socket"] = output
    is_large = message.body_bytes > MAX_QUICK_BYTES
    # Without the body, the loop only authenticates the caller of a large review.
    environ["wsgi.input"] = PendingBody() if is_large else message.body(connection.received)
    respond = partial(webhook.respond, review.route, review.injector, review.path, environ)
    complete = partial(_complete_review, host, connection, output, respond)
    try:
        with without_loading():
            exchange = complete()
    except LoadPendingError:
        exchange = None
    is_pending = is_large and message.is_complete(connection.received)
    if exchange is not None and not (is_pending and exchange.needs_body):
        return exchange
    environ["wsgi.input"] = message.body(connection.received)
    return complete


def parse_review(message: Message, client: tuple[Any, ...]) -> ReviewRequest | None:
    """The review of a request; ``None`` if the web application must serve it.

    It must if gunicorn or Flask would decide anything: for another method, an escaped path, a
    repeated field, or ``SCRIPT_NAME``.
    """
    request = message.request
    if request.method != "POST" or "%" in request.path or "SCRIPT_NAME" in os.environ:
        return None
    environ: dict[str, Any] = {
        "PATH_INFO": request.path,
        "QUERY_STRING": request.query,
        "REMOTE_ADDR": client[0],
    }
    for name, value in request.headers:
        key = _FIELDS.get(name)
        if key in environ or name == "SCRIPT_NAME":
            return None
        if key is not None:
            environ[key] = value
    environ.setdefault("CONTENT_TYPE", "")
    return find_review(environ)


def _complete_review(
    host: Host, connection: Connection, output: Any, respond: Callable[[], JsonResponse]
) -> Exchange:
    """Review the object, and send the response."""
    try:
        return _send(host, connection, output, respond())
    except BodyPendingError:
        return Exchange(needs_body=True)
    except Exception as error:  # noqa: BLE001  every request gets a response
        return report_failure(host, connection, error)


def _send(host: Host, connection: Connection, output: Any, reply: JsonResponse) -> Exchange:
    """Write a response as gunicorn and Flask would."""
    message: Any = connection.message
    response = wsgi.Response(message.request, output, host.cfg)
    if not (host.alive and message.is_complete(connection.received)):
        response.force_close()
    fields = [*reply.headers.items(), ("Content-Type", _JSON)]
    fields.append(("Content-Length", str(len(reply.body))))
    response.start_response(f"{reply.code} {HTTP_STATUS_CODES[reply.code].upper()}", fields)
    response.write(reply.body)
    response.close()
    return make_exchange(response, output)
