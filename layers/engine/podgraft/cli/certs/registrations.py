"""Which CAs clusters trust for an endpoint: read back from the registrations they really have."""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.cli import documents
from podgraft.cli.certs import pem
from podgraft.cli.certs.names import SubjectAltNames
from podgraft.cli.client_config import read_destination
from podgraft.cli.failure import CommandError


@dataclass(frozen=True, slots=True)
class WebhookRegistration:
    """One webhook of a cluster that calls the endpoint."""

    location: str
    host: str
    roots: tuple[x509.Certificate, ...]


def read_registrations(file: Path, served: SubjectAltNames) -> tuple[WebhookRegistration, ...]:
    """Return the webhooks of *file* with one of the *served* names as host.

    *file* is the output of ``kubectl get mutatingwebhookconfigurations -o yaml``. Raises
    ``CommandError`` if no webhook calls the endpoint.
    """
    webhooks = tuple(
        webhook
        for manifest in documents.read_objects(file)
        for webhook in _find_webhooks(manifest, str(file))
        if served.matches_host(webhook.host)
    )
    if not webhooks:
        raise CommandError(
            f"{file}: no webhook in it calls {served}; print the cluster's registrations with "
            "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o yaml"
        )
    return webhooks


def _find_webhooks(manifest: Object, location: str) -> Iterator[WebhookRegistration]:
    for webhook in objects_at(manifest, "webhooks"):
        client = object_at(webhook, "clientConfig")
        if host := read_destination(client).host:
            name = f"{location}: webhook {webhook.get('name')}"
            bundle = string_at(client, "caBundle")
            roots = _parse_ca_bundle(bundle, name) if bundle else ()
            yield WebhookRegistration(name, host, roots)


def _parse_ca_bundle(bundle: str, location: str) -> tuple[x509.Certificate, ...]:
    try:
        data = base64.b64decode(bundle, validate=True)
    except binascii.Error as error:
        raise CommandError(f"{location}: caBundle is not base64 ({error})") from error
    return pem.parse_certificates(data, location)
