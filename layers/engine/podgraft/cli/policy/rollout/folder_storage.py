"""The rollouts of podgraft serve: the policy, the bundles, and the brakes in a folder."""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from podgraft.cli import folders, outputs
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.document_text import signed_version
from podgraft.cli.policy.folder_injector import FolderInjector
from podgraft.cli.policy.signing import Signer, check_signer, sign_document
from podgraft.core import bundle as bundles
from podgraft.core.policy import parse

from .alarms import Alarm
from .evidence import Evidence
from .stored_policy import StoredPolicy


class FolderRolloutStorage(FolderInjector):
    """The files of a folder store. --log names the file of a server, which has one version."""

    # Servers check the files at each review.
    delay = "at the next review"
    has_log = False

    def __init__(self, store: Path, injector: str) -> None:
        super().__init__(store, injector)
        self.check_exists()

    def read(self) -> StoredPolicy:
        """Return the policy; an injector without one has an empty policy."""
        if not self.policy.exists():
            return StoredPolicy(text="", label="no version", date=None)
        text = self.read_document()
        date = datetime.fromtimestamp(self.policy.stat().st_mtime, UTC)
        return StoredPolicy(text=text, label=_label(text), date=date)

    def write(
        self, document: str, replaced: StoredPolicy, signer: Signer | None, message: str = ""
    ) -> str:
        """Put a document in force if *replaced* still is, and return its label."""
        del message  # a folder has none
        check_signer(signer, replaced.text, replaced.label)
        current = self.read()
        if current.text != replaced.text:
            raise CommandError(
                f"{self.policy}: expected {replaced.label}, got {current.label}; run the command "
                "again"
            )
        if signer is not None:
            read = parse(document)
            digest = read.bundle or bundles.digest(self.read_bundle(None))
            number = (signed_version(replaced.text) or 0) + 1
            document = sign_document(signer, document, f"folder:{self.injector}", number, digest)
        outputs.replace_file(self.policy, document.encode())
        return f"{_label(document)} of {self.policy}"

    def upload(self, digest: str | None, files: Mapping[str, bytes]) -> list[str]:
        """Write the bundle to a folder of its digest, all files or none.

        Without a digest, it replaces the files of the only bundle.
        """
        if digest is None:
            return self._replace_files(files)
        target = self.folder_of(digest)
        if target.is_dir() and bundles.digest(folders.read_manifests(target)) == digest:
            return []
        if target.exists():
            raise CommandError(f"{target}: is damaged; delete it, and run the command again")
        target.parent.mkdir(exist_ok=True)
        folders.write_folder(target, files)
        return [f"write      {len(files)} files to {target}"]

    def _replace_files(self, files: Mapping[str, bytes]) -> list[str]:
        before = self.read_bundle(None)
        for path in before.keys() - files.keys():
            (self.bundle / path).unlink()
        changed = [path for path in sorted(files) if before.get(path) != files[path]]
        for path in changed:
            target = self.bundle / path
            target.parent.mkdir(parents=True, exist_ok=True)
            outputs.replace_file(target, files[path])
        return [f"write      {self.bundle / path}" for path in changed]

    def read_evidence(self, rollout: str, since: datetime | None) -> Evidence | None:
        """Return None."""
        del rollout, since

    def read_alarms(self) -> tuple[Alarm, ...] | None:
        """Return None."""

    def check_alias(self) -> None:
        """Accept: a server has one version."""


def _label(text: str) -> str:
    return f"version sha256:{sha256(text.encode()).hexdigest()[:12]}"
