"""An injector in a folder of ``podgraft serve``: its policy, and its bundles."""

import shlex
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from podgraft.cli import documents, folders
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.cli.tokens.storage_factory import open_repository
from podgraft.core import bundle
from podgraft.service.store.caller_document import Callers

from .denied import check_denied


class FolderInjector:
    """The files of one injector, as ``podgraft.service.store.folder`` reads them."""

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
