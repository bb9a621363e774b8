"""A model of S3: read after write, listings of 1,000, and the condition of a creation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import md5
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from .responses import AwsError

MAX_KEYS = 1000


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One object, and when it was stored."""

    content: bytes
    time: float


class ObjectModel:
    """The objects of one bucket by key. Earlier contents remain as versions."""

    def __init__(self, start_seconds: float) -> None:
        self.objects: dict[str, StoredObject] = {}
        self.lost: dict[str, StoredObject] = {}
        self._start_seconds = start_seconds

    def call(self, operation: str, request: Any, now: float) -> tuple[int, bytes, dict[str, str]]:
        """Return status, body, and headers of a request; raises ``AwsError``."""
        url = urlsplit(str(request.url))
        key = unquote(url.path.lstrip("/"))
        match operation:
            case "ListObjectsV2":
                return self._list({name: text[0] for name, text in parse_qs(url.query).items()})
            case "GetObject":
                stored = self.objects.get(key)
                if stored is None:
                    raise AwsError("NoSuchKey", 404)
                return 200, stored.content, {"etag": _tag(stored.content)}
            case "PutObject":
                return self._put(key, request, now)
            case "DeleteObject":
                self.objects.pop(key, None)
                return 204, b"", {}
            case "DeleteObjects":
                for name in re.findall(r"<Key>(.*?)</Key>", _read_body(request).decode()):
                    self.objects.pop(name, None)
                return 200, b"<DeleteResult></DeleteResult>", {"content-type": "application/xml"}
            case _:
                raise NotImplementedError(f"s3:{operation}")

    def spoil(self, digest: str, kind: str) -> None:
        """Add an object that no bundle can have, or delete those that one has."""
        for key in [each for each in self.objects if digest and digest in each]:
            if kind == "stray":
                self.objects[f"{key}//stray"] = self.objects[key]
            else:
                self.lost[key] = self.objects.pop(key)

    def mend(self, digest: str) -> None:
        """Repair what ``spoil`` did to a bundle."""
        for key in [each for each in self.objects if digest in each and "//" in each]:
            del self.objects[key]
        for key in [each for each in self.lost if digest and digest in each]:
            self.objects.setdefault(key, self.lost.pop(key))

    def _put(self, key: str, request: Any, now: float) -> tuple[int, bytes, dict[str, str]]:
        if request.headers.get("If-None-Match") and key in self.objects:
            raise AwsError("PreconditionFailed", 412)
        content = _read_body(request)
        self.objects[key] = StoredObject(_strip_chunks(content, request), now)
        return 200, b"", {"etag": _tag(content)}

    def _list(self, query: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        prefix, start = query.get("prefix", ""), query.get("continuation-token", "")
        keys = [key for key in sorted(self.objects) if key.startswith(prefix) and key > start]
        limit = min(int(query.get("max-keys", MAX_KEYS)), MAX_KEYS)
        page, is_truncated = keys[:limit], len(keys) > limit
        entries = "".join(self._describe(key) for key in page)
        token = page[-1] if is_truncated else ""
        text = (
            f"<ListBucketResult><IsTruncated>{str(is_truncated).lower()}</IsTruncated>"
            f"<NextContinuationToken>{escape(token)}</NextContinuationToken>"
            f"{entries}</ListBucketResult>"
        )
        return 200, text.encode(), {"content-type": "application/xml"}

    def _describe(self, key: str) -> str:
        stored = self.objects[key]
        modified = datetime.fromtimestamp(self._start_seconds + stored.time, UTC)
        return (
            f"<Contents><Key>{escape(key)}</Key><Size>{len(stored.content)}</Size>"
            f"<LastModified>{modified:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
        )


def _tag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


def _read_body(request: Any) -> bytes:
    return request.body if isinstance(request.body, bytes) else request.body.read()


def _strip_chunks(content: bytes, request: Any) -> bytes:
    """Return the content of a body that botocore sends in chunks with a checksum at the end."""
    if "aws-chunked" not in str(request.headers.get("Content-Encoding", "")):
        return content
    result, rest = b"", content
    while rest:
        head, _, rest = rest.partition(b"\r\n")
        size = int(head.split(b";")[0], 16)
        if size == 0:
            break
        result, rest = result + rest[:size], rest[size + 2 :]
    return result
