"""Candidates: the deployed artefact, each time with one library exchanged.

A candidate exchanges modules of the artefact and nothing else, so that the product itself needs no
switch. What a candidate replaces answers the same calls.
"""

import io
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile

from podgraft.cli.bench import artifact
from podgraft.cli.bench.bench_input import ROOT
from supply_chain.builds import extract_all

PRODUCT = "the product"
# The last commit before msgspec: records by a module of podgraft, JSON by orjson.
BEFORE_MSGSPEC = "6039b29"
_LOCK = ROOT / "requirements" / "libraries.txt"

_DATACLASSES = "from dataclasses import dataclass as dataclass\n"
_ORJSON = """

import orjson


class Decoder:
    decode = staticmethod(orjson.loads)


class Encoder:
    def __init__(self, enc_hook=None):
        self._hook = enc_hook

    def encode(self, value):
        return orjson.dumps(value, default=self._hook)
"""
_BOTOCORE = """

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def sign_headers(request, credentials, service, region, timestamp):
    query = f"?{request.query}" if request.query else ""
    url = f"https://{request.host}{request.escaped_path}{query}"
    made = AWSRequest(request.method, url, headers={**request.headers}, data=request.body)
    signer = S3SigV4Auth if service == "s3" else SigV4Auth
    who = Credentials(credentials.key, credentials.secret, credentials.token or None)
    signer(who, service, region).add_auth(made)
    return dict(made.headers.items())
"""
_CACHETOOLS = """
import cachetools


class LRUCache(cachetools.LRUCache):
    def __init__(self, *, limit):
        super().__init__(limit)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is exchanged, and what was decided about it.

    ``appended`` and ``replaced`` are texts by the path of a module; ``revision`` is a commit whose
    sources take the place of the working tree's.
    """

    name: str
    instead_of: str
    decision: str
    requirement: str = ""  # a package of requirements/libraries.txt
    appended: Mapping[str, str] = field(default_factory=dict[str, str])
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])
    revision: str = ""
    layer: str = "slim"


CANDIDATES = (
    Candidate(
        name="the former `lazy_dataclass` and orjson",
        instead_of="`msgspec.Struct` and `msgspec.json`",
        decision="deleted: msgspec is faster cold and warm, and no code of ours",
        revision=BEFORE_MSGSPEC,
    ),
    Candidate(
        name="`dataclasses` and orjson",
        instead_of="`msgspec.Struct` and `msgspec.json`",
        decision="not used in modules that a cold start loads",
        revision=BEFORE_MSGSPEC,
        replaced={"podgraft/lazy_dataclass.py": _DATACLASSES},
    ),
    Candidate(
        name="orjson",
        instead_of="`msgspec.json`",
        decision="removed: within 5 %, and one dependency fewer",
        requirement="orjson",
        appended={"msgspec/json.py": _ORJSON},
    ),
    Candidate(
        name="`botocore.auth`",
        instead_of="`store/aws/sigv4.py`",
        decision="not adopted: see the init; `AwsClient=botocore` selects botocore's whole client",
        appended={"podgraft/store/aws/sigv4.py": _BOTOCORE},
    ),
    Candidate(
        name="`cachetools.LRUCache`",
        instead_of="`lru.py`",
        decision="not adopted: `lru.py` is 20 lines, and threads can share it without a lock",
        requirement="cachetools",
        replaced={"podgraft/lru.py": _CACHETOOLS},
    ),
    Candidate(
        name="`LAYER=plain`",
        instead_of="`LAYER=slim`",
        decision="selectable, for scanners and audits",
        layer="plain",
    ),
)


def build_product(folder: Path) -> Path:
    """The artefact of the working tree."""
    return artifact.build(folder)


def build_revision(revision: str, folder: Path) -> Path:
    """The artefact as a commit builds it."""
    git = ("git", "-C", str(ROOT), "archive", revision, "layers", "functions")
    packed = subprocess.run(git, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        extract_all(archive, folder / "sources")
    return artifact.build(folder / "artefact", root=folder / "sources")


def build_candidate(candidate: Candidate, original: Path, folder: Path) -> Path:
    """The artefact with one library exchanged; *original* is the product, or its revision."""
    if candidate.layer == "slim":
        shutil.copytree(original, folder)
    else:
        artifact.build(folder, candidate.layer)
    layers = folder / "python"
    if candidate.requirement:
        _install(candidate.requirement, layers)
    for name, text in candidate.appended.items():
        (layers / name).write_text((layers / name).read_text() + text)
    for name, text in candidate.replaced.items():
        (layers / name).write_text(text)
    _compile([layers / name for name in (*candidate.appended, *candidate.replaced)])
    return folder


def _install(name: str, layers: Path) -> None:
    """Install one package of the lock, with its hashes."""
    entries = re.split(r"^(?=\w)", _LOCK.read_text(), flags=re.MULTILINE)
    [entry] = [entry for entry in entries if entry.startswith(f"{name}==")]
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    with NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(entry)
        file.flush()
        options = ("--no-deps", "--only-binary=:all:", "--require-hashes", "--target", str(layers))
        subprocess.run([*pip, *options, "--requirement", file.name], check=True)


def _compile(modules: Sequence[Path]) -> None:
    if modules:
        options = ("-q", "--invalidation-mode", "unchecked-hash", *map(str, modules))
        subprocess.run([sys.executable, "-m", "compileall", *options], check=True)
