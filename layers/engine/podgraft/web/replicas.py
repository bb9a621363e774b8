"""Responses for further pods of a workload, without a second review.

The pods of a ReplicaSet or DaemonSet are equal, except for what the cluster generates: the uid of
the request, the name of the volume with the ServiceAccount's token, and the times of the managed
fields. If nothing else in the request and in the configuration differs, the response is the same.

A response is stored under the complete text of its request, in which each generated text is
replaced by a mark that no JSON text can contain. So two requests with the same key have generated
texts in the same places. Before a response is stored, the marked places are compared with the
places where a pod can have generated texts, and the templates of the pod must not read these.

During a rollout, the track and the result of the candidate are those of the workload, too. Nothing
is stored while the candidate is disabled, or if it fails.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from msgspec import Struct

from podgraft import jsonvalue
from podgraft.admission import AdmissionRequest
from podgraft.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.lru import LRUCache
from podgraft.review import (
    ReviewOutcome,
    ReviewReason,
    ReviewRecord,
    ReviewResponse,
    ReviewResult,
)
from podgraft.store import Deadline, Snapshot, Store, StoreError

from .faults import JsonResponse

if TYPE_CHECKING:
    from podgraft.store.candidate import Candidate

# Larger requests are rare, and the responses of all workloads must fit into a small function.
MAX_BYTES = 48 * 1024
MAX_WORKLOADS = 256
MAX_SEEN = 4096

_UID_KEY, _TIME_KEY = b'"uid":"', b'"time":"'
_UID_LENGTH, _TIME_LENGTH = 36, 20
_VOLUME_PREFIX = b'"kube-api-access-'
_VOLUME_LENGTH = len(_VOLUME_PREFIX) + 6  # 5 characters and the quotation mark
# JSON has no control characters, so no request contains a mark.
_MARK = b"\x00"
_UID, _VOLUME, _TIME = b"\x00u", b"\x00v", b"\x00t"
# The marks as JSON, to compare the places.
_PLAIN: Mapping[bytes, str] = {_UID: "<uid>", _VOLUME: "<volume>", _TIME: "<time>"}
_TIME_CHARACTERS = b"0123456789-:TZ"
# The results of a candidate that further pods of the workload get, too (``review/candidate.py``).
_OUTSIDE = "outside"
_REPEATED_OUTCOMES = frozenset({_OUTSIDE, "same", "changed"})
_CANDIDATE_TIME = "candidate_milliseconds"
_CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")


class ReplicaRequest(Struct, frozen=True):
    """A request without its generated texts; *volume* is the name of the volume, or empty."""

    injector: str
    cluster: str | None
    path: str
    text: bytes
    uid: str
    volume: bytes

    @property
    def key(self) -> tuple[str, str | None, str, bytes]:
        """All that the response depends on, in addition to the configuration."""
        return self.injector, self.cluster, self.path, self.text


class Replica(Struct, frozen=True):
    """The response for a workload, around the uid, and the fields of its log line."""

    head: bytes
    tail: bytes
    record: Object

    def respond(self, uid: str) -> tuple[JsonResponse, Object]:
        """The response to one more request, and its log fields."""
        body = b"".join((self.head, uid.encode(), self.tail))
        return JsonResponse(HTTPStatus.OK.value, body), {**self.record, "uid": uid}


class ReplicaCache:
    """The responses for the latest workloads; threads can share it.

    The first request of a workload only leaves its hash: most pods without a controller have no
    second one.
    """

    def __init__(self, store: Store, *, has_census: bool) -> None:
        self._store = store
        self._has_census = has_census
        self._seen: dict[int, None] = {}  # the hashes of the latest texts, oldest first
        self._replicas: LRUCache[tuple[int, str, str | None, str, bytes], Replica] = LRUCache(
            limit=MAX_WORKLOADS
        )

    def find(self, request: ReplicaRequest, deadline: Deadline) -> Replica | None:
        """The stored response for the current configuration."""
        if hash(request.text) not in self._seen:
            return None
        snapshot = self._snapshot(request, deadline)
        return snapshot and self._replicas.get((snapshot.generation, *request.key))

    def add(
        self,
        request: ReplicaRequest,
        decoded: AdmissionRequest,
        result: ReviewResult,
        response: tuple[JsonResponse, Object],
    ) -> None:
        """Store the response of a second request, if further ones get the same."""
        if not self._has_seen(request):
            return
        if not isinstance(result, ReviewResponse) or not result.response.allowed:
            return
        snapshot = self._snapshot(request, Deadline.from_timeout(0))
        if snapshot is None or not _is_of_version(result, snapshot):
            return
        head, _, tail = response[0].body.partition(request.uid.encode())
        if request.uid.encode() in tail or not _is_independent(request, decoded, result, snapshot):
            return
        # The duration is that of one run of the candidate, so it is not repeated.
        record = {key: each for key, each in response[1].items() if key != _CANDIDATE_TIME}
        self._replicas[snapshot.generation, *request.key] = Replica(head, tail, record)

    def _has_seen(self, request: ReplicaRequest) -> bool:
        """Whether this is not the first request of the workload; the next one is not."""
        fingerprint = hash(request.text)
        if fingerprint in self._seen:
            return True
        self._seen[fingerprint] = None
        if len(self._seen) > MAX_SEEN:
            with suppress(KeyError, RuntimeError):  # another thread can evict at the same time
                del self._seen[next(iter(self._seen))]
        return False

    def _snapshot(self, request: ReplicaRequest, deadline: Deadline) -> Snapshot | None:
        """The configuration, if it is current and a review with it has no effect of its own."""
        try:
            snapshot = self._store.snapshot(request.injector, request.cluster, deadline)
        except StoreError:
            return None
        is_recorded = self._has_census and snapshot.policy.census is not None
        if snapshot.stale or is_recorded or not _is_in_use(snapshot.candidate):
            return None
        return snapshot


def normalize_request(
    body: bytes, injector: str, cluster: str | None, path: str
) -> ReplicaRequest | None:
    """Replace the generated texts of a request; None if it is large, or not of kube-apiserver."""
    start = body.find(_UID_KEY) + len(_UID_KEY)
    end = start + _UID_LENGTH
    uid = body[start:end]
    is_usual = start >= len(_UID_KEY) and body[end : end + 1] == b'"'
    if not is_usual or not _is_uid(uid) or len(body) > MAX_BYTES or _MARK in body:
        return None
    text, volume = _replace_volume(body[:start] + _UID + body[end:])
    return ReplicaRequest(injector, cluster, path, _replace_times(text), uid.decode(), volume)


def _is_uid(text: bytes) -> bool:
    return text.replace(b"-", b"").isalnum()


def _replace_volume(text: bytes) -> tuple[bytes, bytes]:
    start = text.find(_VOLUME_PREFIX)
    name = text[start : start + _VOLUME_LENGTH] if start >= 0 else b""
    if not name.endswith(b'"') or not name[len(_VOLUME_PREFIX) : -1].isalnum():
        return text, b""
    return text.replace(name, b'"%s"' % _VOLUME), name.strip(b'"')


def _replace_times(text: bytes) -> bytes:
    first, *rest = text.split(_TIME_KEY)
    return _TIME_KEY.join((first, *map(_replace_time, rest))) if rest else text


def _replace_time(text: bytes) -> bytes:
    time, rest = text[:_TIME_LENGTH], text[_TIME_LENGTH:]
    is_time = rest.startswith(b'"') and not time.translate(None, _TIME_CHARACTERS)
    return _TIME + rest if is_time else text


def _is_in_use(candidate: "Candidate | None") -> bool:
    """Whether reviews with a candidate do not depend on its state; or there is none."""
    return candidate is None or (
        candidate.rollout is not None
        and candidate.snapshot is not None
        and candidate.disabled is None
        and not candidate.fuse.is_open
    )


def _is_of_version(result: ReviewResponse, snapshot: Snapshot) -> bool:
    record = result.record
    if record.policy_version != snapshot.policy_version or record.stale:
        return False
    if record.candidate is None:
        return snapshot.candidate is None and record.bundle == snapshot.bundle.digest
    return record.candidate.candidate in _REPEATED_OUTCOMES


def _is_independent(
    request: ReplicaRequest, decoded: AdmissionRequest, result: ReviewResponse, snapshot: Snapshot
) -> bool:
    """Whether the response does not depend on the generated texts."""
    pod = decoded.object
    if not isinstance(pod, dict) or not _are_places_known(request, decoded.raw, pod):
        return False
    name = request.volume
    record = result.record
    texts = [result.response.patch, *(text.encode() for text in result.response.warnings)]
    if record.candidate is not None:
        texts.append(record.candidate.candidate_paths.encode())
    if name and any(name in text for text in texts):
        return False
    if snapshot.candidate and snapshot.candidate.snapshot and _is_selected(record):
        bundles = snapshot.bundle, snapshot.candidate.snapshot.bundle
        return all(bundle.ignores_generated_texts(pod) for bundle in bundles)
    if record.decision == ReviewOutcome.SKIP and record.reason != ReviewReason.NOTHING_MATCHES:
        return True  # by the policy, which reads only labels, annotations, and the host network
    return snapshot.bundle.ignores_generated_texts(pod)


def _is_selected(record: ReviewRecord) -> bool:
    """Whether the rollout selects the workload."""
    return record.candidate is not None and record.candidate.candidate != _OUTSIDE


def _are_places_known(request: ReplicaRequest, raw: Object, pod: Object) -> bool:
    """Whether the marks are where a pod has generated texts, and nowhere else."""
    text = request.text
    for mark, plain in _PLAIN.items():
        text = text.replace(mark, plain.encode())
    marked: JSON = jsonvalue.load(text)
    marked_pod = _mark_pod(pod, request.volume.decode())
    expected = {**raw, "uid": _PLAIN[_UID], "object": marked_pod}
    return isinstance(marked, dict) and marked.get("request") == expected


def _mark_pod(pod: Object, volume: str) -> Object:
    """The pod with its generated texts replaced."""
    metadata, spec = {**object_at(pod, "metadata")}, {**object_at(pod, "spec")}
    if "managedFields" in metadata:
        fields = objects_at(metadata, "managedFields")
        metadata["managedFields"] = [
            {**each, "time": _PLAIN[_TIME]} if "time" in each else each for each in fields
        ]
    if volume:
        spec["volumes"] = _mark_names(objects_at(spec, "volumes"), volume)
        for key in _CONTAINER_LISTS:
            if spec.get(key):
                spec[key] = [_mark_mounts(each, volume) for each in objects_at(spec, key)]
    return {**pod, "metadata": metadata, "spec": spec}


def _mark_mounts(container: Object, volume: str) -> JSON:
    mounts = objects_at(container, "volumeMounts")
    return {**container, "volumeMounts": _mark_names(mounts, volume)} if mounts else container


def _mark_names(named: Sequence[Object], volume: str) -> list[JSON]:
    mark = _PLAIN[_VOLUME]
    return [{**each, "name": mark} if each.get("name") == volume else each for each in named]
