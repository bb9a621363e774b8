"""The HTTPS server: gunicorn with reloaded certificates and a graceful stop."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from podgraft.cli.failure import CommandError
from podgraft.cli.serve.arbiter import BlockingArbiter
from podgraft.cli.serve.tls import ReloadingContext
from podgraft.cli.serve.worker import DEFAULT_CONNECTIONS_PER_ADDRESS, RedactingWorker

# Go's client closes an idle connection after 90 s. If the server closed it first, a review in
# transit would be lost.
KEEP_ALIVE_SECONDS = 120
GRACE_SECONDS = 35  # kube-apiserver waits at most 30 s for a review

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 — heartbeat files of gunicorn; a disk could delay them


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """The address of the server, and its limits."""

    host: str
    port: int  # 0 selects a free port
    workers: int
    threads: int
    connections_per_address: int = DEFAULT_CONNECTIONS_PER_ADDRESS  # in each worker


class Server(BaseApplication):
    """A server for one application. On SIGTERM, it completes the open requests and stops."""

    def __init__(self, app: Flask, config: ServerConfig, tls: ReloadingContext) -> None:
        self._app = app
        self._config = config
        self._tls = tls
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn, without its configuration files and environment variables."""
        for name, value in self._settings().items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Return the application. The stubs of gunicorn have a narrower WSGI type than Flask."""
        return self._app

    def run(self) -> None:
        """Serve until a signal stops the server."""
        try:
            BlockingArbiter(self).run()
        except RuntimeError as error:
            raise CommandError(f"the server did not start: {error}") from error

    def _settings(self) -> dict[str, object]:
        config = self._config
        host = f"[{config.host}]" if ":" in config.host else config.host
        return {
            "bind": f"{host}:{config.port}",
            "workers": config.workers,
            # gunicorn creates the worker, so its settings are attributes of the class.
            "worker_class": type(
                "BoundedWorker",
                (RedactingWorker,),
                {"connections_per_address": config.connections_per_address},
            ),
            "threads": config.threads,
            "keepalive": KEEP_ALIVE_SECONDS,
            "graceful_timeout": GRACE_SECONDS,
            "timeout": 2 * GRACE_SECONDS,
            "preload_app": True,
            "worker_tmp_dir": str(_SHARED_MEMORY) if _SHARED_MEMORY.is_dir() else None,
            "control_socket_disable": True,
            "loglevel": "warning",
            # The certificate enables TLS in gunicorn. The context contains the one to present.
            "certfile": str(self._tls.files.certificate),
            "keyfile": str(self._tls.files.key),
            "ssl_context": self._tls_context,
            "when_ready": _print_address,
        }

    def _tls_context(self, config: object, default: object) -> ssl.SSLContext:
        """Return the context for a new connection."""
        del config, default
        return self._tls.current()


def _print_address(arbiter: Arbiter) -> None:
    """Print the address when the server accepts connections."""
    for listener in arbiter.LISTENERS:
        host, port = listener.sock.getsockname()[:2]
        click.echo(f"podgraft listens on https://{f'[{host}]' if ':' in host else host}:{port}")
