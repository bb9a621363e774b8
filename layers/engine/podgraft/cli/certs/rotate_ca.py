"""``podgraft certs rotate-ca``: the steps of a rotation, each telling the operator the next."""

import shlex
from pathlib import Path

import click

from podgraft.base import system
from podgraft.cli import command_help, program
from podgraft.cli.certs import endpoint, keys, options, rotation
from podgraft.cli.certs.endpoint import Address
from podgraft.cli.certs.folder import AUTHORITY, CertificateFolder
from podgraft.cli.certs.issuance import AUTHORITY_DAYS, LEAF_DAYS, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.certs.rotation import Rotation, RotationStage
from podgraft.cli.shared_options import FILE, NEW_FOLDER


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
    lifetime = Validity.from_now(system.now(), days)
    rotation.begin_rotation(
        rotating, KeyType(key_type), lifetime, keys.read_passphrase(passphrase_file)
    )
    click.echo(f"wrote {rotating.new.key_pair(AUTHORITY).certificate} and {rotating.new.bundle}")
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
    rotating.check_stage(RotationStage.SWITCH)
    secret = keys.read_passphrase(passphrase_file)
    issuer = rotating.new.issuer(keys.read_passphrase(ca_passphrase_file))
    lifetime = Validity.from_now(system.now(), days)
    kind = KeyType(new_key) if new_key else None
    rotation.switch_certificates(rotating, clusters, issuer, lifetime, kind, secret)
    for name in rotating.new.leaf_names():
        click.echo(f"wrote {rotating.new.key_pair(name).certificate}")
    _print_next_steps(rotating)


@rotate_ca.command()
@click.option("--probe", "url", required=True, help="Endpoint, as https://HOST[:PORT].")
@click.pass_obj
def finish(rotating: Rotation, url: str) -> None:
    """End the bundle, once the endpoint shows a certificate of the new CA."""
    rotating.check_stage(RotationStage.FINISH)
    roots = [rotating.new.certificate(AUTHORITY)]
    rotation.finish_rotation(
        rotating, endpoint.find_trust_problems(Address.parse(url), roots, system.now())
    )
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
