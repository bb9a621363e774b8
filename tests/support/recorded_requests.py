"""The recorded requests of kube-apiserver's webhook client (k8s.io/apiserver 0.34.1).

The key ``description`` of each file describes the request.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from podgraft.base.jsonvalue import JSON, Object

WIRE = Path(__file__).parent / "events" / "wire"
NAMES = tuple(sorted(path.stem for path in WIRE.glob("*.json")))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """One HTTP request as it came over the wire."""

    description: str
    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    review: Object
    client_certificate: Object | None

    def header(self, name: str) -> str | None:
        """The header's value, whatever the case of its name."""
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)

    def with_value(self, *path: str, value: JSON) -> "RecordedRequest":
        """The same request with one value of its review put in place of what was there."""
        review: Object = json.loads(json.dumps(self.review))
        target: JSON = review
        for key in path[:-1]:
            assert isinstance(target, dict)
            target = target[key]
        assert isinstance(target, dict)
        target[path[-1]] = value
        return replace(self, review=review, body=_go_bytes(review))


def load_request(name: str) -> RecordedRequest:
    """The request of one scenario; ``01-deployment-pod.validate`` is its validating twin."""
    document = json.loads((WIRE / f"{name}.json").read_text())
    request = document["request"]
    review = request["body"]
    if name.startswith("19-large"):
        _lengthen(review)
    exact = WIRE / f"{name}.body"
    body = exact.read_bytes() if exact.exists() else _go_bytes(review)
    assert len(body) == request["bodyBytes"], name
    url = urlsplit(str(request["path"]))
    return RecordedRequest(
        description=document["description"],
        method=request["method"],
        path=url.path,
        query=url.query,
        headers=tuple((name, value) for name, value in request["headers"]),
        body=body,
        review=review,
        client_certificate=document["connection"]["clientCertificate"],
    )


def _go_bytes(review: Object) -> bytes:
    """Print as Go does: these escapes, no spaces, a line feed at the end."""
    text = json.dumps(review, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode() + b"\n"


def _lengthen(review: Object) -> None:
    """Restore the long annotations that the recording shortens (scenario 19)."""
    request = review["request"]
    assert isinstance(request, dict)
    pod = request["object"]
    assert isinstance(pod, dict)
    metadata = pod["metadata"]
    assert isinstance(metadata, dict)
    annotations = metadata["annotations"]
    assert isinstance(annotations, dict)
    for number in range(16):
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        annotations[f"example.com/blob-{number:02}"] = digest * 1024
