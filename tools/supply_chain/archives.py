"""Archives with bytes that depend only on names and contents of their files."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

from make_archives import make_zip

_MODE = 0o644


def normalize_wheel(content: bytes) -> bytes:
    """A wheel without the modes that the umask of the builder sets."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return make_zip({name: archive.read(name) for name in archive.namelist()})


def normalize_sdist(content: bytes) -> bytes:
    """A source archive with sorted members, without times, owners, and modes of the builder."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(content)) as source,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in sorted(source.getmembers(), key=lambda each: each.name):
            if not member.isfile():
                continue  # pip creates the folders
            clean = tarfile.TarInfo(member.name)
            clean.size, clean.mode = member.size, _MODE
            target.addfile(clean, source.extractfile(member))
    return gzip.compress(packed.getvalue(), mtime=0)


def make_tarball(folder: Path, prefix: str) -> bytes:
    """A compressed archive of the files of a folder below *prefix*, with fixed times and modes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as target:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            member = tarfile.TarInfo(f"{prefix}/{path.relative_to(folder).as_posix()}")
            content = path.read_bytes()
            member.size, member.mode = len(content), _MODE
            target.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


def digest(content: bytes) -> str:
    """The SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
