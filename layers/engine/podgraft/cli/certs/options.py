"""Options that several commands of ``podgraft certs`` share."""

from pathlib import Path

import click
from cryptography import x509
from msgspec import Struct

from podgraft.base import system
from podgraft.cli.certs import keys
from podgraft.cli.certs.folder import CertificateFolder, KeyPair
from podgraft.cli.certs.issuance import LEAF_DAYS, Issuer, Validity
from podgraft.cli.certs.keys import KeyType, PrivateKey
from podgraft.cli.shared_options import FILE, NEW_FOLDER, Decorator, choice_option, gather_options

folder_option = click.option(
    "--dir",
    "path",
    type=NEW_FOLDER,
    default=Path("certificates"),
    help="Folder of the certificates.",
)
force_option = click.option("--force", is_flag=True, help="Replace existing files.")
key_type_option = choice_option("--key-type", choices=KeyType, text="Type of a new key.")


def make_days_option(days: int, text: str) -> Decorator:
    """Return the decorator that adds ``--days``."""
    return click.option("--days", type=int, default=days, help=text)


passphrase_file = click.option(
    "--passphrase-file", type=FILE, help="File; its first line is the passphrase of the key."
)
ca_passphrase_file = click.option(
    "--ca-passphrase-file", type=FILE, help="File; its first line is the passphrase of the CA key."
)


class SigningOptions(Struct, frozen=True, kw_only=True):
    """The options of commands that sign a certificate with the CA of a folder."""

    folder: CertificateFolder
    issuer: Issuer
    lifetime: Validity
    key_type: KeyType
    passphrase: bytes | None
    force: bool

    def save(self, name: str, certificate: x509.Certificate, key: PrivateKey) -> KeyPair:
        """Write a certificate and its key."""
        return self.folder.leaf_pair(name).save(certificate, key, self.passphrase, force=self.force)


def _make_signing_options(
    path: Path,
    days: int,
    key_type: str,
    force: bool,
    passphrase_file: Path | None,
    ca_passphrase_file: Path | None,
) -> SigningOptions:
    folder = CertificateFolder(path)
    return SigningOptions(
        folder=folder,
        issuer=folder.issuer(keys.read_passphrase(ca_passphrase_file)),
        lifetime=Validity.from_now(system.now(), days),
        key_type=KeyType(key_type),
        passphrase=keys.read_passphrase(passphrase_file),
        force=force,
    )


signing_options = gather_options(
    _make_signing_options,
    folder_option,
    make_days_option(LEAF_DAYS, "Validity in days."),
    key_type_option,
    force_option,
    passphrase_file,
    ca_passphrase_file,
    name="signing",
)
