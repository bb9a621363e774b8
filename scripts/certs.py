#!/usr/bin/env python3
"""Certificates for the webhook's HTTPS endpoint, and for clusters that show one of their own."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

import outputs
import program
from certificates import (
    CertificateError,
    acm,
    inspection,
    issuing,
    keys,
    names,
    options,
    pem,
    trust,
)
from certificates.folder import AUTHORITY, Folder, Pair
from certificates.inspection import Question, Status
from certificates.issuing import AUTHORITY_DAYS, Lifetime
from certificates.keys import KeyType
from certificates.options import Signing
from certificates.rotate_ca import rotate_ca
from outputs import Output, OutputError
from podgraft.identifiers import IdentifierError, check_cluster

WARN_DAYS = 30  # time enough for a renewal and a rollout


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is 0 where everything went well."""
    faults = (CertificateError, IdentifierError, OutputError, OSError)
    return program.run(certs, argv, faults=faults)


@click.group("certs.py", context_settings={"help_option_names": ["-h", "--help"]})
def certs() -> None:
    """Make, renew, rotate, check and import the certificates of a webhook endpoint."""


certs.add_command(rotate_ca)


@certs.command()
@options.in_folder
@options.key_type
@click.option("--days", type=int, default=AUTHORITY_DAYS, show_default=True)
@click.option("--common-name", help="Its name; by default one that follows from its key.")
@options.passphrase_file
@options.in_force
def ca(
    path: Path,
    key_type: str,
    days: int,
    common_name: str | None,
    passphrase_file: Path | None,
    force: bool,
) -> None:
    """Make the CA that clusters will trust."""
    key = keys.make(KeyType(key_type))
    lifetime = Lifetime.starting(datetime.now(UTC), days)
    certificate = issuing.authority(key, common_name, lifetime)
    secret = keys.passphrase(passphrase_file)
    pair = Folder(path).save(AUTHORITY, certificate, key, secret, force=force)
    _wrote(pair)
    program.then(
        f"keep {pair.key} offline: who has it can answer for every cluster that trusts the CA",
        f"scripts/certs.py server --dir {path} HOST [HOST …]",
    )


@certs.command()
@click.argument("hosts", nargs=-1, required=True)
@click.option("--name", default="server", show_default=True, help="What its files are called.")
@options.signing
def server(signing: Signing, hosts: tuple[str, ...], name: str) -> None:
    """Make a server certificate for HOSTS: DNS names and IP addresses, as many as needed."""
    wanted = names.parse(hosts)
    key = keys.make(signing.key_type)
    certificate = issuing.server(wanted, key.public_key(), signing.issuer, signing.lifetime)
    pair = signing.save(name, certificate, key)
    _wrote(pair)
    click.echo(f"valid for {wanted}, until {signing.lifetime.end:%Y-%m-%d}")
    folder = signing.folder
    program.then(
        f"podgraft serve --store DIR --cert {pair.certificate} --key {pair.key}",
        f"or, for AWS: scripts/certs.py import-acm --dir {folder.path} --name {name}",
        f"scripts/register.py --url https://HOST --ca-bundle {folder.pair(AUTHORITY).certificate} "
        f"--server-cert {pair.certificate}",
    )


@certs.command()
@click.argument("cluster")
@click.option("--name", help="What its files are called; by default the cluster's id.")
@click.option("--organization", default="podgraft-clusters", show_default=True)
@options.signing
def client(signing: Signing, cluster: str, name: str | None, organization: str) -> None:
    """Make a certificate by which CLUSTER shows who it is (mutual TLS)."""
    check_cluster(cluster)
    key = keys.make(signing.key_type)
    certificate = issuing.client(
        cluster, organization, key.public_key(), signing.issuer, signing.lifetime
    )
    pair = signing.save(name or cluster, certificate, key)
    _wrote(pair)
    subject = trust.subject(certificate)
    click.echo(f"subject {subject}, until {signing.lifetime.end:%Y-%m-%d}")
    program.then(
        f"scripts/tokens.py allow --cluster {cluster} '{subject}'",
        f"scripts/register.py … --control-plane DIR --client-cert {pair.certificate} "
        f"--client-key {pair.key}: what kube-apiserver needs to show it",
    )


@certs.command()
@click.argument("name")
@click.option("--as", "as_name", help="Write beside the old one, under this name.")
@click.option("--new-key/--keep-key", default=False, show_default=True, help="Make a new key.")
@click.option("--host", "hosts", multiple=True, help="Another set of names; by default the same.")
@options.signing
def renew(
    signing: Signing, name: str, as_name: str | None, new_key: bool, hosts: tuple[str, ...]
) -> None:
    """Make the certificate NAME anew, by the same CA, with the same key and names by default."""
    old, old_key = signing.folder.certificate(name), signing.folder.pair(name).key
    key = keys.make(signing.key_type) if new_key else keys.read(old_key, signing.passphrase)
    certificate = issuing.renew(
        old,
        key.public_key(),
        signing.issuer,
        signing.lifetime,
        names.parse(hosts) if hosts else None,
    )
    _wrote(signing.save(as_name or name, certificate, key))
    ends = (old.not_valid_after_utc, certificate.not_valid_after_utc)
    click.echo("valid until {1:%Y-%m-%d}, before that until {0:%Y-%m-%d}".format(*ends))
    program.then("podgraft serve reads it anew by itself; ACM needs certs.py import-acm --arn ARN")


@certs.command()
@click.argument("pems", nargs=-1, required=True, type=options.FILE)
@click.option("--output", type=click.Path(path_type=Path), help="Also write the PEM bundle here.")
@options.in_force
def bundle(pems: tuple[Path, ...], output: Path | None, force: bool) -> None:
    """Print the caBundle (base64) of the CAs in the files PEMS."""
    found = trust.roots([certificate for file in pems for certificate in pem.read(file)])
    if output is not None:
        outputs.write([Output(output, pem.dump(found))], force=force)
    click.echo(trust.ca_bundle(found))
    program.then(
        "it is the value of webhooks[].clientConfig.caBundle; scripts/register.py --ca-bundle "
        "FILE fills it in and checks it"
    )


@certs.command()
@click.argument("certificate", type=options.FILE)
@click.option("--key", type=options.FILE, help="Check that this key belongs to it.")
@click.option("--ca", "authority", type=options.FILE, help="Check that these CAs vouch for it.")
@click.option("--host", "hosts", multiple=True, help="Check that it is valid for this host.")
@click.option("--warn-days", type=int, default=WARN_DAYS, show_default=True)
@options.passphrase_file
def inspect(
    certificate: Path,
    key: Path | None,
    authority: Path | None,
    hosts: tuple[str, ...],
    warn_days: int,
    passphrase_file: Path | None,
) -> int:
    """Say what CERTIFICATE is and what is wrong with it.

    Exit status, for monitoring: 0 fine, 1 expires soon, 2 would be refused, 3 cannot be read.
    """
    try:
        question = Question(
            chain=pem.read(certificate),
            key=keys.read(key, keys.passphrase(passphrase_file)) if key else None,
            roots=trust.roots(pem.read(authority)) if authority else (),
            hosts=hosts,
            now=datetime.now(UTC),
            warn_days=warn_days,
        )
    except (CertificateError, OSError) as error:
        click.echo(f"certs.py: {error}", err=True)
        return Status.UNREADABLE
    return _report(inspection.inspect(question))


@certs.command("import-acm")
@options.in_folder
@click.option("--name", default="server", show_default=True, help="Which certificate.")
@click.option("--arn", help="Replace this imported certificate instead of adding one.")
@click.option("--region", help="The API's region; by default the environment's.")
@options.passphrase_file
def import_acm(
    path: Path, name: str, arn: str | None, region: str | None, passphrase_file: Path | None
) -> None:
    """Import a server certificate into AWS Certificate Manager."""
    folder = Folder(path)
    pair, authority = folder.pair(name), folder.pair(AUTHORITY).certificate
    wanted = acm.Import(
        chain=pem.read(pair.certificate),
        roots=pem.read(authority) if authority.exists() else (),
        key=keys.read(pair.key, keys.passphrase(passphrase_file)),
        replaces=arn,
    )
    acm.check(wanted, datetime.now(UTC))
    click.echo(acm.send(wanted, acm.client(region, arn)))
    program.then(
        "sam deploy --parameter-overrides CertificateArn=ARN DomainName=HOST",
        "mutual TLS with an imported certificate also needs OwnershipVerificationCertificateArn: a "
        "public ACM certificate of the same domain",
    )


def _wrote(pair: Pair) -> None:
    click.echo(f"wrote {pair.certificate} and {pair.key}")


def _report(report: inspection.Report) -> int:
    for line in report.lines:
        click.echo(line)
    for fault in report.faults:
        click.echo(f"wrong      {fault}")
    for warning in report.warnings:
        click.echo(f"soon       {warning}")
    match report.status:
        case Status.FINE:
            program.then("nothing; inspect it again before it expires")
        case Status.ACT_SOON:
            program.then("scripts/certs.py renew NAME --force")
        case _:
            program.then("do not deploy it; mend what is marked wrong")
    return report.status


if __name__ == "__main__":
    sys.exit(main())
