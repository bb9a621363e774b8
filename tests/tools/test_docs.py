"""Every command that the pages about certificates and registration show is run."""

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("certificates.md", "registration.md")

_BLOCK = re.compile(r"^```(console|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ARN = "arn:aws:acm:eu-central-1:123456789012:certificate/00000000-0000-4000-8000-000000000000"

# Stands for a cluster: what is applied is what is there.
_KUBECTL = """#!/bin/sh
case "$1" in
  apply) cat "$4" > applied.yaml ;;
  get) cat applied.yaml ;;
  label) test "$2" = namespace ;;
  *) exit 1 ;;
esac
"""

# A server that is started in the background is awaited while it runs, and ended with the page.
_PRELUDE = """set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
await() { until (exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null; do kill -0 $!; sleep 0.1; done; }
"""


class _CertificateManager(BaseHTTPRequestHandler):
    """Stands for AWS Certificate Manager."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        known = self.headers["X-Amz-Target"] == "CertificateManager.ImportCertificate"
        body = f'{{"CertificateArn": "{_ARN}"}}'.encode()
        self.send_response(200 if known else 400)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the base's name
        del format, args


@pytest.fixture
def aws() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _CertificateManager) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_works(page: str, aws: str, tmp_path: Path) -> None:
    for name in ("scripts", "samples"):
        (tmp_path / name).symlink_to(ROOT / name)
    kubectl = tmp_path / "bin" / "kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(_KUBECTL)
    kubectl.chmod(0o755)
    environment = {
        "PATH": f"{kubectl.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "AWS_ENDPOINT_URL": aws,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
    }
    commands = _commands((ROOT / "docs" / page).read_text(), tmp_path)
    assert len(commands) > 5
    result = subprocess.run(
        ["bash", "-xc", _script(commands)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def _commands(text: str, folder: Path) -> list[str]:
    """The commands of the page; its YAML files, named in their first line, are written."""
    commands: list[str] = []
    for language, block in _BLOCK.findall(text):
        if language == "yaml":
            name, content = block.split("\n", 1)
            (folder / name.removeprefix("# ")).write_text(content)
        else:
            lines = block.splitlines()
            commands += [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return commands


def _script(commands: list[str]) -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    lines = [f"{line}\nawait 8443" if line.endswith("&") else line for line in commands]
    return _PRELUDE + "\n".join(lines).replace("8443", port)
