"""Pyodide from its npm package, by the integrity hash of the package."""

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

from . import zips
from .failure import BuildError

VERSION = "314.0.7"
INTEGRITY = (
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOtty"
    "McWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
_COPIED = ("pyodide.mjs", "pyodide.asm.mjs")

# Parts of Python's library that neither podgraft nor its dependencies import, directly or not; the
# tests of the page run every sample without them.
UNUSED = frozenset(
    """
    __phello__ _aix_support _android_support _apple_support _compat_pickle _ios_support
    _markupbase _osx_support _pydatetime _pydecimal _pyio _pyrepl antigravity argparse
    asyncio.__main__ asyncio.proactor_events asyncio.tools asyncio.windows_events
    asyncio.windows_utils bdb cProfile cmd code colorsys compileall
    concurrent.futures.interpreter concurrent.futures.process configparser csv ctypes curses dbm
    doctest email ensurepip filecmp fileinput ftplib getpass graphlib html http.client
    http.cookiejar http.cookies http.server idlelib imaplib json.tool lib2to3 logging.config
    logging.handlers mailbox mailcap mimetypes modulefinder multiprocessing netrc nntplib
    nturl2path optparse pdb pickle pickletools plistlib poplib profile profiling pstats pty
    pyclbr pydoc pydoc_data pyodide.console quopri rlcompleter runpy sched secrets shelve
    smtplib socketserver sqlite3 sre_compile sre_constants sre_parse statistics symtable
    sysconfig.__main__ tabnanny tarfile telnetlib test this timeit tkinter trace tracemalloc tty
    turtle turtledemo unittest urllib.error urllib.request urllib.response urllib.robotparser
    venv wave webbrowser wsgiref xml xmlrpc zipapp
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)
_ENCODINGS = frozenset(
    """
    __init__ aliases ascii charmap cp437 idna latin_1 punycode raw_unicode_escape unicode_escape
    utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le utf_8 utf_8_sig
    """.split()  # noqa: SIM905 - a list of strings would be a page long
)


def read_package(cache: Path, tarball: Path | None) -> Mapping[str, bytes]:
    """The files of the package by name; raises ``BuildError``."""
    try:
        content = (tarball or _download(cache)).read_bytes()
    except OSError as error:
        raise BuildError(f"{tarball}: {error.strerror}; name the tarball of pyodide") from error
    check_integrity(content)
    return _unpack(content)


def select_files(package: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files that the page loads, by name."""
    wasm = zips.compress(package["pyodide.asm.wasm"])
    lock = json.loads(package["pyodide-lock.json"])
    return {
        **{name: package[name] for name in _COPIED},
        "pyodide.asm.wasm.gz": wasm,
        "pyodide-lock.json": json.dumps({**lock, "packages": {}}).encode(),
    }


def check_integrity(content: bytes) -> None:
    """Raise ``BuildError`` for another package than the pinned one."""
    digest = b64encode(hashlib.sha512(content).digest()).decode()
    if f"sha512-{digest}" != INTEGRITY:
        raise BuildError(
            f"pyodide {VERSION}: expected integrity {INTEGRITY}, got sha512-{digest}; "
            "delete the file and download it again"
        )


def reduce_library(content: bytes) -> dict[str, bytes]:
    """Python's library without its unused parts."""
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist():
            if not member.is_dir() and is_used(member.filename):
                files[member.filename] = archive.read(member)
    return files


def is_used(name: str) -> bool:
    """Whether the page needs a file of the standard library."""
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, rest = module.partition(".")
    if package == "encodings":
        return not rest or rest in _ENCODINGS
    return package not in UNUSED and module not in UNUSED


def _download(cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"pyodide-{VERSION}.tgz"
    if path.exists():
        return path
    npm = shutil.which("npm")
    if npm is None:
        raise BuildError("npm: not found; install Node.js with npm, or use --pyodide FILE.tgz")
    command = [npm, "pack", f"pyodide@{VERSION}", "--silent", "--pack-destination", str(cache)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode or not path.exists():
        raise BuildError(f"npm pack pyodide@{VERSION}: {result.stderr.strip()}; use --pyodide")
    return path


def _unpack(content: bytes) -> Mapping[str, bytes]:
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for member in archive:
            data = archive.extractfile(member)
            if data is not None:
                files[Path(member.name).name] = data.read()
    return files
