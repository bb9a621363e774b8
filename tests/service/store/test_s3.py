"""Bundles in S3: what a listing may hold that is no file of a bundle, and how large it may be."""

from contextlib import nullcontext
from hashlib import sha256

import pytest

from podgraft.core import bundle
from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.store.aws.client import Listing, RetryBudget
from podgraft.service.store.aws.s3 import BundleReader


class Objects:
    """An ``ObjectReader`` over a dictionary; it counts what is read."""

    def __init__(
        self, objects: dict[str, bytes], size: int = 1, *, is_complete: bool = True
    ) -> None:
        self.objects = objects
        self.size = size
        self.is_complete = is_complete
        self.reads = 0

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """The keys below *prefix*, as S3 lists them."""
        del bucket, limit, seconds
        found = tuple(sorted(key for key in self.objects if key.startswith(prefix)))
        return Listing(keys=found, size=self.size, is_complete=self.is_complete)

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        """The content of an object."""
        del bucket, seconds
        self.reads += 1
        return self.objects[key]


@pytest.mark.parametrize("path", ["../../../a.yaml", "/etc/a.yaml", "a\\b.yaml", "a//b.yaml", ""])
def test_an_object_that_is_no_file_of_the_bundle_is_named(path: str) -> None:
    """Even if the digest counts it: the loader takes what the commands take, and nothing else."""
    digest = sha256(f"{sha256(b'x').hexdigest()}  {path}\n".encode()).hexdigest()
    key = f"bundles/shop/{digest}/{path}"
    objects = Objects({key: b"x"})
    bundles = BundleReader(objects, "bucket", "bundles/")
    with pytest.raises(NotLoadedError) as refused:
        bundles.files("shop", f"sha256:{digest}", RetryBudget.from_seconds(1))
    assert repr(key) in str(refused.value)
    assert "delete the object" in str(refused.value)
    assert objects.reads == 0


_MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("size", "is_complete", "is_read"),
    [
        (20 * _MEBIBYTE, True, True),
        (20 * _MEBIBYTE + 1, True, False),
        (1, False, False),  # more objects than one page of a listing
    ],
)
def test_a_bundle_that_is_too_large_is_not_read(
    size: int, is_complete: bool, is_read: bool
) -> None:
    digest = bundle.digest({"a.yaml": b"x"})
    key = f"bundles/shop/{digest.removeprefix('sha256:')}/a.yaml"
    objects = Objects({key: b"x"}, size, is_complete=is_complete)
    bundles = BundleReader(objects, "bucket", "bundles/")
    with (
        nullcontext()
        if is_read
        else pytest.raises(NotLoadedError, match="at most 1000 files and 20971520 bytes")
    ):
        bundles.files("shop", digest, RetryBudget.from_seconds(1))
    assert objects.reads == int(is_read)


def test_objects_that_grow_after_the_listing_are_not_all_read() -> None:
    """Whoever writes to the bucket can replace them between the two requests."""
    digest = bundle.digest({"a.yaml": b"x"})
    folder = f"bundles/shop/{digest.removeprefix('sha256:')}/"
    objects = Objects({f"{folder}{i}.yaml": b"x" * 8 * _MEBIBYTE for i in range(9)})
    bundles = BundleReader(objects, "bucket", "bundles/")
    with pytest.raises(NotLoadedError, match="at most 1000 files and 20971520 bytes"):
        bundles.files("shop", digest, RetryBudget.from_seconds(1))
    assert objects.reads == 3
