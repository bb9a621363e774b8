"""The policy in force of a storage of rollouts."""

from dataclasses import dataclass
from datetime import datetime

from podgraft.cli.failure import CommandError
from podgraft.cli.policy.document_text import signed_version, strip_signature
from podgraft.cli.policy.signing import Signer
from podgraft.cli.policy.versions import PolicyVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPolicy:
    """The policy in force: its text, its version, and when it was stored."""

    text: str
    label: str
    date: datetime | None
    version: PolicyVersion | None = None

    @property
    def document(self) -> str:
        """The text without its signature."""
        return strip_signature(self.text)


def check_signer(replaced: StoredPolicy, signer: Signer | None) -> None:
    """Raise ``CommandError`` if an unsigned document would replace a signed one."""
    if signer is None and signed_version(replaced.text) is not None:
        raise CommandError(
            f"{replaced.label} is signed; sign the new version with --sign KEY or --sign-key FILE"
        )
