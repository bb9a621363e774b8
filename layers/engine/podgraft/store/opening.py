"""Stores as settings name them."""

import os
from pathlib import Path
from typing import TypeAlias, assert_never

from podgraft.records import dataclass

from .directory import DirectoryCallers, DirectoryStore
from .protocols import CallerStore, Store

# Looking at the files takes a twentieth of a review; a change may wait as long as a blink.
_LOOKS_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Folder:
    """Policies, bundles and callers as files."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Aws:
    """Bundles in S3, policies and callers in Parameter Store; ``botocore``: asked by it always."""

    bucket: str
    bundle_prefix: str
    parameter_prefix: str
    refresh_seconds: int
    botocore: bool = False


Backing: TypeAlias = Folder | Aws


def opened(backing: Backing) -> tuple[Store, CallerStore]:
    """The store of policies and bundles, and the one of callers; nothing is read yet.

    Stores defer what they can of their first load: so the function starts.
    """
    match backing:
        case Folder(path):
            return (
                DirectoryStore(path, deferred=True, seconds=_LOOKS_SECONDS),
                DirectoryCallers(path, seconds=_LOOKS_SECONDS),
            )
        case Aws():
            return _aws(backing)
        case _:
            assert_never(backing)


def _aws(backing: Aws) -> tuple[Store, CallerStore]:
    # Imported here: a folder needs none of it.
    from .aws import clients
    from .cached import CachedCallers, CachedStore
    from .s3 import Bundles
    from .ssm import Parameters

    ssm, s3 = clients(os.environ, botocore=backing.botocore)
    parameters = Parameters(ssm, backing.parameter_prefix)
    bundles = Bundles(s3, backing.bucket, backing.bundle_prefix)
    return (
        CachedStore(parameters, bundles, backing.refresh_seconds, deferred=True),
        CachedCallers(parameters, backing.refresh_seconds),
    )
