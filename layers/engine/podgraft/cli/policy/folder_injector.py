"""An injector in a folder of ``podgraft serve``: its policy, and its bundles."""

import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from podgraft.cli import documents, folders, outputs
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.cli.tokens.storage_factory import open_repository
from podgraft.cli.wording import format_count
from podgraft.core import bundle
from podgraft.service.store.caller_document import Callers

from .bundle_bucket import Report, ignore
from .denied import check_denied
from .document_text import signed_version
from .rollout.evidence import Evidence
from .rollout.insights import Alarm
from .signing import SignedOrigin, Signer, check_origin, read_signed_bundle, sign_document
from .versions import StoredPolicy


class FolderInjector:
    """The files of one injector, as ``podgraft.service.store.folder`` reads them.

    --log names the file of a server, which has one version.
    """

    # Servers check the files at each review.
    delay = "at the next review"
    has_log = False

    def __init__(self, store: Path, injector: str) -> None:
        self.store = store
        self.injector = injector
        self.path = store / injector
        self.policy = self.path / "policy.yaml"
        self.bundle = self.path / "bundle"
        self.bundles = self.path / "bundles"
        self.documents = FolderDocuments(store)

    @property
    def exists(self) -> bool:
        """Whether the store has this injector."""
        return self.path.is_dir()

    @property
    def options(self) -> str:
        """The options of the folder for another command."""
        return shlex.join(["--injector", self.injector, "--config", str(self.store)])

    @property
    def all_options(self) -> str:
        """The same: a folder has no regions."""
        return self.options

    def check_exists(self) -> None:
        """Raise ``CommandError`` if the store does not have this injector."""
        if not self.exists:
            raise CommandError(
                f"injector {self.injector} has no policy: {self.path} not found; check --injector "
                "and --config"
            )

    def check_denied(self, digests: Iterable[str]) -> None:
        """Raise ``CommandError`` for a bundle that is on the deny list."""
        check_denied(self.documents, digests, f"--config {shlex.quote(str(self.store))}")

    @cached_property
    def callers(self) -> Mapping[str, Callers]:
        """The callers of each cluster; read once."""
        return open_repository(Location(folder=self.store)).read_all()

    def read_document(self) -> str:
        """Return the policy; empty if there is no file."""
        return documents.read_text(self.policy) if self.policy.exists() else ""

    def folder_of(self, digest: str) -> Path:
        """Return the folder of the bundle with this digest, below ``bundles``."""
        return self.bundles / digest.removeprefix("sha256:")

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Return the only bundle, or the one with this digest; raises ``CommandError``."""
        if digest is None:
            return folders.read_manifests(self.bundle)
        for folder in (self.bundle, self.folder_of(digest)):
            files = folders.read_manifests(folder) if folder.is_dir() else {}
            if files and bundle.digest(files) == digest:
                return files
        raise CommandError(
            f"{self.path}: bundle {digest} not found in bundle/ and bundles/; copy it to "
            f"{self.folder_of(digest)}"
        )

    def read(self) -> StoredPolicy:
        """Return the policy; an injector without one has an empty policy."""
        if not self.policy.exists():
            return StoredPolicy(text="", label="no version", date=None)
        text = self.read_document()
        date = datetime.fromtimestamp(self.policy.stat().st_mtime, UTC)
        return StoredPolicy(text=text, label=_label(text), date=date)

    def check_origin(self, signer: Signer | None, stored: StoredPolicy) -> None:
        """Raise ``CommandError`` if a command must not sign what it makes of a stored policy."""
        subject = f"folder:{self.injector}"
        origin = SignedOrigin(text=stored.text, label=stored.label, subject=subject)
        check_origin(signer, origin)

    def write(
        self, document: str, replaced: StoredPolicy, signer: Signer | None, message: str = ""
    ) -> str:
        """Put a document in force if *replaced* still is, and return its label."""
        del message  # a folder has none
        self.check_origin(signer, replaced)
        current = self.read()
        if current.text != replaced.text:
            raise CommandError(
                f"{self.policy}: expected {replaced.label}, got {current.label}; run the command "
                "again"
            )
        if signer is not None:
            digest = read_signed_bundle(document) or bundle.digest(self.read_bundle(None))
            number = (signed_version(replaced.text) or 0) + 1
            document = sign_document(signer, document, f"folder:{self.injector}", number, digest)
        outputs.replace_file(self.policy, document.encode())
        return f"{_label(document)} of {self.policy}"

    def upload(
        self, digest: str | None, files: Mapping[str, bytes], report: Report = ignore
    ) -> None:
        """Write the bundle to a folder of its digest, all files or none, and report it.

        Without a digest, it replaces the files of the only bundle.
        """
        if digest is None:
            self._replace_files(files, report)
            return
        target = self.folder_of(digest)
        if target.is_dir() and bundle.digest(folders.read_manifests(target)) == digest:
            return
        if target.exists():
            raise CommandError(f"{target}: is damaged; delete it, and run the command again")
        target.parent.mkdir(exist_ok=True)
        folders.write_folder(target, files)
        report(f"write      {format_count(len(files), 'file')} to {target}")

    def _replace_files(self, files: Mapping[str, bytes], report: Report) -> None:
        before = self.read_bundle(None)
        for path in before.keys() - files.keys():
            (self.bundle / path).unlink()
        for path in (each for each in sorted(files) if before.get(each) != files[each]):
            target = self.bundle / path
            target.parent.mkdir(parents=True, exist_ok=True)
            outputs.replace_file(target, files[path])
            report(f"write      {target}")

    def read_evidence(self, rollout: str, since: datetime | None) -> Evidence | None:
        """Return None."""
        del rollout, since

    def read_alarms(self) -> tuple[Alarm, ...] | None:
        """Return None."""

    def check_alias(self) -> None:
        """Accept: a server has one version."""


def _label(text: str) -> str:
    return f"version sha256:{sha256(text.encode()).hexdigest()[:12]}"
