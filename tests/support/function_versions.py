"""Lambda and CodeDeploy on loopback: two versions of the function over one store."""

import json
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from podgraft.service.http import catch_errors, respond_to_functions
from podgraft.service.http.request_log import make_stream_log
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.server_thread import run_server

FUNCTION = "arn:aws:lambda:eu-central-1:111122223333:function:dev"
Invoke: TypeAlias = Callable[[Mapping[str, Any]], Any]
_INVOCATION = re.compile(r"/2015-03-31/functions/(.+)/invocations")
_ALIAS = re.compile(r"/2015-03-31/functions/(.+)/aliases/(.+)")


@dataclass
class Account:
    """The versions of the function, the alias, and the reports of hooks.

    ``denied`` are operations that the role does not allow.
    """

    versions: dict[str, Invoke]
    live: str = "5"
    denied: set[str] = field(default_factory=set[str])
    reports: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    invoked: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])

    def respond(self, method: str, path: str, target: str, body: Any) -> tuple[int, Any]:
        """Return the status and the document of a response; None for a failed invocation."""
        if found := _INVOCATION.fullmatch(path):
            if "InvokeFunction" in self.denied:
                return 403, {"__type": "AccessDeniedException", "message": "no"}
            function, _, number = found[1].rpartition(":")
            assert (method, function) == ("POST", FUNCTION)
            self.invoked.append((number, body["deployment_check"]))
            return 200, self.versions[number](body)
        if found := _ALIAS.fullmatch(path):
            assert found.groups() == (FUNCTION, "live")
            if "GetAlias" in self.denied:
                return 403, {"__type": "AccessDeniedException", "message": "no"}
            return 200, {"Name": "live", "FunctionVersion": self.live}
        assert target == "CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus"
        if "Report" in self.denied:
            return 400, {"__type": "AccessDeniedException", "message": "no"}
        if body in self.reports:
            return 400, {"__type": "LifecycleEventAlreadyCompletedException", "message": "again"}
        self.reports.append(body)
        return 200, {"lifecycleEventHookExecutionId": body["lifecycleEventHookExecutionId"]}


def open_version(folder: Path) -> Invoke:
    """The webhook function over a folder, as Lambda invokes it. Its log is on standard output."""
    store, callers, log = FolderStore(folder), FolderCallers(folder), make_stream_log()

    def fail(event: Any, context: object) -> dict[str, Any]:
        raise AssertionError((event, context))

    respond = respond_to_functions(store, callers, log)
    handler = catch_errors(fail, log, respond)
    return lambda event: handler(dict(event), None)


@contextmanager
def serve(account: Account) -> Generator[str]:
    """Serve the account; the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._respond(None)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            self._respond(json.loads(self.rfile.read(length)))

        def _respond(self, body: Any) -> None:
            target = self.headers.get("X-Amz-Target", "")
            status, document = account.respond(self.command, unquote(self.path), target, body)
            content = json.dumps(document).encode()
            self.send_response(status)
            if status != 200:
                self.send_header("x-amzn-ErrorType", document["__type"])
            elif document is None:
                self.send_header("X-Amz-Function-Error", "Unhandled")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as in http.server
            """Write nothing."""
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with run_server(server):
        yield f"http://127.0.0.1:{server.server_port}"
