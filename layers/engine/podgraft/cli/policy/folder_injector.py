"""An injector in a folder of ``podgraft serve``: its policy, and its bundles."""

from collections.abc import Mapping
from pathlib import Path

from podgraft.cli import documents, folders
from podgraft.cli.failure import CommandError
from podgraft.core import bundle


class FolderInjector:
    """The files of one injector, as ``podgraft.service.store.folder`` reads them."""

    def __init__(self, store: Path, injector: str) -> None:
        self.store = store
        self.injector = injector
        self.path = store / injector
        self.policy = self.path / "policy.yaml"
        self.bundle = self.path / "bundle"
        self.bundles = self.path / "bundles"

    @property
    def exists(self) -> bool:
        """Whether the store has this injector."""
        return self.path.is_dir()

    def check_exists(self) -> None:
        """Raise ``CommandError`` if the store does not have this injector."""
        if not self.exists:
            raise CommandError(
                f"injector {self.injector} has no policy: {self.path} not found; check --injector "
                "and --store"
            )

    def read_document(self) -> str:
        """Return the policy; empty if there is no file."""
        return documents.read_text(self.policy) if self.policy.exists() else ""

    def read_bundle(self, digest: str | None) -> Mapping[str, bytes]:
        """Return the only bundle, or the one with this digest."""
        if digest is None:
            return folders.read_manifests(self.bundle)
        for folder in (self.bundle, self.bundles / digest.removeprefix("sha256:")):
            files = folders.read_manifests(folder) if folder.is_dir() else {}
            if files and bundle.digest(files) == digest:
                return files
        raise CommandError(
            f"{self.path}: bundle {digest} not found in bundle/ and bundles/; copy it to "
            f"{self.bundles / digest.removeprefix('sha256:')}"
        )
