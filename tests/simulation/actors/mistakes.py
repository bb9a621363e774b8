"""Mistakes in documents that people write by hand: a number from 0 to 1 selects one."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import yaml

from simulation.plan import Action

T = TypeVar("T")
POINTER = "callers"
MOST_TOKENS = 2  # of a cluster
_HASH = "0" * 64
_TOKEN = {"sha256": _HASH, "created": "2026-01-02T03:04:05Z"}

# Additions to a rollout of half of the workloads. Some of them are none.
_ROLLOUTS: tuple[dict[str, Any], ...] = (
    {"id": "Bad Name"}, {"id": 5}, {"id": None}, {"mode": "wrong"}, {"mode": 5}, {"mode": None},
    {"share": 101}, {"share": True}, {"share": 0.125}, {"clusters": 5}, {"clusters": {"c0": 200}},
    {"clusters": {"c0": 0}}, {"clusters": {"Bad Name": 5}}, {"groups": {"nope": 5}}, {"groups": 5},
    {"groups": {"ring-1": 300}}, {"groups": {"ring-1": 100}}, {"by": "pod"}, {"by": "namespace"},
    {"candidate": {}}, {"candidate": 5}, {"candidate": {"clusters": {}}},
    {"candidate": {"policy": None}}, {"candidate": {"features": {"nativeSidecars": None}}},
    {"candidate": {"unknown": 1}}, {"candidate": {"bundle": f"sha256:{_HASH}"}},
    {"candidate": {"policy": "wrong"}}, {"needs": 5}, {"needs": {"reviews": -1}},
    {"needs": {"minutes": 99_999}}, {"needs": {"minutes": 5, "reviews": 1, "workloads": 2}},
    {"reason": "x" * 300}, {"reason": "one line"}, {"unknown": 1},
)  # fmt: skip
_DOCUMENTS: tuple[Any, ...] = (
    ["a list"], {"unknown": 1}, {"tokens": 5}, {"tokens": [5]}, {"tokens": [{"unknown": 1}]},
    {"tokens": [{"sha256": "short"}]}, {"tokens": [{**_TOKEN, "created": 5}]},
    {"tokens": [{**_TOKEN, "id": "Bad"}]}, {"tokens": [{**_TOKEN, "expires": "soon"}]},
    {"tokens": [_TOKEN, _TOKEN, _TOKEN]}, {"subjects": [5]}, {"groups": ["Bad Group"]},
    {"sources": ["nowhere"]}, {"sources": ["198.51.100.7/24"]}, {"revoked": [5]},
    {"revoked": [{"id": 5}]}, {"revoked": [{"unknown": 1}]}, {"issuers": 5}, None,
)  # fmt: skip
_FRONTS: tuple[dict[str, Any], ...] = (
    {}, {}, {"sources": ["198.51.100.0/24"]}, {"sources": ["2001:db8::/32"]},
    {"sources": ["198.51.100.0/24", "203.0.113.9/32"]},
    {"front": "private", "sources": ["vpce-0123456789abcdef0"]},
)  # fmt: skip
# Deny lists that are none, and brakes without an id.
DENIALS = ("- not a map", "- [unfinished", "x: y", f'sha256:{_HASH}: ""', f"sha256:{_HASH}: 5")
BRAKES = ("id: [unfinished", "- a list", "id: ''", "reason: no id")


def choose(options: Sequence[T], pick: float) -> T:
    """Return one of *options*."""
    return options[int(pick * len(options))]


def add_rollout(policy: str, pick: float) -> str:
    """Return a policy with a rollout that a person wrote, instead of an earlier one by hand."""
    policy = re.sub(r'rollout: {"id.*\n', "", policy)
    tag = re.search(r"simulation/policy: (p\d+)", policy)
    candidate = {"injectedAnnotations": {"simulation/policy": f"{tag[1] if tag else 'p'}9"}}
    rollout = {"id": "by-hand", "mode": "share", "share": 50, "candidate": candidate}
    line = f"rollout: {json.dumps({**rollout, **choose(_ROLLOUTS, pick)})}\n"
    return line + policy


def name_no_bundle(policy: str, *, is_folder: bool) -> str:
    """Return a policy that names a bundle which nobody stored."""
    digest = f"sha256:{_HASH}"
    if is_folder:
        return f"# broken\nbundle: {digest}\n" + re.sub(r"(^|\n)bundle:.*", "", policy)
    return re.sub("(?<=\nbundle: )sha256:[0-9a-f]{64}", digest, f"# broken\n{policy}", count=1)


def make_document(pick: float) -> str:
    """Return an invalid document of the callers of a cluster."""
    document = choose(_DOCUMENTS, pick)
    return "tokens: [unfinished" if document is None else json.dumps(document)


def repair(present: str, broken: str, before: str) -> str:
    """Return the document before a mistake, with the credentials that commands added since."""
    if present == broken:
        return before
    own = yaml.safe_load(before)
    for kind in ("tokens", "subjects"):
        kept, wrong = _list_credentials(before, kind), _list_credentials(broken, kind)
        added = [each for each in _list_credentials(present, kind) if each not in [*kept, *wrong]]
        own[kind] = [*kept, *added]
    own["tokens"] = own["tokens"][-MOST_TOKENS:]
    return json.dumps(own)


def _list_credentials(text: str, kind: str) -> list[Any]:
    """Return what a document has of a kind; empty if it is invalid."""
    try:
        document: Any = yaml.safe_load(text)
    except yaml.YAMLError:
        return []
    listed: Any = document.get(kind, []) if hasattr(document, "get") else []
    return [*listed] if hasattr(listed, "append") else []


@dataclass(frozen=True, slots=True)
class BrokenRegistry:
    """A registry that does not load: its digest, its object, and how the pointer is written."""

    digest: str
    content: bytes | None = None
    serial: int | None = None
    count: int = 1


def make_registry(content: bytes, oldest: str, action: Action) -> BrokenRegistry:
    """Return a broken registry; *content* is the present one, *oldest* the digest of the first."""
    pick = action.options["pick"]
    document: dict[str, Any] = json.loads(gzip.decompress(content))
    if action.options["kind"] == "callers":
        document["clusters"][action.subject] = choose(_DOCUMENTS[:-1], pick)
        return _pack(json.dumps(document).encode())
    return choose(
        (
            BrokenRegistry(f"sha256:{_HASH}"),
            BrokenRegistry(oldest, serial=1),
            BrokenRegistry(f"sha256:{_HASH}", serial=0, count=3),
            BrokenRegistry(f"sha256:{_HASH}", serial=0, count=12),
            BrokenRegistry("no digest"),
            BrokenRegistry("sha256:" + "1" * 64, b"no gzip"),
            BrokenRegistry("sha256:" + "2" * 64, gzip.compress(b"{}", mtime=0)),
            _pack(b'{"clusters": 5}'),
            _pack(b"no JSON"),
            _pack_too_much(),
        ),
        pick,
    )


def _pack(text: bytes) -> BrokenRegistry:
    digest = f"sha256:{hashlib.sha256(text).hexdigest()}"
    return BrokenRegistry(digest, gzip.compress(text, mtime=0))


@cache
def _pack_too_much() -> BrokenRegistry:
    return _pack(b" " * 17_000_000)


def make_fleet(clusters: int, pick: float) -> str:
    """Return a file of a fleet whose clusters have groups and sources."""
    own = {
        f"c{number}": {
            "groups": ["ring-1"] if (number + int(pick * 10)) % 2 else [],
            **choose(_FRONTS, (pick * (number + 7)) % 1),
        }
        for number in range(clusters)
    }
    spec: dict[str, Any] = {
        "url": "https://injector.example.com",
        "groups": {"ring-1": {}},
        "clusters": own,
    }
    return json.dumps({"apiVersion": "podgraft.dev/v1", "kind": "Fleet", "spec": spec})
