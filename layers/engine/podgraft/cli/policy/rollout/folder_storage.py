"""The rollouts of podgraft serve: the policy, the bundles, and the brakes in a folder."""

import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from podgraft.cli import documents, folders
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.denied import load_deny_list
from podgraft.cli.policy.signing import Signer, sign_document, signed_version
from podgraft.cli.storage import Documents
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.core import bundle as bundles
from podgraft.core.policy import parse

from .alarms import Alarm
from .evidence import Evidence
from .storage import StoredPolicy, check_signer


class FolderRolloutStorage:
    """The files of a folder store."""

    def __init__(self, folder: Path, injector: str) -> None:
        self._folder = folder
        self._path = folder / injector
        if not self._path.is_dir():
            raise CommandError(f"{self._path}: is not a folder; check --store and --injector")

    @property
    def injector(self) -> str:
        """The name of the injector."""
        return self._path.name

    @property
    def documents(self) -> Documents:
        """The files of the folder."""
        return FolderDocuments(self._folder)

    @property
    def options(self) -> str:
        """The options of the folder."""
        return shlex.join(["--injector", self.injector, "--config", str(self._folder)])

    @property
    def delay(self) -> str:
        """Servers check the files at each review."""
        return "at the next review"

    def read(self) -> StoredPolicy:
        """Read the file; an injector without one has an empty policy."""
        path = self._path / "policy.yaml"
        if not path.exists():
            return StoredPolicy(text="", label="no version", date=None)
        text = documents.read_text(path)
        date = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return StoredPolicy(text=text, label=_label(text), date=date)

    def write(self, document: str, replaced: StoredPolicy, signer: Signer | None) -> str:
        """Replace the file atomically."""
        check_signer(replaced, signer)
        current = self.read()
        if current.text != replaced.text:
            raise CommandError(
                f"{self._path / 'policy.yaml'}: expected {replaced.label}, got {current.label}; "
                "run the command again"
            )
        if signer is not None:
            read = parse(document)
            digest = read.bundle or bundles.digest(self.read_bundle(None))
            number = (signed_version(replaced.text) or 0) + 1
            document = sign_document(signer, document, f"folder:{self.injector}", number, digest)
        folders.replace_file(self._path / "policy.yaml", document.encode())
        return f"{_label(document)} of {self._path / 'policy.yaml'}"

    def check_denied(self, digests: Iterable[str]) -> None:
        """Compare with the deny list of the folder."""
        reasons = load_deny_list(self.documents).reasons
        findings = [
            f"bundle {digest} is denied: {reasons[digest]}; use another bundle, or allow it again: "
            f"podgraft policy undeny {digest} --store {shlex.quote(str(self._folder))}"
            for digest in dict.fromkeys(digests)
            if digest in reasons
        ]
        if findings:
            raise CommandError(*findings)

    def upload(self, digest: str, files: Mapping[str, bytes]) -> list[str]:
        """Write the bundle to a folder of its digest, all files or none."""
        target = self._path / "bundles" / digest.removeprefix("sha256:")
        if target.is_dir() and bundles.digest(folders.read_manifests(target)) == digest:
            return []
        if target.exists():
            raise CommandError(f"{target}: is damaged; delete it, and run the command again")
        target.parent.mkdir(exist_ok=True)
        folders.write_folder(target, files)
        return [f"write      {len(files)} files to {target}"]

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Read bundle/, or the folder of the digest."""
        manifests = folders.read_manifests(self._path / "bundle")
        if digest is None or bundles.digest(manifests) == digest:
            return manifests
        target = self._path / "bundles" / digest.removeprefix("sha256:")
        if not target.is_dir():
            raise CommandError(f"bundle {digest}: not found in {self._path}; add it to bundles/")
        return folders.read_manifests(target)

    @property
    def has_log(self) -> bool:
        """A folder has no log: --log names the file of a server."""
        return False

    def read_evidence(self, rollout: str, since: datetime | None) -> Evidence | None:
        """Return None."""
        del rollout, since

    def read_alarms(self) -> tuple[Alarm, ...] | None:
        """Return None."""

    def check_alias(self) -> None:
        """Accept: a server has one version."""


def _label(text: str) -> str:
    return f"version sha256:{sha256(text.encode()).hexdigest()[:12]}"
