"""The credentials that kube-apiserver sends: a token, or a client certificate with its key."""

from pathlib import Path

from podgraft.cli import folders
from podgraft.cli.certs import keys, pem
from podgraft.cli.failure import CommandError
from podgraft.cli.register.control_plane import AuthInfo
from podgraft.cli.register.options import RegisterOptions


def load_auth_info(options: RegisterOptions) -> AuthInfo | None:
    """Return the credentials for the control plane; None if the path has the token."""
    token_file = options["token_file"]
    client_cert, client_key = options["client_cert"], options["client_key"]
    if options["control_plane"] is None:
        if options["static"] is not None:
            raise CommandError(
                "--static needs --control-plane: its AdmissionConfiguration names the folder"
            )
        if client_cert or client_key:
            raise CommandError("only a control plane shows certificates: give --control-plane")
        return None
    if (client_cert is None) is not (client_key is None):
        raise CommandError("--client-cert and --client-key belong together; give both")
    if client_cert is None and token_file is None:
        raise CommandError("--control-plane needs --token-file, or --client-cert and its key")
    if (
        client_cert
        and client_key
        and not keys.is_key_pair(
            keys.read_key(client_key, None), pem.read_certificates(client_cert)[0]
        )
    ):
        raise CommandError(f"{client_key} is not the key of {client_cert}")
    return AuthInfo(read_token(token_file), _read_bytes(client_cert), _read_bytes(client_key))


def read_token(file: Path | None) -> str | None:
    """Return the token in a file; None without a file."""
    return None if file is None else folders.read_text(file).strip()


def _read_bytes(file: Path | None) -> bytes | None:
    return None if file is None else file.read_bytes()
