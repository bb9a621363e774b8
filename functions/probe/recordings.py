"""The recorded reviews that the probe sends to both versions: those of this folder and the census.

``reviews.json`` contains requests of kube-apiserver, without secrets. A record of the census
contains tokens instead of values (docs/preview.md).
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

# How many recorded workloads of the census are sent, and how many keys of an injector are read.
MAX_RECORDS = 200
MAX_KEYS = 10_000
# How many reviews are sent at all.
MAX_REVIEWS = 1000
_FILE = Path(__file__).with_name("reviews.json")
_SUFFIX = ".json.gz"
_RECORD_VERSION = 1
MAX_BYTES = 16 * 1024 * 1024  # of a record; a larger one would fill the memory
ROUTES = ("inject", "mutate", "validate")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReview:
    """One request of kube-apiserver to an injector. ``body`` is an AdmissionReview."""

    injector: str
    cluster: str
    route: str
    body: str
    path: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the event."""
        return {
            "injector": self.injector,
            "cluster": self.cluster,
            "route": self.route,
            "path": self.path,
            "body": self.body,
        }


def read_packaged_bodies() -> tuple[str, ...]:
    """Return the bodies of the recorded requests of this folder."""
    reviews: Any = json.loads(_FILE.read_text())
    return tuple(_dump(review) for review in reviews.values())


def list_packaged_reviews(
    injectors: Sequence[str], clusters: Sequence[str], bodies: Sequence[str]
) -> Iterator[RecordedReview]:
    """Return the packaged reviews of each injector, first those that each configuration needs.

    An injector can have another configuration for each cluster.
    """
    for body in bodies:
        for injector in injectors:
            for route in ROUTES:
                yield RecordedReview(injector=injector, cluster="", route=route, body=body)
    for body in bodies:
        for cluster in clusters:
            for injector in injectors:
                yield RecordedReview(injector=injector, cluster=cluster, route="inject", body=body)


def list_recorded_workloads(
    s3: Any, bucket: str, injectors: Sequence[str]
) -> Iterator[RecordedReview]:
    """Return workloads of the census, of all injectors equally many, without damaged records."""
    for injector in injectors:
        keys = select_keys(_list_keys(s3, bucket, injector), MAX_RECORDS // len(injectors) or 1)
        for key in keys:
            content = s3.get_object(Bucket=bucket, Key=key)["Body"].read(MAX_BYTES)
            review = parse_record(content)
            if review is not None and review.injector == injector:
                yield review


def select_keys(keys: Iterable[str], limit: int) -> list[str]:
    """Return the newest record of each workload, and at most *limit*, of all clusters.

    The digest in a key orders the workloads: their names have no influence.
    """
    newest: dict[str, str] = {}
    for key in sorted(keys):
        newest[key.rpartition("/")[0]] = key
    return sorted(newest.values(), key=lambda key: key.split("/")[-2])[:limit]


def _list_keys(s3: Any, bucket: str, injector: str) -> Iterator[str]:
    arguments: dict[str, Any] = {"Bucket": bucket, "Prefix": f"{injector}/"}
    count = 0
    while count < MAX_KEYS:
        page = s3.list_objects_v2(**arguments)
        keys = [each["Key"] for each in page.get("Contents", ())]
        count += len(keys)
        yield from (key for key in keys if key.endswith(_SUFFIX) and key.count("/") > 1)
        if not page.get("NextContinuationToken"):
            return
        arguments["ContinuationToken"] = page["NextContinuationToken"]


def parse_record(content: bytes) -> RecordedReview | None:
    """Return the review of a recorded workload; None for an unreadable record."""
    try:
        record: Any = json.loads(_decompress(content))
        if record["v"] != _RECORD_VERSION or record["route"] not in ROUTES:
            return None
        request = {
            "uid": "deployment-check",
            "namespace": record["namespace"],
            **record["request"],
            "object": record["object"],
        }
        review = {
            "kind": "AdmissionReview",
            "apiVersion": "admission.k8s.io/v1",
            "request": request,
        }
        return RecordedReview(
            injector=record["injector"],
            cluster=record["cluster"],
            route=record["route"],
            path=_format_path(record["environment"]),
            body=_dump(review),
        )
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None
    except (EOFError, OSError, zlib.error):  # of gzip
        return None


def _decompress(content: bytes) -> bytes:
    with gzip.GzipFile(fileobj=BytesIO(content)) as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ValueError("too large")
    return text


def _format_path(environment: Mapping[str, str]) -> str:
    """Return the variables of the proxy as a path of Istio 1.10 and later."""
    pairs = environment.items()
    return "/".join(f"{name}/{value.replace('/', '--slash--')}" for name, value in pairs)


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
