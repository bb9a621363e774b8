"""Bundles in S3: what a listing may hold that is no file of a bundle."""

from hashlib import sha256

import pytest

from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.store.aws.client import Listing, RetryBudget
from podgraft.service.store.aws.s3 import BundleReader


class Objects:
    """An ``ObjectReader`` over a dictionary; it counts what is read."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        self.objects = objects
        self.reads = 0

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        """The keys below *prefix*, as S3 lists them."""
        del bucket, limit, seconds
        found = tuple(sorted(key for key in self.objects if key.startswith(prefix)))
        return Listing(keys=found, size=1, is_complete=True)

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
