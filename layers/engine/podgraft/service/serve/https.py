"""The HTTPS server: gunicorn with reloaded certificates and a graceful stop."""

import os
import socket
import ssl
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from podgraft.service.http import admits_body
from podgraft.service.serve.arbiter import BlockingArbiter
from podgraft.service.serve.connection_counts import ConnectionCounts
from podgraft.service.serve.tls import ReloadingContext, ServeError
from podgraft.service.serve.worker import (
    DEFAULT_CONNECTIONS_PER_ADDRESS,
    MetricsPort,
    RedactingWorker,
)

# Go's client closes an idle connection after 90 s. If the server closed it first, a review in
# transit would be lost.
KEEP_ALIVE_SECONDS = 120
GRACE_SECONDS = 35  # kube-apiserver waits at most 30 s for a review

_SHARED_MEMORY = "/dev/shm"  # noqa: S108 — for files that no disk may delay


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """The address of the server, and its limits."""

    host: str
    port: int  # 0 selects a free port
    workers: int
    threads: int
    connections_per_address: int = DEFAULT_CONNECTIONS_PER_ADDRESS  # in each worker
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None  # 0 selects a free port; used with a ``MetricsPort``


class Server(BaseApplication):
    """A server for one application. On SIGTERM, it completes the open requests and stops."""

    def __init__(
        self,
        app: Flask,
        config: ServerConfig,
        tls: ReloadingContext,
        metrics: MetricsPort | None = None,
    ) -> None:
        self._app = app
        self._metrics = metrics
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
        """Serve until a signal stops the server; raises ``ServeError`` if it does not start."""
        arbiter = BlockingArbiter(self)
        try:
            arbiter.run()
        except RuntimeError as error:
            raise ServeError(f"the server did not start: {error}") from error
        except SystemExit as error:  # gunicorn tries each address for 5 s, then exits
            if not error.code or arbiter.LISTENERS:
                raise
            raise ServeError(self._describe_exit()) from error

    def _describe_exit(self) -> str:
        """Why gunicorn exited: an address, or what it logged."""
        config = self._config
        for host, port, options in (
            (config.host, config.port, "--host or --port"),
            (config.metrics_host, config.metrics_port or 0, "--metrics-host or --metrics-port"),
        ):
            if problem := _find_problem(host, port):
                return f"cannot listen on {problem}; use another {options}"
        return "the server did not start; the last lines of its log have the reason"

    def _settings(self) -> dict[str, object]:
        config = self._config
        addresses = [_format_address(config.host, config.port)]
        if self._metrics is not None:  # the worker expects it at the end
            addresses.append(_format_address(config.metrics_host, config.metrics_port or 0))
        return {
            "bind": addresses,
            "workers": config.workers,
            # gunicorn creates the worker, so its settings are attributes of the class.
            "worker_class": type(
                "BoundedWorker",
                (RedactingWorker,),
                {
                    "connections_per_address": config.connections_per_address,
                    "admits_body": staticmethod(partial(admits_body, self._app)),
                    "metrics": self._metrics,
                    "counts": ConnectionCounts(config.workers),
                },
            ),
            "pre_fork": _assign_slot,
            "threads": config.threads,
            "keepalive": KEEP_ALIVE_SECONDS,
            "graceful_timeout": GRACE_SECONDS,
            "timeout": 2 * GRACE_SECONDS,
            "preload_app": True,
            "worker_tmp_dir": find_shared_memory(),
            "control_socket_disable": True,
            # By default, gunicorn reads FORWARDED_ALLOW_IPS, and lets a client on this machine set
            # SCRIPT_NAME and the scheme.
            "forwarded_allow_ips": "",
            "loglevel": "warning",
            # The certificate enables TLS in gunicorn. The context contains the one to present.
            "certfile": str(self._tls.files.certificate),
            "keyfile": str(self._tls.files.key),
            "ssl_context": self._tls_context,
            "when_ready": self._print_addresses,
        }

    def _tls_context(self, config: object, default: object) -> ssl.SSLContext:
        """Return the context for a new connection."""
        del config, default
        return self._tls.current()

    def _print_addresses(self, arbiter: Arbiter) -> None:
        """Print the addresses when the server accepts connections."""
        listeners: Any = arbiter.LISTENERS
        names = (listener.sock.getsockname() for listener in listeners)
        webhook, *others = (_format_address(*name[:2]) for name in names)
        for address in others:
            click.echo(f"podgraft serves metrics on http://{address}/metrics")
        click.echo(f"podgraft listens on https://{webhook}")


def find_shared_memory() -> str | None:
    """Return the folder in memory, for heartbeats and counters, if this process can write there."""
    return _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None


def _assign_slot(arbiter: Arbiter, worker: Any) -> None:
    """Number the worker: the lowest number that no running worker has."""
    workers: Any = arbiter.WORKERS.values()
    used: set[int] = {other.slot for other in workers}
    worker.slot = next(slot for slot in range(len(used) + 1) if slot not in used)


def _find_problem(host: str, port: int) -> str:
    """Return the address with the reason why no server can listen on it; empty if one can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gunicorn
        try:
            listener.bind((host, port))
        except OSError as error:
            return f"{_format_address(host, port)}: {error.strerror or error}"
    return ""


def _format_address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
