"""The CAs with which kube-apiserver verifies the endpoint, and their checks."""

import re
from collections.abc import Iterable
from pathlib import Path

import click
from cryptography import x509

from podgraft.base import system
from podgraft.cli.certs import pem, trust
from podgraft.cli.failure import CommandError
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.register.options import RegisterOptions

_CERTIFICATE = re.compile(
    r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?"
)


def check_source(endpoint: Endpoint, options: RegisterOptions) -> None:
    """Raise ``CommandError`` if the CAs are missing, or if two options set them."""
    certificate = options["cert_manager"]
    if certificate is not None:
        if not _CERTIFICATE.fullmatch(certificate):
            raise CommandError(f"--cert-manager: got {certificate!r}; write NAMESPACE/CERTIFICATE")
        if options["ca_bundle"]:
            raise CommandError(
                "--cert-manager: cainjector replaces the CAs of --ca-bundle; give one of them"
            )
        if options["static"] is not None:
            raise CommandError(
                "--cert-manager: cainjector cannot change static manifests; use --ca-bundle"
            )
    if endpoint.service is None:
        return
    if options["is_tested"]:
        raise CommandError(
            "--test: a Service cannot be called from outside the cluster; use --server-cert"
        )
    if not options["ca_bundle"] and certificate is None:
        raise CommandError(
            f"--service: no public CA signs certificates for {endpoint.host}; give --ca-bundle, or "
            "--cert-manager"
        )


def read_roots(files: Iterable[Path]) -> list[x509.Certificate]:
    """Return the certificates of the files."""
    return [certificate for file in files for certificate in pem.read_certificates(file)]


def check_trust(endpoint: Endpoint, options: RegisterOptions) -> None:
    """Raise ``CommandError`` if kube-apiserver would not trust the given certificates.

    With --test, the certificate of the endpoint is verified later.
    """
    server_cert = options["server_cert"]
    roots = trust.check_roots(read_roots(options["ca_bundle"]))
    host, now = endpoint.host.strip("[]"), system.now()
    problems = [problem for root in roots for problem in trust.time_problems(root, now)]
    if server_cert:
        if not roots:
            raise CommandError("--server-cert is checked against --ca-bundle; give it too")
        problems += trust.find_trust_problems(pem.read_certificates(server_cert), roots, host, now)
    if problems:
        raise CommandError(trust.describe_distrust(endpoint.authority, problems, host, server_cert))
    if roots and not server_cert and not options["is_tested"]:
        click.echo(
            "not checked; use --server-cert or --test to verify the certificate with these CAs",
            err=True,
        )
