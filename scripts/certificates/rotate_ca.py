"""``certs.py rotate-ca``: the steps of a rotation, each telling the operator the next."""

import shlex
from datetime import UTC, datetime
from pathlib import Path

import click

import program
from certificates import endpoint, keys, options, rotation
from certificates.endpoint import Address
from certificates.folder import AUTHORITY, Folder
from certificates.issuing import AUTHORITY_DAYS, LEAF_DAYS, Lifetime
from certificates.keys import KeyType
from certificates.rotation import KeyChoice, Rotation, Stage


@click.group("rotate-ca")
@click.option("--from", "old", type=options.FOLDER, required=True, help="The folder of the old CA.")
@click.option("--to", "new", type=options.FOLDER, required=True, help="The folder of the new CA.")
@click.pass_context
def rotate_ca(context: click.Context, old: Path, new: Path) -> None:
    """Replace the CA, step by step, without a moment in which a cluster does not trust us.

    begin: new CA, bundle of both. switch: new certificates, once every cluster trusts both.
    finish: end of the bundle, once the endpoint shows a new certificate. plan: where we are.
    """
    context.obj = Rotation(Folder(old), Folder(new))


@rotate_ca.command()
@click.pass_obj
def plan(rotating: Rotation) -> None:
    """Show the steps, and which is next."""
    now = rotating.stage
    passed = True
    for stage in Stage:
        passed = passed and stage is not now
        mark = "->" if stage is now else "ok" if passed else "  "
        click.echo(f"{mark} {stage.value}")
    _tell(rotating)


@rotate_ca.command()
@options.key_type
@click.option("--days", type=int, default=AUTHORITY_DAYS, show_default=True)
@options.passphrase_file
@click.pass_obj
def begin(rotating: Rotation, key_type: str, days: int, passphrase_file: Path | None) -> None:
    """Make the new CA, and the bundle of the old and the new one."""
    lifetime = Lifetime.starting(datetime.now(UTC), days)
    rotation.begin(rotating, KeyType(key_type), lifetime, keys.passphrase(passphrase_file))
    click.echo(f"wrote {rotating.new.pair(AUTHORITY).certificate} and {rotating.new.bundle}")
    _tell(rotating)


@rotate_ca.command()
@click.option(
    "--registered",
    "clusters",
    type=options.FILE,
    multiple=True,
    help="What kubectl get mutatingwebhookconfigurations -o yaml prints; one file a cluster.",
)
@click.option(
    "--new-key", type=click.Choice([kind.value for kind in KeyType]), help="Make new keys."
)
@click.option("--days", type=int, default=LEAF_DAYS, show_default=True)
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
    """Issue every certificate anew, once every cluster trusts both CAs."""
    rotating.demand(Stage.TO_SWITCH)
    choice = KeyChoice(KeyType(new_key) if new_key else None, keys.passphrase(passphrase_file))
    issuer = rotating.new.issuer(keys.passphrase(ca_passphrase_file))
    lifetime = Lifetime.starting(datetime.now(UTC), days)
    rotation.switch(rotating, clusters, issuer, lifetime, choice)
    for name in rotating.new.leaves():
        click.echo(f"wrote {rotating.new.pair(name).certificate}")
    _tell(rotating)


@rotate_ca.command()
@click.option("--probe", "url", required=True, help="The endpoint, as https://host[:port].")
@click.pass_obj
def finish(rotating: Rotation, url: str) -> None:
    """End the bundle, once the endpoint shows a certificate of the new CA."""
    rotating.demand(Stage.TO_FINISH)
    roots = [rotating.new.certificate(AUTHORITY)]
    rotation.finish(rotating, endpoint.faults(Address.parse(url), roots, datetime.now(UTC)))
    _tell(rotating)


def _tell(rotating: Rotation) -> None:
    old, new = (shlex.quote(str(folder.path)) for folder in (rotating.old, rotating.new))
    again = f"scripts/certs.py rotate-ca --from {old} --to {new}"
    ca = shlex.quote(str(rotating.new.pair(AUTHORITY).certificate))
    bundle = shlex.quote(str(rotating.new.bundle))
    match rotating.stage:
        case Stage.TO_BEGIN:
            program.then(f"{again} begin")
        case Stage.TO_SWITCH:
            program.then(
                f"in every cluster: register.py … --ca-bundle {bundle}, and kubectl apply",
                f"where clusters show certificates: serve --client-ca {bundle}, or the trust store",
                "of every cluster: kubectl get mutatingwebhookconfigurations,"
                "validatingwebhookconfigurations -o yaml > CLUSTER.yaml",
                f"{again} switch --registered CLUSTER.yaml [--registered …]",
            )
        case Stage.TO_FINISH:
            program.then(
                f"deploy the certificates of {new}: podgraft serve reads them anew, ACM needs "
                "certs.py import-acm --arn",
                f"{again} finish --probe https://HOST",
            )
        case Stage.DONE:
            program.then(
                f"in every cluster: register.py … --ca-bundle {ca}, and kubectl apply",
                f"put {old} away, its ca.key first: nothing needs it any more",
            )
