"""The check of a version before it loads: its signature, and the deny list.

Both stores call it for every version: at a cold start, at a refresh, and in the search for the last
known good version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from .errors import UntrustedError

if TYPE_CHECKING:
    from podgraft.core.signing.signature import Signature
    from podgraft.core.signing.verifier import Verifier


class VersionCheck(Struct, frozen=True, kw_only=True):
    """What a version must satisfy.

    ``subject`` and ``number`` are the name and the version that the signature must be for; without
    a number, it can be any version from ``oldest``. ``denied`` are reasons by digest.
    """

    subject: str = ""
    number: int | None = None
    oldest: int = 0
    verifier: Verifier | None = None
    denied: Mapping[str, str] = field(default_factory=dict[str, str])

    def check_signature(self, document: str) -> Signature | None:
        """Return the signature; None if it is not checked. Raises ``UntrustedError``."""
        if self.verifier is None:
            return None
        # Imported here: only a store with the public key of a signer needs it.
        from podgraft.core.signing.signature import SignatureError

        try:
            signature = self.verifier.verify(document, self.subject, self.number)
        except SignatureError as error:
            raise UntrustedError(str(error)) from error
        if signature is not None and signature.version < self.oldest:
            raise UntrustedError(
                f"the policy is signed for version {signature.version}, but version {self.oldest} "
                "was in force; sign it for a later version"
            )
        return signature

    def check_digest(self, digest: str, signature: Signature | None = None) -> None:
        """Raise ``UntrustedError`` for a denied bundle, and for another one than the signed."""
        reason = self.find_denial([digest])
        if reason is not None:
            raise UntrustedError(reason)
        if signature is not None and signature.digest != digest:
            raise UntrustedError(
                f"the policy is signed for bundle {signature.digest}, but the bundle is {digest}; "
                "sign the policy for this bundle"
            )

    def find_version(self, document: str) -> int:
        """Return the version that a valid document is signed for, or the oldest possible one."""
        if self.verifier is None:
            return self.oldest
        from podgraft.core.signing.signature import split_signature

        signature = split_signature(document).signature
        return self.oldest if signature is None else signature.version

    def find_denial(self, digests: Iterable[str]) -> str | None:
        """Return the problem of the first denied digest, or None."""
        for digest in digests if self.denied else ():
            if digest in self.denied:
                return f"bundle {digest} is denied: {self.denied[digest]}; use another bundle"
        return None


NO_CHECK = VersionCheck()


def parse_denied(text: str, location: str) -> Mapping[str, str]:
    """Parse the text of a deny list; raises ``UntrustedError``.

    With an invalid list, no version loads.
    """
    if not text.strip():
        return {}
    from podgraft.core.signing.denied import DenyListError, parse_deny_list
    from podgraft.kube import yaml  # many stores have no deny list

    try:
        return parse_deny_list(yaml.load_document(text))
    except DenyListError as error:
        raise UntrustedError(f"{location} does not load: {error}") from error
    except yaml.NotYAMLError as error:
        # The text of the error can quote a key.
        raise UntrustedError(
            f"{location} does not load: not one valid YAML document at {error.position}"
        ) from error
