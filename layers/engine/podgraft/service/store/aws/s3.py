"""Bundles in S3: ``<prefix><injector>/<sha256>/<relative path>``, verified when they are read.

The digest in the key is the digest of the content. A bundle is either exactly the one that the
policy names, or it is rejected.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from podgraft.core import bundle
from podgraft.core.versions.errors import NotLoadedError

from .client import MAX_OBJECT_BYTES, MissingError, ObjectReader, RetryBudget, call_with_retries

MAX_FILES = 1000  # one page of a listing
TOO_LARGE = f"the bundle is too large; at most {MAX_FILES} files and {MAX_OBJECT_BYTES} bytes"


def fits(count: int, size: int) -> bool:
    """Whether the function reads a bundle with this number of files and bytes."""
    return count <= MAX_FILES and size <= MAX_OBJECT_BYTES


class BundleReader(Struct, frozen=True):
    """The bundles in one bucket."""

    client: ObjectReader
    bucket: str
    prefix: str

    def key_prefix(self, injector: str, digest: str) -> str:
        """The key prefix of one bundle."""
        return f"{self.prefix}{injector}/{digest.removeprefix('sha256:')}/"

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        """Return the files of a bundle by relative path.

        Raises ``NotLoadedError`` if the bundle is missing, too large, or damaged, and
        ``UnavailableError`` if S3 does not respond in time.
        """
        if digest is None:
            raise NotLoadedError('the policy names no bundle; add "bundle: sha256:…"')
        folder = self.key_prefix(injector, digest)
        keys = self._keys(folder, patience)
        _check_keys(folder, keys)
        files: dict[str, bytes] = {}
        remaining = MAX_OBJECT_BYTES
        for key in keys:
            content = files[key.removeprefix(folder)] = self._read(key, patience)
            remaining -= len(content)
            if remaining < 0:  # replaced since it was listed
                raise NotLoadedError(TOO_LARGE)
        if not files:
            raise MissingError(f"bundle {digest} is missing in S3; push it again")
        if bundle.digest(files) != digest:
            raise NotLoadedError(f"bundle {digest} is damaged in S3; push it again")
        return files

    def _keys(self, folder: str, patience: RetryBudget) -> tuple[str, ...]:
        listing = call_with_retries(
            "listing the bundle in S3",
            lambda seconds: self.client.keys(self.bucket, folder, MAX_FILES, seconds),
            patience,
        )
        if not listing.is_complete or not fits(len(listing.keys), listing.size):
            raise NotLoadedError(TOO_LARGE)
        return listing.keys

    def _read(self, key: str, patience: RetryBudget) -> bytes:
        return call_with_retries(
            "reading the bundle from S3",
            lambda seconds: self.client.read(self.bucket, key, seconds),
            patience,
        )


def _check_keys(folder: str, keys: Iterable[str]) -> None:
    """Raise ``NotLoadedError`` for the first key that is not the path of a file in *folder*."""
    for key in keys:
        problem = bundle.validate_path(key.removeprefix(folder))
        if problem:
            raise NotLoadedError(
                f"object {key!r} in S3: the path of a file {problem}; delete the object"
            )
