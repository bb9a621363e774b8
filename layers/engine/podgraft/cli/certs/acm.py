"""The import of a certificate into AWS Certificate Manager, for the custom domain of the API.

All problems that ACM or API Gateway would reject are reported before the first request. Regional
endpoints support RSA-2048 and ECDSA P-256. ACM requires an unencrypted key, and each certificate of
the chain must be signed by the next one (AWS Certificate Manager User Guide, «Prerequisites for
importing»).
"""

import re
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import Any

from cryptography import x509
from msgspec import Struct

from podgraft.cli.certs import keys, names, pem, trust
from podgraft.cli.certs.issuance import CertificatePurpose, certificate_purpose, is_ca
from podgraft.cli.certs.keys import PrivateKey
from podgraft.cli.certs.trust import Certificates
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import make_client

MAX_DOMAINS = 100  # ACM: names a certificate may carry

_ARN = re.compile(r"arn:[^:]+:acm:([a-z0-9-]+):[0-9]{12}:certificate/[0-9a-f-]+")


class Import(Struct, frozen=True, kw_only=True):
    """The certificate to import."""

    chain: Certificates  # the server's certificate first
    roots: Certificates
    key: PrivateKey
    replaces: str | None  # the ARN under which the certificate is known already


def check_import(request: Import, now: datetime) -> None:
    """Raise ``CommandError`` with every reason why the import would fail or would not serve."""
    problems = tuple(_find_problems(request, now))
    if problems:
        raise CommandError("not imported: " + "; ".join(problems))


def make_acm_client(region: str | None, replaces: str | None = None) -> Any:
    """boto3's client, in the region of the certificate it *replaces*."""
    if replaces is not None:
        match = _ARN.fullmatch(replaces)
        if match is None:
            raise CommandError(f"{replaces!r} is no ARN of an ACM certificate")
        region = match[1]
    return make_client("acm", region)


def import_certificate(request: Import, client: Any) -> str:
    """Import what has passed ``check_import``; returns the certificate's ARN."""
    arguments = {
        "Certificate": pem.dump_certificates(request.chain[:1]),
        "PrivateKey": keys.encode_key(request.key, None),
        "CertificateChain": pem.dump_certificates(_issuer_chain(request)),
        "CertificateArn": request.replaces,
    }
    faults = import_module("botocore.exceptions")
    try:
        given = {name: value for name, value in arguments.items() if value}
        arn = client.import_certificate(**given).get("CertificateArn")
    except faults.ClientError as error:
        # Only the code: the message of AWS can quote the unencrypted key.
        raise CommandError(f"ACM: {error.response['Error']['Code']}") from error
    except faults.BotoCoreError as error:
        raise CommandError(f"ACM: {error}") from error
    if not arn:
        raise CommandError("ACM answered without a CertificateArn")
    return arn


def _issuer_chain(request: Import) -> tuple[x509.Certificate, ...]:
    """The rest of the chain up to a root, in the order in which each is signed by the next."""
    chain = list(request.chain)
    root = next((root for root in request.roots if trust.is_signed_by(chain[-1], root)), None)
    if root is not None and root not in chain:
        chain.append(root)
    return tuple(chain[1:])


def _find_problems(request: Import, now: datetime) -> Iterator[str]:
    leaf = request.chain[0]
    if is_ca(leaf) or certificate_purpose(leaf) is not CertificatePurpose.SERVER:
        yield (
            f"{trust.describe_subject(leaf)}: is not a server certificate; write the server "
            "certificate first in the file"
        )
        return
    yield from trust.time_problems(leaf, now)
    if keys.key_type(leaf) is None:
        yield "the key is neither RSA-2048 nor ECDSA P-256, which regional endpoints need"
    if not keys.is_key_pair(request.key, leaf):
        yield "the key is of another certificate"
    if not 1 <= len(names.names_of(leaf).dns) <= MAX_DOMAINS:
        yield f"the certificate must carry 1 to {MAX_DOMAINS} DNS names, for the custom domain"
    yield from trust.order_problems(request.chain)
