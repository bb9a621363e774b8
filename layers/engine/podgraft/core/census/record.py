"""Records: one redacted workload, and the identity that makes it distinct."""

import gzip
import json
import re
import zlib
from hashlib import sha256
from io import BytesIO
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import asdict

from podgraft.base.jsonvalue import JSON, Object, dump

VERSION = 1
SUFFIX = ".json.gz"
_MAX_BYTES = 16 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_DIGEST_LENGTH = 32
# In a path, for an empty cluster or namespace. It is not a valid name.
_EMPTY = "_"


class InvalidRecordError(ValueError):
    """A file is not a record."""


class Record(Struct, frozen=True, kw_only=True):
    """A recorded workload: names, versions, the result of stable, and the redacted object.

    ``request`` contains the operation, the kind, and the resource. ``environment`` contains the
    proxy's variables of the URL. ``policy`` and ``bundle`` are the versions in force.
    """

    injector: str
    cluster: str
    namespace: str
    workload: str
    route: str
    request: Object
    environment: Object
    object: Object
    decision: str = ""
    reason: str = ""
    policy: str = ""
    bundle: str = ""
    date: str = ""

    @property
    def identity(self) -> str:
        """The name of the workload in reports."""
        return " ".join(filter(None, (self.cluster, self.namespace, self.workload)))


def compute_digest(record: Record) -> str:
    """Return the digest of what makes a workload distinct: its names, its route, and its object."""
    parts: list[JSON] = [
        record.cluster,
        record.namespace,
        record.workload,
        record.route,
        record.request,
        record.environment,
        record.object,
    ]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]


def make_path(record: Record, digest: str, week: str) -> str | None:
    """Return the path of a record below the folder or the bucket; ``None`` for unusual names.

    *week* is the ISO week, such as ``2026-W47``, in which a workload is recorded once.
    """
    names = (record.injector, record.cluster or _EMPTY, record.namespace or _EMPTY)
    if not all(name == _EMPTY or _NAME.fullmatch(name) for name in names):
        return None
    return "/".join((*names, digest, f"{week}{SUFFIX}"))


def encode_record(record: Record) -> bytes:
    """Return the compressed JSON of a record; equal records have equal bytes."""
    fields: Object = {"v": VERSION, **asdict(record)}
    return gzip.compress(dump(dict(sorted(fields.items()))).encode("utf-8", "replace"), mtime=0)


def decode_record(content: bytes) -> Record:
    """Return the record in a file; raises ``InvalidRecordError``."""
    try:
        text = _decompress(content)
        document: Any = json.loads(text)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise InvalidRecordError("must be compressed JSON") from error
    if not isinstance(document, dict) or cast("Object", document).pop("v", None) != VERSION:
        raise InvalidRecordError(f"must be a record of version {VERSION}")
    fields = cast("dict[str, Any]", document)
    names = Record.__struct_fields__
    objects = {"request", "environment", "object"}
    if set(fields) != set(names) or not all(
        isinstance(fields[name], dict if name in objects else str) for name in names
    ):
        raise InvalidRecordError("has missing, unknown, or invalid fields")
    return Record(**fields)


def _decompress(content: bytes) -> bytes:
    with gzip.GzipFile(fileobj=BytesIO(content)) as file:
        text = file.read(_MAX_BYTES + 1)
    if len(text) > _MAX_BYTES:
        raise ValueError("too large")
    return text
