"""A server with workers that receive SIGTERM while they boot.

Usage: signalled_server.py CERTIFICATE KEY. Each worker prints whether it still serves when its loop
starts, then stops the server.
"""

import os
import signal
import sys
from pathlib import Path

from flask import Flask

from podgraft.service.serve.https import Server, ServerConfig
from podgraft.service.serve.tls import ReloadingContext, TLSFiles
from podgraft.service.serve.worker import RedactingWorker

begin, serve = RedactingWorker.init_process, RedactingWorker.run


def init_process(self: RedactingWorker) -> None:
    """Receive the signal with the handlers of the arbiter, which this process inherits."""
    os.kill(os.getpid(), signal.SIGTERM)
    begin(self)


def run(self: RedactingWorker) -> None:
    """Print the state, and stop the arbiter too."""
    print("serves" if self.alive else "stops", flush=True)  # noqa: T201 — the test reads this line
    os.kill(os.getppid(), signal.SIGTERM)
    serve(self)


if __name__ == "__main__":
    RedactingWorker.init_process = init_process
    RedactingWorker.run = run
    tls = ReloadingContext(TLSFiles(Path(sys.argv[1]), Path(sys.argv[2])))
    place = ServerConfig(host="127.0.0.1", port=0, workers=1, threads=1)
    Server(Flask(__name__), place, tls).run()
