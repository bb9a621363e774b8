"""``podgraft serve``: serve admission reviews over HTTPS from a folder, without AWS.

The folder is a store (``service/store/folder/store.py``). The server reloads policies, bundles,
callers,
and certificates when they change. If a version does not load, the last known good version remains
in force, in all workers and, with ``--state``, after a restart.
"""

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import click

from podgraft.cli import command_help
from podgraft.cli.certs.keys import read_passphrase
from podgraft.cli.certs.options import passphrase_file as passphrase_option
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.shared_options import FILE, FOLDER, NEW_FOLDER, NonEmptyPath, number_option
from podgraft.cli.startup_check import Survey, all_lines, certificate_survey, survey
from podgraft.core.signing.signature import InvalidKeyError
from podgraft.core.signing.verifier import Verifier, make_verifier
from podgraft.core.versions.snapshot import Store
from podgraft.service.http import Auth, create_app
from podgraft.service.http.request_log import make_stream_log
from podgraft.service.serve.https import Server, ServerConfig, find_shared_memory
from podgraft.service.serve.tls import ReloadingContext, ServeError, TLSFiles
from podgraft.service.serve.worker import DEFAULT_CONNECTIONS_PER_ADDRESS, MetricsPort
from podgraft.service.store import CallerStore, FolderStoreConfig, open_census
from podgraft.service.store.folder import FolderCallers, FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore

if TYPE_CHECKING:
    from podgraft.service.serve.metrics import WorkerMetrics

DEFAULT_PORT = 8443


@command_help.command("serve")
@click.option(
    "--store",
    "folder",
    type=FOLDER,
    required=True,
    help="Folder with INJECTOR/policy.yaml, INJECTOR/bundle/, and auth/CLUSTER.yaml.",
)
@click.option(
    "--state",
    type=NonEmptyPath(file_okay=False, writable=True),
    help="Folder for the last known good versions, to use them after a restart.",
)
@click.option("--cert", type=FILE, required=True, help="Certificate chain of the server, PEM.")
@click.option("--key", type=FILE, required=True, help="Private key of the certificate, PEM.")
@passphrase_option
@click.option(
    "--client-ca", type=FILE, help="CA certificates that verify client certificates, PEM."
)
@click.option(
    "--auth",
    type=click.Choice([auth.value for auth in Auth]),
    help="Authentication mode; default: token, or mtls with --client-ca.",
)
@click.option("--host", default="0.0.0.0", help="Address to listen on.")  # noqa: S104
@number_option(
    "--port",
    minimum=0,
    maximum=65535,
    default=DEFAULT_PORT,
    text="Port to listen on; 0 selects a free port.",
)
@number_option(
    "--workers",
    default=2,
    text="Number of processes. A review uses one processor, so use one worker per processor.",
)
@number_option(
    "--threads",
    default=2,
    text="Threads of each worker: one reviews while another reads the store or a large object. "
    "With more, the slowest reviews take longer.",
)
@number_option(
    "--connections-per-address",
    default=DEFAULT_CONNECTIONS_PER_ADDRESS,
    text="Maximum number of connections per client address in each worker.",
)
@click.option(
    "--signer",
    type=FILE,
    help="One or two public keys, PEM. With them, the server loads only signed policies.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Port of /metrics for Prometheus, with plain HTTP; default: no metrics.",
)
@click.option(
    "--metrics-host",
    default="127.0.0.1",
    help="Address of the metrics port. Its clients can read the names of clusters.",
)
@click.option(
    "--census",
    type=NEW_FOLDER,
    help="Folder of recorded workloads, for injectors with a census; default: no recording.",
)
@click.option("--check", is_flag=True, help="Report the injectors and clusters, and exit.")
def command(  # noqa: PLR0913 — one parameter per option
    *,
    folder: Path,
    state: Path | None,
    cert: Path,
    key: Path,
    passphrase_file: Path | None,
    client_ca: Path | None,
    auth: str | None,
    signer: Path | None,
    metrics_port: int | None,
    census: Path | None,
    check: bool,
    **server: Any,
) -> None:
    """Serve admission reviews over HTTPS, without AWS.

    The command first loads every injector, renders sample pods, and reports the injectors and
    clusters. It stops with an error if no injector loads or the certificate is not valid. With
    --check, the exit status is 1 if anything does not load.

    On SIGTERM, the server completes the open requests and exits. Port 0 selects a free port.
    """
    mode = _auth_mode(auth, client_ca)
    with convert_errors(ServeError):
        tls = ReloadingContext(TLSFiles(cert, key, client_ca, read_passphrase(passphrase_file)))
    if check:
        _check_store(folder, tls, mode, signer)
        return
    config = ServerConfig(metrics_port=metrics_port, **server)
    with nullcontext(state) if state else _temporary_folder() as state_folder:
        last_known_good = FileLastKnownGoodStore(state_folder)
        verifier = _read_verifier(signer)
        store = FolderStore(folder, last_known_good=last_known_good, verifier=verifier)
        _run_server(store, FolderStoreConfig(folder, census), tls, config, mode)


def _check_store(folder: Path, tls: ReloadingContext, mode: Auth, signer: Path | None) -> None:
    """Report everything, without the last known good versions, which would hide errors."""
    store = FolderStore(folder, verifier=_read_verifier(signer))
    surveyed = survey(folder, store, FolderCallers(folder), mode)
    _report(surveyed, certificate_survey(tls), check=True)


def _run_server(
    store: FolderStore,
    backing: FolderStoreConfig,
    tls: ReloadingContext,
    config: ServerConfig,
    mode: Auth,
) -> None:
    callers = FolderCallers(backing.path)
    _report(survey(backing.path, store, callers, mode), certificate_survey(tls), check=False)
    with ExitStack() as stack:
        log, metrics = make_stream_log(), None
        if config.metrics_port is not None:
            counters = stack.enter_context(_open_metrics(config.workers))
            log = counters.wrap_log(log)
            metrics = _make_metrics_port(counters, store, callers, tls)
        writer = open_census(backing)
        app = create_app(store, callers, auth=mode, request_log=log, census=writer)
        with convert_errors(ServeError):
            Server(app, config, tls, metrics).run()


@contextmanager
def _open_metrics(workers: int) -> Generator["WorkerMetrics"]:
    """Yield the counters of all workers, in a temporary folder."""
    from podgraft.service.serve.metrics import WorkerMetrics  # imports prometheus_client

    with _temporary_folder(find_shared_memory()) as folder:
        try:
            yield WorkerMetrics(folder, workers)
        except OSError as error:
            raise CommandError(f"--metrics-port: {folder}: {error.strerror}") from error


def _make_metrics_port(
    counters: "WorkerMetrics", store: Store, callers: CallerStore, tls: ReloadingContext
) -> MetricsPort:
    from podgraft.service.serve.metrics_page import StateCollector, make_metrics_app

    state = StateCollector(store, callers, tls)
    return MetricsPort(make_metrics_app(counters, state), counters.enter_slot)


def _read_verifier(path: Path | None) -> Verifier | None:
    if path is None:
        return None
    with convert_errors(InvalidKeyError, UnicodeDecodeError, place=path):
        return make_verifier(path.read_text())


@contextmanager
def _temporary_folder(parent: str | None = None) -> Generator[Path]:
    """Yield a folder that the arbiter removes at the end."""
    master, folder = os.getpid(), mkdtemp(prefix="podgraft-", dir=parent)
    try:
        yield Path(folder)
    finally:
        # A worker also leaves this block when it exits.
        if os.getpid() == master:
            rmtree(folder, ignore_errors=True)


def _report(*surveys: Survey, check: bool) -> None:
    """Print the surveys; raise ``CommandError`` if the server cannot work, or a check fails."""
    for kind, line in all_lines(*surveys):
        # Standard output is for the request log.
        click.echo(f"{kind}: {line}" if kind else line, err=not check)
    for each in surveys:
        if each.problem:
            raise CommandError(each.problem)
    if check and any(each.errors for each in surveys):
        raise CommandError("some documents do not load; correct the errors above")


def _auth_mode(auth: str | None, client_ca: Path | None) -> Auth:
    if auth is None:
        return Auth.TOKEN if client_ca is None else Auth.MTLS
    if auth == Auth.MTLS and client_ca is None:
        raise click.UsageError("--auth mtls requires --client-ca to verify certificates")
    return Auth(auth)
