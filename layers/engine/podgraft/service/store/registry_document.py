"""The registry: the callers of all clusters of a stack in one object, and its pointer.

The object is ``callers/sha256/HEX.json`` in the bucket of the bundles: canonical JSON, compressed
by gzip, and HEX is the SHA-256 of the JSON::

    {"clusters": {"prod-eu": {"tokens": […], "subjects": [], "groups": ["ring-0"]}, …}}

The pointer is the parameter ``PREFIX/callers``::

    {"serial": 41, "callers": "sha256:5e88…", "clusters": 300, "copies": true}

**Law of the serial.** A version of the parameter counts only if its ``serial`` equals the number
that Parameter Store gave it. The version in force is the newest one that counts. Parameter Store
has no conditional write, so this is the compare-and-swap: of two writers with the same base, one
gets another number, and its version does not count. Versions below the newest one cannot change, so
no version that counts has an outdated base, and no lock can remain.

``callers`` is null after ``podgraft fleet adopt --undo``: the documents below ``auth/`` are in
force. ``copies`` is set while commands also write those documents.

This module is pure.
"""

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object

from .caller_document import Callers, TokensError, parse_callers, to_document

POINTER = "callers"  # below the prefix of the parameters
OBJECTS = "callers/sha256/"  # in the bucket
# 10,000 clusters have 4 MB. A larger object would take too long to load at a cold start.
MAX_BYTES = 16 * 1024 * 1024
# An environment that finds a version that does not count reads this many before it.
MAX_LOST = 10

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_GZIP = 31  # zlib: 15 bits of window, and the format of gzip


class RegistryError(ValueError):
    """An invalid pointer or registry; the message has the problem."""


class Pointer(Struct, frozen=True, kw_only=True):
    """A version of the pointer that counts. ``digest`` is None if ``auth/`` is in force.

    ``stored_at`` is when it was stored, in seconds since 1970. Its text does not contain that.
    """

    serial: int
    digest: str | None
    clusters: int = 0
    copies: bool = False
    stored_at: float = 0.0

    def __str__(self) -> str:
        """Return the text of the parameter."""
        fields: Object = {
            "serial": self.serial,
            "callers": self.digest,
            "clusters": self.clusters,
        }
        return jsonvalue.dump({**fields, "copies": True} if self.copies else fields)


def parse_pointer(text: str, version: int) -> Pointer | None:
    """Return the pointer of a version, or ``None`` if the version does not count.

    Text that is no pointer does not count either: no writer of podgraft stored it.
    """
    fields = jsonvalue.load_object(text)
    if fields is None or not jsonvalue.equal(fields.get("serial"), version):
        return None
    digest, clusters = fields.get("callers"), fields.get("clusters")
    if digest is not None and not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
        return None
    count = clusters if isinstance(clusters, int) else 0
    copies = fields.get("copies") is True
    return Pointer(serial=version, digest=digest, clusters=count, copies=copies)


def find_in_force(versions: Iterable[tuple[int, str]]) -> Pointer | None:
    """Return the pointer in force of numbers and texts; ``None`` if none of them counts."""
    pointers = (parse_pointer(text, version) for version, text in versions)
    counted = [pointer for pointer in pointers if pointer is not None]
    return max(counted, key=lambda pointer: pointer.serial, default=None)


def object_key(digest: str) -> str:
    """Return the key of a registry in the bucket.

    >>> object_key("sha256:5e88")
    'callers/sha256/5e88.json'
    """
    return f"{OBJECTS}{digest.removeprefix('sha256:')}.json"


def digest_of_key(key: str) -> str:
    """Return the digest of the object with a key.

    >>> digest_of_key("callers/sha256/5e88.json")
    'sha256:5e88'
    """
    return f"sha256:{key.removeprefix(OBJECTS).removesuffix('.json')}"


def encode_registry(clusters: Mapping[str, Callers]) -> tuple[str, bytes]:
    """Return the digest and the content of a registry; equal callers have equal content."""
    documents: Object = {name: to_document(clusters[name]) for name in sorted(clusters)}
    text = jsonvalue.dump({"clusters": documents}).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
    return _digest(text), packer.compress(text) + packer.flush()


def decode_registry(content: bytes, digest: str) -> Mapping[str, Callers | TokensError]:
    """Return the callers of each cluster, or the error of its document.

    An invalid document concerns its own cluster alone. Raises ``RegistryError``. The digest is
    verified before anything is parsed.
    """
    text = _unpack(content)
    if _digest(text) != digest:
        raise RegistryError("is damaged")
    clusters = (jsonvalue.load_object(text) or {}).get("clusters")
    if not isinstance(clusters, dict):
        raise RegistryError("must be a JSON object with the key clusters")
    return {cluster: _parse(each) for cluster, each in clusters.items()}


def _unpack(content: bytes) -> bytes:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(content, MAX_BYTES)
    except zlib.error:
        raise RegistryError("is damaged") from None
    if unpacker.unconsumed_tail:
        raise RegistryError("is too large")
    return text


def _parse(document: JSON) -> Callers | TokensError:
    try:
        return parse_callers(document)
    except TokensError as error:
        return error


def read_registry(content: bytes, digest: str) -> Mapping[str, Callers]:
    """Return all callers, for a writer; raises ``RegistryError`` for one invalid document.

    A writer must not change a registry that it cannot read completely.
    """
    clusters: dict[str, Callers] = {}
    for cluster, callers in decode_registry(content, digest).items():
        if isinstance(callers, TokensError):
            raise RegistryError(f"contains an invalid document of {cluster}: {callers}")
        clusters[cluster] = callers
    return clusters


def _digest(text: bytes) -> str:
    return f"sha256:{hashlib.sha256(text).hexdigest()}"
