"""SAM and the endpoint of a stack for a page whose commands deploy it to the AWS of this machine.

The commands are those of the page. ``sam`` adds what this AWS requires, and the stack has an
address of loopback as its output, which forwards to the API of the stack.
"""

import json
import shlex
import ssl
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from e2e.aws.cloud import ARCHITECTURE, RUNTIME, Cloud, Stack, Stage, adapt_template
from support.server_thread import run_server, use_tls

_SAM = """\
case "$1" in
  build)
    PODGRAFT_RUNTIME={runtime} PODGRAFT_ARCHITECTURE={architecture} \\
      {sam} "$@" --parameter-overrides Architecture={architecture}
    PYTHONPATH={tests} {python} -m e2e.aws.page_cloud .aws-sam/build/template.yaml {endpoint} ;;
  deploy) {sam} "$@" --no-confirm-changeset --parameter-overrides {overrides} ;;
  delete) {sam} "$@" --no-prompts ;;
esac
"""


@contextmanager
def serve_stacks(cloud: Cloud) -> Generator[str]:
    """Forward HTTPS requests to the API of the only stack; the URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Send the request with the name of the API, and return its response."""
            content = self.rfile.read(int(self.headers["Content-Length"]))
            names = ("Authorization", "Content-Type")
            headers = {name: self.headers[name] for name in names if name in self.headers}
            answer = _find_stack(cloud).call("POST", self.path, content, headers)
            data = json.dumps(answer.body).encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cloud.home / "server.pem", cloud.home / "server.key")
        use_tls(server, context)
        server.daemon_threads = True
        with run_server(server):
            yield f"https://localhost:{server.server_port}"


def _find_stack(cloud: Cloud) -> Stack:
    [api] = cloud.client("apigatewayv2").get_apis()["Items"]
    return Stack(cloud=cloud, name=api["Name"], outputs={"Endpoint": api["ApiEndpoint"]})


def render_sam(cloud: Cloud, endpoint: str) -> str:
    """The body of a program ``sam`` that deploys to the AWS of this machine."""
    return _SAM.format(
        sam=cloud.sam,
        runtime=RUNTIME,
        architecture=ARCHITECTURE,
        tests=Path(__file__).parents[2],
        python=sys.executable,
        endpoint=endpoint,
        overrides=shlex.join(Stage("default").overrides),
    )


if __name__ == "__main__":
    adapt_template(Path(sys.argv[1]), sys.argv[2])
