"""Zip archives that depend on their content only."""

import gzip
import io
import zipfile
from collections.abc import Mapping

_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of uncompressed files, compressed as a whole: smaller, and faster to import."""
    return gzip.compress(make_zip(files, zipfile.ZIP_STORED), compresslevel=9, mtime=0)


def packed_size(files: Mapping[str, bytes]) -> int:
    """The bytes of the packed archive."""
    return len(pack(files))


def make_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with sorted names and fixed times."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method, compresslevel=9) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, _TIME)
            member.compress_type = method
            member.external_attr = _MODE
            archive.writestr(member, files[name])
    return content.getvalue()
