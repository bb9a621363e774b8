"""A new CA takes over from an old one, and no cluster is without trust for a moment.

The new authority grows in a folder of its own, so that nothing is overwritten and every step can be
repeated. Each step refuses to happen before what it stands on is true in the clusters:

1. begin   makes the new CA and the bundle of both. Then clusters are registered with the bundle.
2. switch  needs proof that every cluster trusts both, and issues all certificates anew. Then these
           are deployed.
3. finish  needs proof that the endpoint shows the new certificate, and ends the bundle. Then
           clusters are registered with the new CA alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cryptography import x509

import outputs
from certificates import issuing, keys, names, pem, registered, trust
from certificates.errors import CertificateError
from certificates.folder import AUTHORITY, Folder
from certificates.issuing import Issuer, Kind, Lifetime
from certificates.keys import KeyType, PrivateKey
from outputs import Output


class Stage(Enum):
    """How far a rotation is, in the words of what to do next."""

    TO_BEGIN = "begin: make the new CA and the bundle of both"
    TO_SWITCH = "register every cluster with the bundle, then switch: issue certificates anew"
    TO_FINISH = "deploy the new certificates, then finish: drop the old CA"
    DONE = "register every cluster with the new CA alone, and put the old folder away"


@dataclass(frozen=True, slots=True)
class Rotation:
    """The old folder and the new one."""

    old: Folder
    new: Folder

    @property
    def stage(self) -> Stage:
        """What the files say about how far the rotation is."""
        if not self.new.pair(AUTHORITY).certificate.exists():
            return Stage.TO_BEGIN
        if any(not self.new.pair(name).certificate.exists() for name in self.old.leaves()):
            return Stage.TO_SWITCH
        return Stage.TO_FINISH if self.new.bundle.exists() else Stage.DONE

    def demand(self, wanted: Stage) -> None:
        """Raise ``CertificateError`` unless it is time for *wanted*."""
        if self.stage is not wanted:
            raise CertificateError(f"not yet, or not any more; the next step is {self.stage.value}")


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """Which keys renewed certificates get: new ones of a kind or, without one, the old ones."""

    kind: KeyType | None
    passphrase: bytes | None = None

    def of(self, old: Path) -> PrivateKey:
        """The key for the successor of the certificate whose key is in *old*."""
        return keys.read(old, self.passphrase) if self.kind is None else keys.make(self.kind)


def begin(rotation: Rotation, kind: KeyType, lifetime: Lifetime, secret: bytes | None) -> None:
    """Make the new CA and, in the same breath, the bundle that trusts old and new."""
    rotation.demand(Stage.TO_BEGIN)
    old = rotation.old.certificate(AUTHORITY)
    key = keys.make(kind)
    certificate = issuing.authority(key, None, lifetime)
    pair = rotation.new.pair(AUTHORITY)
    all_three = (
        Output(rotation.new.bundle, pem.dump(trust.roots([old, certificate]))),
        Output(pair.key, keys.encode(key, secret), outputs.SECRET),
        Output(pair.certificate, pem.dump([certificate])),
    )
    outputs.write(all_three, force=False)


def switch(
    rotation: Rotation,
    clusters: Sequence[Path],
    issuer: Issuer,
    lifetime: Lifetime,
    choice: KeyChoice,
) -> None:
    """Issue every certificate of the old folder under the new CA.

    *clusters* are the registrations of all clusters: each must trust both CAs by now.
    """
    rotation.demand(Stage.TO_SWITCH)
    both = (rotation.old.certificate(AUTHORITY), issuer.certificate)
    leaves = tuple(rotation.old.leaves())
    for name in leaves:
        leaf = rotation.old.certificate(name)
        if issuing.kind(leaf) is Kind.SERVER:
            _demand_trust(clusters, leaf, both)
    for name in leaves:
        if not rotation.new.pair(name).certificate.exists():
            _renew(rotation, name, issuer, lifetime, choice)


def finish(rotation: Rotation, faults: Sequence[str]) -> None:
    """End the bundle; *faults* are what a client that trusts the new CA alone found live."""
    rotation.demand(Stage.TO_FINISH)
    if faults:
        raise CertificateError(
            "the endpoint does not yet show a certificate of the new CA; deploy it first: "
            + "; ".join(faults)
        )
    rotation.new.bundle.unlink()


def _renew(
    rotation: Rotation, name: str, issuer: Issuer, lifetime: Lifetime, choice: KeyChoice
) -> None:
    key = choice.of(rotation.old.pair(name).key)
    old = rotation.old.certificate(name)
    certificate = issuing.renew(old, key.public_key(), issuer, lifetime)
    rotation.new.save_leaf(name, certificate, key, choice.passphrase, force=False)


def _demand_trust(
    clusters: Sequence[Path], leaf: x509.Certificate, both: Sequence[x509.Certificate]
) -> None:
    """Raise ``CertificateError`` naming every webhook that does not trust *both* CAs."""
    webhooks = [one for file in clusters for one in registered.read(file, names.of(leaf))]
    behind = [one.place for one in webhooks if not set(both) <= set(one.roots)]
    if behind or not webhooks:
        raise CertificateError(
            "not every cluster is known to trust the old and the new CA; register with the bundle "
            "first: " + "; ".join(behind or ["no registration was given (--registered)"])
        )
