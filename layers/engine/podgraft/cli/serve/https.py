"""A WSGI app over HTTPS by gunicorn: certificates reloaded, open requests finished at the end."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from podgraft.cli.serve.tls import ReloadingContext
from podgraft.cli.serve.worker import DEFAULT_CONNECTIONS_PER_ADDRESS, RedactingWorker

# Go's client keeps an idle connection for 90 s: it must be the one that closes, or a review that is
# just being sent is lost.
KEEP_ALIVE_SECONDS = 120
GRACE_SECONDS = 35  # kube-apiserver waits 30 s at most for a review

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 — for gunicorn's heartbeats, which a disk could delay


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """Where an app is served, and how much of it at once."""

    host: str
    port: int  # 0 lets the system choose
    workers: int
    threads: int
    connections_per_address: int = DEFAULT_CONNECTIONS_PER_ADDRESS  # in each worker


class Server(BaseApplication):
    """One app at one place until it is told to stop: SIGTERM ends it, the open requests first."""

    def __init__(self, app: Flask, config: ServerConfig, tls: ReloadingContext) -> None:
        self._app = app
        self._config = config
        self._tls = tls
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn up; neither its files nor its environment variables are read."""
        for name, value in self._settings().items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The app; gunicorn's stubs know a narrower WSGI than Flask and the standard library."""
        return self._app

    def _settings(self) -> dict[str, object]:
        config = self._config
        host = f"[{config.host}]" if ":" in config.host else config.host
        return {
            "bind": f"{host}:{config.port}",
            "workers": config.workers,
            # gunicorn makes the worker itself: what is ours reaches it by the class.
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
            # With a certificate gunicorn speaks TLS; which one it is, the context decides.
            "certfile": str(self._tls.files.certificate),
            "keyfile": str(self._tls.files.key),
            "ssl_context": self._tls_context,
            "when_ready": _print_address,
        }

    def _tls_context(self, config: object, default: object) -> ssl.SSLContext:
        """What gunicorn asks for at every connection."""
        del config, default
        return self._tls.current()


def _print_address(arbiter: Arbiter) -> None:
    """Say where, once connections are accepted: with port 0 nobody else knows."""
    for listener in arbiter.LISTENERS:
        host, port = listener.sock.getsockname()[:2]
        click.echo(f"podgraft listens on https://{f'[{host}]' if ':' in host else host}:{port}")
