"""The policy in force of a storage of rollouts."""

from dataclasses import dataclass
from datetime import datetime

from podgraft.cli.policy.document_text import strip_signature
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
