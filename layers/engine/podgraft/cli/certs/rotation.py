"""The rotation of the CA without downtime: every cluster always trusts the presented certificate.

The new CA is created in a separate folder, so no file is overwritten and you can repeat each step.
Each step checks its preconditions, and stops if one is not met:

1. begin   creates the new CA and the bundle of both CAs. Then register the clusters with it.
2. switch  requires that every cluster trusts both CAs, and renews all certificates. Then deploy
           the certificates.
3. finish  requires that the endpoint presents the new certificate, and ends the bundle. Then
           register the clusters with the new CA only.
"""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from cryptography import x509
from msgspec import Struct

from podgraft.base.jsonvalue import object_at
from podgraft.cli import documents, outputs
from podgraft.cli.certs import issuance, keys, names, pem, trust
from podgraft.cli.certs.folder import AUTHORITY, CertificateFolder
from podgraft.cli.certs.issuance import CertificatePurpose, Issuer, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.certs.names import SubjectAltNames
from podgraft.cli.client_config import read_destination
from podgraft.cli.endpoint_check.certificates import check_ca_bundle
from podgraft.cli.failure import CommandError
from podgraft.cli.live.registrations import Webhook, parse_webhooks
from podgraft.cli.outputs import Output


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
        """Raise ``CommandError`` unless it is time for *wanted*."""
        if self.stage is not required:
            raise CommandError(f"not yet, or not any more; the next step is {self.stage.value}")


def begin_rotation(
    rotation: Rotation, kind: KeyType, lifetime: Validity, secret: bytes | None
) -> None:
    """Make the new CA and, in the same breath, the bundle that trusts old and new."""
    rotation.check_stage(RotationStage.BEGIN)
    old = rotation.old.certificate(AUTHORITY)
    key = keys.make_key(kind)
    certificate = issuance.make_ca(key, None, lifetime)
    pair = rotation.new.key_pair(AUTHORITY)
    all_three = (
        Output(rotation.new.bundle, pem.dump_certificates(trust.check_roots([old, certificate]))),
        Output(pair.key, keys.encode_key(key, secret), outputs.SECRET),
        Output(pair.certificate, pem.dump_certificates([certificate])),
    )
    outputs.write_files(all_three, force=False)


def switch_certificates(
    rotation: Rotation,
    clusters: Sequence[Path],
    issuer: Issuer,
    lifetime: Validity,
    kind: KeyType | None,
    secret: bytes | None,
) -> None:
    """Issue every certificate of the old folder under the new CA.

    Certificates get new keys of a *kind*, and keep theirs without one. *clusters* are the
    registrations of all clusters: each must trust both CAs by now.
    """
    rotation.check_stage(RotationStage.SWITCH)
    both = (rotation.old.certificate(AUTHORITY), issuer.certificate)
    leaves = tuple(rotation.old.leaf_names())
    for name in leaves:
        leaf = rotation.old.certificate(name)
        if issuance.certificate_purpose(leaf) is CertificatePurpose.SERVER:
            _check_trust(clusters, leaf, both)
    for name in leaves:
        if not rotation.new.key_pair(name).certificate.exists():
            old, file = rotation.old.certificate(name), rotation.old.key_pair(name).key
            key = keys.read_key(file, secret) if kind is None else keys.make_key(kind)
            certificate = issuance.renew_certificate(old, key.public_key(), issuer, lifetime)
            pair = rotation.new.leaf_pair(name)
            rotation.new.save(pair, certificate, key, secret, force=False)


def finish_rotation(rotation: Rotation, faults: Sequence[str]) -> None:
    """End the bundle; *faults* are what a client that trusts the new CA alone found live."""
    rotation.check_stage(RotationStage.FINISH)
    if faults:
        raise CommandError(
            "the endpoint does not yet show a certificate of the new CA; deploy it first: "
            + "; ".join(faults)
        )
    rotation.new.bundle.unlink()


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
