"""``podgraft certs rotate-ca``: replace the CA while every cluster always trusts the endpoint.

The new CA is created in a separate folder, so no file is overwritten and you can repeat each step.
Each step checks its preconditions, stops if one is not met, and prints the next step:

1. begin   creates the new CA and the bundle of both CAs. Then register the clusters with it.
2. switch  requires that every cluster trusts both CAs, and renews all certificates. Then deploy
           the certificates.
3. finish  requires that the endpoint presents the new certificate, and ends the bundle. Then
           register the clusters with the new CA only.
"""

import shlex
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import click
from cryptography import x509
from msgspec import Struct

from podgraft.base import system
from podgraft.base.jsonvalue import object_at
from podgraft.cli import command_help, documents, program
from podgraft.cli.certs import endpoint, issuance, keys, names, options, pem, trust
from podgraft.cli.certs.endpoint import Address
from podgraft.cli.certs.folder import AUTHORITY, CertificateFolder
from podgraft.cli.certs.issuance import AUTHORITY_DAYS, LEAF_DAYS, CertificatePurpose, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.certs.names import SubjectAltNames
from podgraft.cli.client_config import read_destination
from podgraft.cli.endpoint_check.certificates import check_ca_bundle
from podgraft.cli.failure import CommandError
from podgraft.cli.live.registrations import Webhook, parse_webhooks
from podgraft.cli.outputs import Output
from podgraft.cli.shared_options import FILE, NEW_FOLDER

# Nothing of a rotation is replaced: clusters can trust it already.
_EXISTING = "use another folder with --to, or delete {them}"


class RotationStage(Enum):
    """How far a rotation is, in the words of what to do next."""

    BEGIN = "begin: make the new CA and the bundle of both"
    SWITCH = "register every cluster with the bundle, then switch: issue new certificates"
    FINISH = "deploy the new certificates, then finish: drop the old CA"
    DONE = "register every cluster with the new CA alone, and put the old folder away"


class Rotation(Struct, frozen=True):
    """The old folder and the new one."""

    old: CertificateFolder
    new: CertificateFolder

    @property
    def stage(self) -> RotationStage:
        """The state of the rotation, by its files."""
        if not self.new.key_pair(AUTHORITY).certificate.exists():
            return RotationStage.BEGIN
        if any(not self.new.key_pair(name).certificate.exists() for name in self.old.leaf_names()):
            return RotationStage.SWITCH
        return RotationStage.FINISH if self.new.bundle.exists() else RotationStage.DONE

    def check_stage(self, required: RotationStage) -> None:
        """Raise ``CommandError`` unless it is time for *required*."""
        if self.stage is not required:
            raise CommandError(f"not yet, or not any more; the next step is {self.stage.value}")


@command_help.group("rotate-ca")
@click.option("--from", "old", type=NEW_FOLDER, required=True, help="Folder of the old CA.")
@click.option("--to", "new", type=NEW_FOLDER, required=True, help="Folder of the new CA.")
@click.pass_context
def rotate_ca(context: click.Context, old: Path, new: Path) -> None:
    """Replace the CA, step by step, without a moment in which a cluster does not trust the webhook.

    begin: new CA, bundle of both. switch: new certificates, once every cluster trusts both.
    finish: end of the bundle, once the endpoint presents a new certificate. plan: the next step.
    """
    context.obj = Rotation(CertificateFolder(old), CertificateFolder(new))


@rotate_ca.command()
@click.pass_obj
def plan(rotating: Rotation) -> None:
    """Show the steps, and which is next."""
    now = rotating.stage
    passed = True
    for stage in RotationStage:
        passed = passed and stage is not now
        mark = "->" if stage is now else "ok" if passed else "  "
        click.echo(f"{mark} {stage.value}")
    _print_next_steps(rotating)


@rotate_ca.command()
@options.key_type_option
@options.make_days_option(AUTHORITY_DAYS, "Validity of the new CA in days.")
@options.passphrase_file
@click.pass_obj
def begin(rotating: Rotation, key_type: str, days: int, passphrase_file: Path | None) -> None:
    """Make the new CA, and the bundle of the old and the new one."""
    secret = keys.read_passphrase(passphrase_file)
    rotating.check_stage(RotationStage.BEGIN)
    key = keys.make_key(KeyType(key_type))
    certificate = issuance.make_ca(key, None, Validity.from_now(system.now(), days))
    roots = trust.check_roots([rotating.old.certificate(AUTHORITY), certificate])
    pair = rotating.new.key_pair(AUTHORITY)
    bundle = [Output(rotating.new.bundle, pem.dump_certificates(roots))]
    pair.save(certificate, key, secret, force=False, remedy=_EXISTING, before=bundle)
    click.echo(f"wrote {pair.certificate} and {rotating.new.bundle}")
    _print_next_steps(rotating)


@rotate_ca.command()
@click.option(
    "--registered",
    "clusters",
    type=FILE,
    multiple=True,
    help="Output of kubectl get mutatingwebhookconfigurations -o yaml; one file per cluster.",
)
@click.option(
    "--new-key",
    type=click.Choice([kind.value for kind in KeyType]),
    help="Type of new keys; default: keep the keys.",
)
@options.make_days_option(LEAF_DAYS, "Validity of the new certificates in days.")
@options.passphrase_file
@options.ca_passphrase_file
@click.pass_obj
def switch(
    rotating: Rotation,
    clusters: tuple[Path, ...],
    new_key: str | None,
    days: int,
    passphrase_file: Path | None,
    ca_passphrase_file: Path | None,
) -> None:
    """Renew all certificates with the new CA, after every cluster trusts both CAs."""
    old, new = rotating.old, rotating.new
    rotating.check_stage(RotationStage.SWITCH)
    secret = keys.read_passphrase(passphrase_file)
    issuer = new.issuer(keys.read_passphrase(ca_passphrase_file))
    lifetime = Validity.from_now(system.now(), days)
    leaves = {name: old.certificate(name) for name in old.leaf_names()}
    for leaf in leaves.values():
        if issuance.certificate_purpose(leaf) is CertificatePurpose.SERVER:
            _check_trust(clusters, leaf, (old.certificate(AUTHORITY), issuer.certificate))
    for name, leaf in leaves.items():
        if not new.key_pair(name).certificate.exists():
            file = old.key_pair(name).key
            key = keys.make_key(KeyType(new_key)) if new_key else keys.read_key(file, secret)
            certificate = issuance.renew_certificate(leaf, key.public_key(), issuer, lifetime)
            pair = new.leaf_pair(name)
            pair.save(certificate, key, secret, force=False, remedy=_EXISTING)
    for name in new.leaf_names():
        click.echo(f"wrote {new.key_pair(name).certificate}")
    _print_next_steps(rotating)


@rotate_ca.command()
@click.option("--probe", "url", required=True, help="Endpoint, as https://HOST[:PORT].")
@click.pass_obj
def finish(rotating: Rotation, url: str) -> None:
    """End the bundle, once the endpoint shows a certificate of the new CA."""
    rotating.check_stage(RotationStage.FINISH)
    roots = [rotating.new.certificate(AUTHORITY)]
    faults = endpoint.find_trust_problems(Address.parse(url), roots, system.now())
    if faults:
        raise CommandError(
            "the endpoint does not yet show a certificate of the new CA; deploy it first: "
            + "; ".join(faults)
        )
    rotating.new.bundle.unlink()
    _print_next_steps(rotating)


def _print_next_steps(rotating: Rotation) -> None:
    old, new = (shlex.quote(str(folder.path)) for folder in (rotating.old, rotating.new))
    again = f"podgraft certs rotate-ca --from {old} --to {new}"
    ca = shlex.quote(str(rotating.new.key_pair(AUTHORITY).certificate))
    bundle = shlex.quote(str(rotating.new.bundle))
    match rotating.stage:
        case RotationStage.BEGIN:
            program.print_next_steps(f"{again} begin")
        case RotationStage.SWITCH:
            program.print_next_steps(
                f"in every cluster: podgraft register … --ca-bundle {bundle}, and kubectl apply",
                f"for client certificates: serve --client-ca {bundle}, or the trust store",
                "of every cluster: kubectl get mutatingwebhookconfigurations,"
                "validatingwebhookconfigurations -o yaml > CLUSTER.yaml",
                f"{again} switch --registered CLUSTER.yaml [--registered …]",
            )
        case RotationStage.FINISH:
            program.print_next_steps(
                f"deploy the certificates of {new}: podgraft serve reads them again, ACM needs "
                "podgraft certs import-acm --arn",
                f"{again} finish --probe https://HOST",
            )
        case RotationStage.DONE:
            program.print_next_steps(
                f"in every cluster: podgraft register … --ca-bundle {ca}, and kubectl apply",
                f"put {old} away, its ca.key first: nothing needs it any more",
            )


def read_registrations(file: Path, served: SubjectAltNames) -> list[Webhook]:
    """Return the webhooks of *file* with one of the *served* names as host.

    *file* is the output of ``kubectl get mutatingwebhookconfigurations -o yaml``. Raises
    ``CommandError`` if no webhook calls the endpoint.
    """
    webhooks = [
        webhook
        for webhook in parse_webhooks(documents.read_objects(file))
        if served.matches_host(read_destination(object_at(webhook.manifest, "clientConfig")).host)
    ]
    if not webhooks:
        raise CommandError(
            f"{file}: no webhook in it calls {served}; print the cluster's registrations with "
            "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o yaml"
        )
    return webhooks


def _check_trust(
    clusters: Sequence[Path], leaf: x509.Certificate, both: Sequence[x509.Certificate]
) -> None:
    """Raise ``CommandError`` naming every webhook that does not trust *both* CAs."""
    outdated = [
        f"{file}: webhook {webhook.name}{': caBundle ' * bool(ca.problem)}{ca.problem}"
        for file in clusters
        for webhook in read_registrations(file, names.names_of(leaf))
        if not {*both} <= {*(ca := check_ca_bundle(webhook.manifest)).certificates}
    ]
    if outdated or not clusters:
        raise CommandError(
            "not every cluster is known to trust the old and the new CA; register with the bundle "
            "first: " + "; ".join(outdated or ["no registration was given (--registered)"])
        )
