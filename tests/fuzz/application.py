"""podgraft's application around a store in memory, and calls of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from werkzeug.test import Client

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import UnknownInjectorError
from podgraft.core.versions.snapshot import Snapshot, SnapshotSet
from podgraft.core.versions.snapshot_loader import load_snapshots
from podgraft.service.http import create_app
from podgraft.service.settings import Auth
from podgraft.service.store import CallerRegistry, caller_document
from podgraft.service.store.caller_document import Callers, TokenHash

TOKENS: Mapping[str, str] = {"prod": "token-of-prod", "stage": "token-of-stage"}
Record = Mapping[str, JSON]


def load(policy: str, files: Mapping[str, bytes]) -> SnapshotSet:
    """The snapshots of a policy and a bundle, as a store loads them; raises ``StoreError``."""
    return load_snapshots("default", policy, "1", lambda _: files, parse_lazily=True)


@dataclass
class FuzzStore:
    """A store that contains what the test puts into it, and the callers ``TOKENS``."""

    snapshots: dict[str, SnapshotSet] = field(default_factory=dict[str, SnapshotSet])
    stale: Staleness | None = None

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        del deadline
        if injector not in self.snapshots:
            raise UnknownInjectorError(f"injector {injector} has no policy")
        return self.snapshots[injector].for_cluster(cluster, self.stale, groups)

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        del deadline
        return tuple(self.snapshots)

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        return CallerRegistry(
            {
                name: Callers((TokenHash(caller_document.hash_token(token), ""),))
                for name, token in TOKENS.items()
            }
        )


class Application:
    """The application, and the records of its request log."""

    def __init__(self, *, clock: Callable[[], float] | None = None) -> None:
        self.store = FuzzStore()
        self.records: list[Record] = []
        self.now = 0.0
        app = create_app(
            self.store,
            self.store,
            auth=Auth.TOKEN,
            request_log=self.records.append,
            clock=clock or self._read_clock,
            ages=clock or self._read_clock,
        )
        self.client = Client(app)

    def _read_clock(self) -> float:
        self.now += 1000.0  # failures to authenticate never throttle the next input
        return self.now

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Status and JSON body of a POST."""
        response = self.client.post(
            path, data=body, headers={"Content-Type": "application/json", **(headers or {})}
        )
        return response.status_code, json.loads(response.data)

    def review(self, route: str, cluster: str, body: bytes) -> tuple[int, Any]:
        """Status and body of a review of a cluster."""
        headers = {"Authorization": f"Bearer {TOKENS[cluster]}"}
        return self.post(f"/{route}", body, headers)


def read_patch(answer: Any) -> list[dict[str, Any]]:
    """The operations of a review's response."""
    patch = answer["response"].get("patch")
    return json.loads(base64.b64decode(patch)) if patch else []
