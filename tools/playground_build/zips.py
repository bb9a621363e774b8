"""Zip archives that depend on their content only."""

import gzip
import zipfile
from collections.abc import Mapping

from make_archives import make_zip


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of uncompressed files, compressed as a whole: smaller, and faster to import."""
    return gzip.compress(make_zip(files, zipfile.ZIP_STORED), compresslevel=9, mtime=0)
