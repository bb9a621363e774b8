"""A server for test_https.py: podgraft's HTTPS under an app that can be slow.

Usage: slow_server.py CERTIFICATE KEY CLIENT_CA
"""

import sys
import time
from pathlib import Path

from flask import Flask, request

from podgraft.service.serve.https import Server, ServerConfig
from podgraft.service.serve.tls import ReloadingContext, TLSFiles

app = Flask(__name__)
FOLDER = Path(sys.argv[1]).parent


@app.get("/done")
def respond() -> str:
    """Answer at once."""
    return "done"


@app.get("/wait")
def respond_when_released() -> str:
    """Print that the request has begun, and answer when the file ``release`` exists."""
    print("begun", flush=True)  # noqa: T201 — the test waits for this line
    while not (FOLDER / "release").exists():
        time.sleep(0.01)
    return "done"


@app.get("/who")
def respond_with_subject() -> dict[str, object]:
    """Tell the subject of the client's certificate."""
    peer: dict[str, object] | None = request.environ["gunicorn.socket"].getpeercert()
    return {"subject": peer and peer.get("subject")}


if __name__ == "__main__":
    certificate, key, client_ca = map(Path, sys.argv[1:])
    files = TLSFiles(certificate, key, client_ca)
    place = ServerConfig(host="127.0.0.1", port=0, workers=1, threads=4)
    Server(app, place, ReloadingContext(files)).run()
