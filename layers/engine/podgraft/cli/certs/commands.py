"""``podgraft certs``: certificates of the HTTPS endpoint, and of clusters that present one."""

from pathlib import Path
from shlex import quote

import click

from podgraft.base import system
from podgraft.cli import command_help, outputs, program
from podgraft.cli.certs import acm, issuance, keys, names, options, pem, trust
from podgraft.cli.certs.folder import AUTHORITY, CertificateFolder, KeyPair
from podgraft.cli.certs.inspection import ExitStatus, Inspection
from podgraft.cli.certs.issuance import AUTHORITY_DAYS, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.certs.options import SigningOptions
from podgraft.cli.certs.rotate_ca import rotate_ca
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.identifier_options import check_cluster_option
from podgraft.cli.outputs import Output
from podgraft.cli.shared_options import FILE, PATH

WARN_DAYS = 30  # time enough for a renewal and a rollout


@command_help.group("certs")
def command() -> None:
    """Create, renew, rotate, inspect, and import the certificates of a webhook endpoint."""


command.add_command(rotate_ca)


@command.command()
@options.folder_option
@options.key_type_option
@options.make_days_option(AUTHORITY_DAYS, "Validity in days.")
@click.option("--common-name", help="Common name of the CA; by default derived from its key.")
@options.passphrase_file
@options.force_option
def ca(
    path: Path,
    key_type: str,
    days: int,
    common_name: str | None,
    passphrase_file: Path | None,
    force: bool,
) -> None:
    """Create a CA for the clusters to trust."""
    key = keys.make_key(KeyType(key_type))
    lifetime = Validity.from_now(system.now(), days)
    certificate = issuance.make_ca(key, common_name, lifetime)
    secret = keys.read_passphrase(passphrase_file)
    folder = CertificateFolder(path)
    pair = folder.key_pair(AUTHORITY).save(certificate, key, secret, force=force)
    _print_files(pair)
    program.print_next_steps(
        f"keep {pair.key} offline: anyone who has it can impersonate the webhook",
        f"podgraft certs server --dir {quote(str(path))} HOST [HOST …]",
    )


@command.command()
@click.argument("hosts", nargs=-1, required=True)
@click.option("--name", default="server", help="Name of the files.")
@options.signing_options
def server(signing: SigningOptions, hosts: tuple[str, ...], name: str) -> None:
    """Create a server certificate for HOSTS: one or more DNS names and IP addresses."""
    alt_names = names.parse_names(hosts)
    key = keys.make_key(signing.key_type)
    certificate = issuance.make_server_certificate(
        alt_names, key.public_key(), signing.issuer, signing.lifetime
    )
    pair = signing.save(name, certificate, key)
    _print_files(pair)
    click.echo(f"valid for {alt_names}, until {signing.lifetime.end:%Y-%m-%d}")
    folder = signing.folder
    authority = quote(str(folder.key_pair(AUTHORITY).certificate))
    certificate_file = quote(str(pair.certificate))
    program.print_next_steps(
        f"podgraft serve --store DIR --cert {certificate_file} --key {quote(str(pair.key))}",
        f"or, for AWS: podgraft certs import-acm --dir {quote(str(folder.path))} "
        f"--name {quote(name)}",
        f"podgraft register --url https://HOST --ca-bundle {authority} "
        f"--server-cert {certificate_file} --namespace-selector KEY=VALUE",
    )


@command.command()
@click.argument("cluster", callback=check_cluster_option)
@click.option("--name", help="Name of the files; default: the id of the cluster.")
@click.option(
    "--organization",
    default="podgraft-clusters",
    help="Organization (O) in the subject; the subject of the cluster must contain it too.",
)
@options.signing_options
def client(signing: SigningOptions, cluster: str, name: str | None, organization: str) -> None:
    """Create a client certificate that identifies CLUSTER (mutual TLS)."""
    key = keys.make_key(signing.key_type)
    certificate = issuance.make_client_certificate(
        cluster, organization, key.public_key(), signing.issuer, signing.lifetime
    )
    pair = signing.save(name or cluster, certificate, key)
    _print_files(pair)
    subject = trust.describe_subject(certificate)
    click.echo(f"subject {subject}, until {signing.lifetime.end:%Y-%m-%d}")
    program.print_next_steps(
        f"podgraft tokens allow --cluster {cluster} {quote(subject)}",
        "podgraft register … --control-plane DIR "
        f"--client-cert {quote(str(pair.certificate))} "
        f"--client-key {quote(str(pair.key))}: the files with which kube-apiserver presents it",
    )


@command.command()
@click.argument("name")
@click.option("--as", "as_name", help="Name of the new files; default: replace the old files.")
@click.option("--new-key/--keep-key", default=False, help="Create a new key.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    help="DNS name or IP address; default: those of the old certificate.",
)
@options.signing_options
def renew(
    signing: SigningOptions, name: str, as_name: str | None, new_key: bool, hosts: tuple[str, ...]
) -> None:
    """Renew the certificate NAME with the same CA; by default with the same key and names."""
    old, old_key = signing.folder.certificate(name), signing.folder.key_pair(name).key
    key = keys.make_key(signing.key_type) if new_key else keys.read_key(old_key, signing.passphrase)
    certificate = issuance.renew_certificate(
        old,
        key.public_key(),
        signing.issuer,
        signing.lifetime,
        names.parse_names(hosts) if hosts else None,
    )
    _print_files(signing.save(as_name or name, certificate, key))
    ends = (old.not_valid_after_utc, certificate.not_valid_after_utc)
    click.echo("valid until {1:%Y-%m-%d}; the earlier certificate until {0:%Y-%m-%d}".format(*ends))
    program.print_next_steps(
        "podgraft serve reloads it automatically; for ACM, run podgraft certs import-acm --arn ARN"
    )


@command.command()
@click.argument("pems", nargs=-1, required=True, type=FILE)
@click.option("-o", "--output", type=PATH, help="File for the PEM bundle.")
@options.force_option
def bundle(pems: tuple[Path, ...], output: Path | None, force: bool) -> None:
    """Print the caBundle (base64) of the CAs in the files PEMS."""
    roots = trust.check_roots(
        [certificate for file in pems for certificate in pem.read_certificates(file)]
    )
    if output is not None:
        outputs.write_files([Output(output, pem.dump_certificates(roots))], force=force)
    click.echo(trust.encode_ca_bundle(roots))
    program.print_next_steps(
        "it is the value of webhooks[].clientConfig.caBundle; podgraft register --ca-bundle "
        "FILE fills it in and checks it"
    )


@command.command()
@click.argument("certificates", nargs=-1, required=True, type=FILE)
@click.option("--key", type=FILE, help="Key to compare with the certificate.")
@click.option("--ca", "authority", type=FILE, help="CAs that must have signed the certificate.")
@click.option(
    "--host", "hosts", multiple=True, help="Host for which the certificate must be valid."
)
@click.option(
    "--warn-days",
    type=int,
    default=WARN_DAYS,
    help="Warn if the certificate expires within this number of days.",
)
@options.passphrase_file
def inspect(
    certificates: tuple[Path, ...],
    key: Path | None,
    authority: Path | None,
    hosts: tuple[str, ...],
    warn_days: int,
    passphrase_file: Path | None,
) -> int:
    """Print a report about each of CERTIFICATES, with all errors and warnings.

    Exit status, for monitoring: 0 valid, 1 expires soon, 2 invalid, 3 unreadable; of several
    certificates the highest.
    """
    if key is not None and len(certificates) > 1:
        raise click.UsageError("--key belongs to one certificate; inspect the others separately")
    statuses: list[int] = []
    for certificate in certificates:
        if len(certificates) > 1:
            click.echo(f"{certificate}:")
        try:
            with convert_errors():
                inspection = Inspection(
                    chain=pem.read_certificates(certificate),
                    key=keys.read_key(key, keys.read_passphrase(passphrase_file)) if key else None,
                    roots=trust.check_roots(pem.read_certificates(authority)) if authority else (),
                    hosts=hosts,
                    now=system.now(),
                    warn_days=warn_days,
                )
            statuses.append(_print_report(inspection))
        except CommandError as error:
            error.show()
            statuses.append(ExitStatus.UNREADABLE)
    return max(statuses)


@command.command("import-acm")
@options.folder_option
@click.option("--name", default="server", help="Name of the certificate.")
@click.option("--arn", help="ARN of the imported certificate to replace.")
@click.option("--region", help="Region of the API; default: the region of the environment.")
@options.passphrase_file
def import_acm(
    path: Path, name: str, arn: str | None, region: str | None, passphrase_file: Path | None
) -> None:
    """Import a server certificate into AWS Certificate Manager."""
    folder = CertificateFolder(path)
    pair, authority = folder.key_pair(name), folder.key_pair(AUTHORITY).certificate
    request = acm.Import(
        chain=pem.read_certificates(pair.certificate),
        roots=pem.read_certificates(authority) if authority.exists() else (),
        key=keys.read_key(pair.key, keys.read_passphrase(passphrase_file)),
        replaces=arn,
    )
    acm.check_import(request, system.now())
    imported = acm.import_certificate(request, acm.make_acm_client(region, arn))
    click.echo(imported)
    if arn is not None:
        program.print_next_steps("none; API Gateway presents the new certificate within minutes")
        return
    program.print_next_steps(
        f"sam deploy --parameter-overrides CertificateArn={imported} DomainName=HOST",
        "mutual TLS with an imported certificate also requires "
        "OwnershipVerificationCertificateArn: a public ACM certificate of the same domain",
    )


def _print_files(pair: KeyPair) -> None:
    click.echo(f"wrote {pair.certificate} and {pair.key}")


def _print_report(inspection: Inspection) -> int:
    status, lines = inspection.status, [*inspection.describe()]
    for line in lines:
        click.echo(line)
    for fault in inspection.errors:
        click.echo(f"error      {fault}")
    for warning in inspection.warnings:
        click.echo(f"warning    {warning}")
    match status:
        case ExitStatus.FINE:
            program.print_next_steps("none; inspect the certificate again before it expires")
        case ExitStatus.ACT_SOON:
            program.print_next_steps("podgraft certs renew NAME --force")
        case _:
            program.print_next_steps("do not deploy the certificate; fix the errors above")
    return status
