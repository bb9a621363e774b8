"""What podgraft reads by kubectl, for machines without it: raw requests, and the kubeconfig.

Errors have kubectl's texts (k8s.io/kubectl/pkg/cmd/util/helpers.go, StandardErrorMessage). The
servers of the tests need no credentials: they take the user that the kubeconfig impersonates.
"""

import json
import os
import sys
from collections.abc import Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit


def main(words: Sequence[str]) -> int:
    """Run one command; return the exit status."""
    pairs = [word.partition("=") for word in words if word.startswith("--")]
    options = {name: value for name, _, value in pairs}
    config = json.loads(Path(options.get("--kubeconfig") or os.environ["KUBECONFIG"]).read_text())
    match [word for word in words if word == "--raw" or not word.startswith("--")]:
        case ["config", "view"]:
            sys.stdout.write(json.dumps(config))
            return 0
        case ["get", "--raw", uri]:
            return _send(config, options, "GET", uri)
        case ["create", "--raw", uri]:
            return _send(config, options, "POST", uri)
        case others:
            sys.stderr.write(f"error: raw_kubectl.py does not know {' '.join(others)}\n")
            return 1


def _send(config: Any, options: dict[str, str], method: str, uri: str) -> int:
    context = options.get("--context") or config["current-context"]
    selected = _find(config["contexts"], context)
    if selected is None:
        sys.stderr.write(f'error: context "{context}" does not exist\n')
        return 1
    server: str = _find(config["clusters"], selected["context"]["cluster"])["cluster"]["server"]
    user = _find(config["users"], selected["context"]["user"])["user"]["as"]
    path, _, query = uri.partition("?")
    fields = [*parse_qsl(query), ("timeout", options["--request-timeout"])]
    connection = HTTPConnection(urlsplit(server).netloc)
    body = sys.stdin.buffer.read() if method == "POST" else None
    url = f"{path}?{urlencode(sorted(fields))}"
    connection.request(method, url, body, {"Impersonate-User": user})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    if response.status < 400:
        sys.stdout.write(text)
        return 0
    sys.stderr.write(f"{_describe_error(response.status, text)}\n")
    return 1


def _find(entries: Sequence[Any], name: str) -> Any:
    return next((entry for entry in entries if entry["name"] == name), None)


def _describe_error(status: int, text: str) -> str:
    fields: dict[str, str] = json.loads(text) if text.startswith("{") else {}
    reason = fields.get("reason") or {403: "Forbidden", 404: "NotFound"}.get(status, "")
    message = fields.get("message") or "the server could not find the requested resource"
    return f"Error from server ({reason}): {message}" if reason else f"Error from server: {message}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
