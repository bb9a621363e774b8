"""Zip archives that depend on their content only."""

import zipfile
from collections.abc import Mapping

import deflate

from make_archives import make_zip

_LEVEL = 12  # the most that libdeflate has


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of uncompressed files, compressed as a whole: smaller, and faster to import."""
    return compress(make_zip(files, zipfile.ZIP_STORED))


def compress(content: bytes) -> bytes:
    """The content in gzip's format, without a name or a time."""
    return bytes(deflate.gzip_compress(content, _LEVEL))  # pyright: ignore[reportUnknownMemberType]
