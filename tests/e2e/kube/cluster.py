"""What surrounds the API server: certificates, tokens, servers, registrations, by our programs."""

import contextlib
import io
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

from e2e.kube import recordings
from e2e.kube.apiserver import Scenario
from e2e.kube.scenarios import (
    CLUSTER,
    HOST,
    SERVICE,
    SERVICE_HOST,
    ClusterScenario,
    PresentedCredentials,
    Server,
)
from podgraft.cli import main
from podgraft.cli.certs import issuance, keys, names, pem
from podgraft.cli.certs.folder import CertificateFolder
from podgraft.cli.certs.issuance import Validity
from podgraft.cli.certs.keys import KeyType
from support.tls_endpoint import serve_certificate

STORE = Path(__file__).parent / "store"
_CHOICES = {"--revision", "--namespace-selector"}  # of the namespaces

_CERTIFICATES = {
    Server.SERVE: "server",
    Server.MTLS: "server",
    Server.ELSEWHERE: "elsewhere",
}


class ClusterFixture:
    """Everything around the API server, in one folder."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._addresses: dict[Server, str] = {}
        self._make_certificates()
        shutil.copytree(STORE, folder / "store")
        store = folder / "store"
        token = ("issue", "--cluster", CLUSTER, "--config", store, "--output", folder / "token")
        _run("tokens", *token)
        subject = f"CN={CLUSTER},O=podgraft-clusters"
        _run("tokens", "allow", "--cluster", CLUSTER, "--config", store, subject)

    @property
    def token(self) -> str:
        """The cluster's token, which must not stay in recordings."""
        return (self._folder / "token").read_text().strip()

    def scenario(self, scene: ClusterScenario) -> Scenario:
        """What the API server is given for *scene*."""
        manifests = self._register(scene, scene.register)
        if scene.more_webhooks:
            manifests += "---\n" + self._register(scene, (*scene.register, *scene.more_webhooks))
        for old, new in scene.replace:
            assert old in manifests
            manifests = manifests.replace(old, new)
        shown = scene.credentials in (PresentedCredentials.BEARER, PresentedCredentials.CERTIFICATE)
        configuration = self._control_plane / "admission-configuration.yaml"
        return Scenario(
            manifests=manifests,
            pod=scene.pod,
            server=self.address(scene.server),
            namespace_labels=scene.namespace,
            admission_configuration=configuration if shown else None,
            dry_run=scene.dry_run,
        )

    def static_scenario(self, scene: ClusterScenario) -> Scenario:
        """The scenario of *scene*, registered by static manifests, without objects of the API."""
        folder = self.static_folder(scene.name)
        words = (*scene.register, "--static", folder)
        self._register(scene, words)
        if scene.more_webhooks:
            self._register(scene, (*words, *scene.more_webhooks))
        for old, new in scene.replace:
            for file in folder.glob("*/*.yaml"):
                file.write_text(file.read_text().replace(old, new))
        return Scenario(
            manifests="",
            pod=scene.pod,
            server=self.address(scene.server),
            namespace_labels=scene.namespace,
            admission_configuration=self._control_plane / "admission-configuration.yaml",
            dry_run=scene.dry_run,
        )

    def address(self, server: Server) -> str:
        """Where *server* is; started at its first use."""
        if server not in self._addresses:
            self._addresses[server] = self._start(server)
        return self._addresses[server]

    def static_folder(self, scene: str) -> Path:
        """The folder of the static manifests of a scene."""
        return self._folder / "static" / recordings.recording_path(scene).stem

    @property
    def _control_plane(self) -> Path:
        return self._folder / "control-plane"

    @property
    def _certificates(self) -> Path:
        return self._folder / "certificates"

    def _make_certificates(self) -> None:
        mine = ("--dir", self._certificates, "--key-type", "p-256")
        _run("certs", "ca", *mine)
        _run("certs", "server", HOST, SERVICE_HOST, *mine)
        _run("certs", "server", "elsewhere.example.com", "--name", "elsewhere", *mine)
        _run("certs", "client", CLUSTER, *mine)
        _run("certs", "ca", "--dir", self._folder / "foreign", "--key-type", "p-256")
        _make_expired(CertificateFolder(self._certificates))

    def _register(self, scene: ClusterScenario, words: tuple[str | Path, ...]) -> str:
        """What register.py prints for the scene."""
        authority = self._folder / "foreign" if scene.foreign_ca else self._certificates
        trusted = scene.server is Server.SERVE and not scene.foreign_ca
        proof = ("--server-cert", self._certificates / "server.pem") if trusted else ()
        return _run(
            "register",
            *(("--service", SERVICE) if scene.service else ("--url", f"https://{HOST}")),
            *("--cluster", CLUSTER),
            *("--ca-bundle", authority / "ca.pem"),
            *proof,
            *self._credential_options(
                PresentedCredentials.BEARER
                if "--static" in words and scene.credentials is PresentedCredentials.PATH
                else scene.credentials
            ),
            *(() if _CHOICES.intersection(map(str, words)) else ("--all-namespaces",)),
            *words,
        )

    def _credential_options(self, shown: PresentedCredentials) -> tuple[str | Path, ...]:
        control_plane = ("--control-plane", self._control_plane, "--force")
        certificate = self._certificates / f"{CLUSTER}.pem"
        match shown:
            case PresentedCredentials.PATH:
                return ("--token-file", self._folder / "token")
            case PresentedCredentials.BEARER:
                return ("--token-file", self._folder / "token", *control_plane)
            case PresentedCredentials.CERTIFICATE:
                key = certificate.with_suffix(".key")
                return ("--client-cert", certificate, "--client-key", key, *control_plane)
            case PresentedCredentials.NOTHING:
                return ()

    def _start(self, server: Server) -> str:
        match server:
            case Server.SILENT:
                silent = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
                return f"127.0.0.1:{silent.getsockname()[1]}"
            case Server.DOWN:
                with socket.create_server(("127.0.0.1", 0)) as gone:
                    return f"127.0.0.1:{gone.getsockname()[1]}"
            case Server.EXPIRED:
                # podgraft serve does not start with an expired certificate.
                chain = pem.read_certificates(self._certificates / "expired.pem")
                key = keys.read_key(self._certificates / "expired.key", None)
                shown = serve_certificate(chain, key, self._folder)
                return f"127.0.0.1:{self._stack.enter_context(shown)}"
            case _:
                certificate = self._certificates / f"{_CERTIFICATES[server]}.pem"
                mtls = ("--client-ca", self._certificates / "ca.pem")
                further = mtls if server is Server.MTLS else ()
                command = self._serve(certificate, further)
                return self._stack.enter_context(_start_server(command))

    def _serve(self, certificate: Path, further: tuple[str | Path, ...]) -> list[str | Path]:
        key = certificate.with_suffix(".key")
        return [
            *(sys.executable, "-m", "podgraft", "serve", "--host", "127.0.0.1", "--port", "0"),
            *("--store", self._folder / "store", "--cert", certificate, "--key", key),
            *("--workers", "1", *further),
        ]


@contextlib.contextmanager
def _start_server(command: list[str | Path]) -> Generator[str]:
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=unbuffered) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("podgraft listens on https://"), line
        try:
            yield line.strip().removeprefix("podgraft listens on https://")
        finally:
            process.terminate()


def _make_expired(folder: CertificateFolder) -> None:
    """A certificate that has been good, and is no more; certs.py makes only good ones."""
    key = keys.make_key(KeyType.P_256)
    now = datetime.now(UTC)
    over = Validity(now - timedelta(days=20), now - timedelta(days=10))
    made = issuance.make_server_certificate(
        names.parse_names([HOST]), key.public_key(), folder.issuer(None), over
    )
    folder.leaf_pair("expired").save(made, key, None, force=False)


def _run(*words: str | Path) -> str:
    """Run a command of podgraft; return its standard output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    assert status == 0, err.getvalue()
    return out.getvalue()
