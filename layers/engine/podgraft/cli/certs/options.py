"""Options that several commands of ``podgraft certs`` share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

import click
from cryptography import x509

from podgraft.base import system
from podgraft.cli.certs import keys
from podgraft.cli.certs.folder import CertificateFolder, KeyPair
from podgraft.cli.certs.issuance import LEAF_DAYS, Issuer, Validity
from podgraft.cli.certs.keys import KeyType, PrivateKey
from podgraft.cli.shared_options import FILE, NEW_FOLDER, add_options

folder_option = click.option(
    "--dir",
    "path",
    type=NEW_FOLDER,
    default=Path("certificates"),
    show_default=True,
    help="Folder of the certificates.",
)
force_option = click.option("--force", is_flag=True, help="Replace existing files.")
days_option = click.option(
    "--days", type=int, default=LEAF_DAYS, show_default=True, help="Validity in days."
)
key_type_option = click.option(
    "--key-type",
    type=click.Choice([kind.value for kind in KeyType]),
    default=KeyType.RSA_2048.value,
    show_default=True,
    help="Type of a new key.",
)
passphrase_file = click.option(
    "--passphrase-file", type=FILE, help="File; its first line is the passphrase of the key."
)
ca_passphrase_file = click.option(
    "--ca-passphrase-file", type=FILE, help="File; its first line is the passphrase of the CA key."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningOptions:
    """The options of commands that sign a certificate with the CA of a folder."""

    folder: CertificateFolder
    issuer: Issuer
    lifetime: Validity
    key_type: KeyType
    passphrase: bytes | None
    force: bool

    def save(self, name: str, certificate: x509.Certificate, key: PrivateKey) -> KeyPair:
        """Write a certificate and its key."""
        return self.folder.save_leaf(name, certificate, key, self.passphrase, force=self.force)


def signing_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the signing options to *command*, which gets one ``SigningOptions``."""

    @wraps(command)
    def run_with_options(
        *,
        path: Path,
        days: int,
        key_type: str,
        force: bool,
        passphrase_file: Path | None,
        ca_passphrase_file: Path | None,
        **own: object,
    ) -> None:
        folder = CertificateFolder(path)
        values = SigningOptions(
            folder=folder,
            issuer=folder.issuer(keys.read_passphrase(ca_passphrase_file)),
            lifetime=Validity.from_now(system.now(), days),
            key_type=KeyType(key_type),
            passphrase=keys.read_passphrase(passphrase_file),
            force=force,
        )
        command(values, **own)

    return add_options(
        folder_option,
        days_option,
        key_type_option,
        force_option,
        passphrase_file,
        ca_passphrase_file,
    )(run_with_options)
