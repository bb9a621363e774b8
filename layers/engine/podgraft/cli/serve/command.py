"""``podgraft serve``: admission reviews over HTTPS from a folder, for clusters without AWS.

The folder is a file store (``store/folder/store.py``): policies, bundles and callers are read anew
when they change, and so are the certificate files. A version that does not load leaves the last
good one in force: in all workers and, with ``--state``, after a restart.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import click

from podgraft.cli.failure import CommandError
from podgraft.cli.serve.https import Server, ServerConfig
from podgraft.cli.serve.startup_check import Survey, all_lines, certificate_survey, survey
from podgraft.cli.serve.tls import ReloadingContext, TLSFiles
from podgraft.cli.serve.worker import DEFAULT_CONNECTIONS_PER_ADDRESS
from podgraft.store import FolderCallers, FolderStore
from podgraft.store.last_known_good import FileLastKnownGoodStore
from podgraft.web import Auth, create_app

DEFAULT_PORT = 8443

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("serve")
@click.option(
    "--store",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="INJECTOR/policy.yaml, INJECTOR/bundle/ and auth/CLUSTER.yaml are read from here.",
)
@click.option(
    "--state",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    help="Folder for the last version of each injector that loaded; it outlives restarts.",
)
@click.option("--cert", type=_FILE, required=True, help="The server's certificate and chain, PEM.")
@click.option("--key", type=_FILE, required=True, help="The certificate's key, PEM.")
@click.option("--passphrase-file", type=_FILE, help="Its first line decrypts the key.")
@click.option("--client-ca", type=_FILE, help="Verify clients' certificates against these CAs.")
@click.option(
    "--auth",
    type=click.Choice([auth.value for auth in Auth]),
    help="How clusters prove who they are; by default token, or mtls with --client-ca.",
)
@click.option("--host", default="0.0.0.0", show_default=True, help="The address to listen on.")  # noqa: S104
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=8, show_default=True)
@click.option(
    "--connections-per-address",
    type=click.IntRange(1),
    default=DEFAULT_CONNECTIONS_PER_ADDRESS,
    show_default=True,
    help="Share of one client address in the connections of each worker.",
)
@click.option("--check", is_flag=True, help="Report what would be served, and do not serve it.")
def command(  # noqa: PLR0913 — one parameter an option
    *,
    folder: Path,
    state: Path | None,
    cert: Path,
    key: Path,
    passphrase_file: Path | None,
    client_ca: Path | None,
    auth: str | None,
    host: str,
    port: int,
    workers: int,
    threads: int,
    connections_per_address: int,
    check: bool,
) -> None:
    """Answer admission reviews over HTTPS, without AWS.

    It loads and tries every injector first, reports which injectors and clusters it found, and
    refuses to start if no injector loads or the certificate is not valid. With --check, the exit
    status is 1 if anything does not load.

    SIGTERM ends it once the open requests are answered. Port 0 takes a free port and prints it.
    """
    proof = _auth_mode(auth, client_ca)
    tls = ReloadingContext(TLSFiles(cert, key, client_ca, _read_passphrase(passphrase_file)))
    callers = FolderCallers(folder)
    if check:
        # Without the last good versions: they would hide what does not load now.
        _report(
            survey(folder, FolderStore(folder), callers, proof),
            certificate_survey(cert),
            check=True,
        )
        return
    config = ServerConfig(
        host=host,
        port=port,
        workers=workers,
        threads=threads,
        connections_per_address=connections_per_address,
    )
    with _state_folder(state) as state_folder:
        store = FolderStore(folder, last_known_good=FileLastKnownGoodStore(state_folder))
        _report(survey(folder, store, callers, proof), certificate_survey(cert), check=False)
        Server(create_app(store, callers, auth=proof), config, tls).run()


@contextmanager
def _state_folder(state: Path | None) -> Generator[Path]:
    """The given folder, or one that all workers share and that ends with this process."""
    if state is not None:
        yield state
        return
    master, folder = os.getpid(), mkdtemp(prefix="podgraft-")
    try:
        yield Path(folder)
    finally:
        # A worker leaves this block too, when it ends.
        if os.getpid() == master:
            rmtree(folder, ignore_errors=True)


def _report(*surveys: Survey, check: bool) -> None:
    """Print what was found; raise ``CommandError`` if that cannot work, or is to be checked."""
    for kind, line in all_lines(*surveys):
        # Standard output belongs to the log of reviews.
        click.echo(f"{kind}: {line}" if kind else line, err=not check)
    if any(not each.is_usable for each in surveys):
        raise CommandError("no injector loads; correct the errors above")
    if check and any(each.errors for each in surveys):
        raise CommandError("something does not load; correct the errors above")


def _auth_mode(auth: str | None, client_ca: Path | None) -> Auth:
    if auth is None:
        return Auth.TOKEN if client_ca is None else Auth.MTLS
    if auth == Auth.MTLS and client_ca is None:
        raise click.UsageError("--auth mtls needs --client-ca to verify certificates against")
    return Auth(auth)


def _read_passphrase(file: Path | None) -> bytes | None:
    return None if file is None else file.read_bytes().split(b"\n", 1)[0].removesuffix(b"\r")
