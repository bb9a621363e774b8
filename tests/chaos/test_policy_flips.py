"""A policy that changes under load: each response comes from exactly one version.

The bundle of version *n* has the image tag *n*, and the policy adds the annotation *n*. A response
with two different numbers would be a mixture. ``FLIP_REVIEWS=100000`` sends 10⁵ reviews to each
store.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from flask.testing import FlaskClient

from fuzz.application import read_patch
from podgraft.base.deadline import Deadline
from podgraft.core import bundle
from podgraft.core.versions.snapshot import Store
from podgraft.service.http import Auth, create_app
from podgraft.service.store import CallerRegistry
from podgraft.service.store.folder import FolderStore
from support.effort import IS_LONG
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.recorded_requests import load_request
from support.store_fixture import write

# A run by hand: FLIP_REVIEWS=100000.
REVIEWS = int(os.environ.get("FLIP_REVIEWS", "10000" if IS_LONG else "1500"))
READERS = 3
FLIPS = 200 if IS_LONG else 12
VERSIONS = 7  # different bundles
GIVE_UP_SECONDS = 3600 if IS_LONG else 300
BODY = load_request("03-kubectl-run").body
STAMP = "example.com/version"

Put = Callable[[int], None]


class NoCallers:
    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        raise AssertionError(deadline)


def policy_text(number: int, digest: str) -> str:
    return f"bundle: {digest}\ninjectedAnnotations: {{{STAMP}: v{number}}}\n"


def files_of(number: int) -> dict[str, bytes]:
    return dict(labelled_bundle(f"v{number % VERSIONS}"))


@contextmanager
def flipping_store() -> Generator[tuple[Store, Put]]:
    """Parameter Store and S3 in memory; every review refreshes."""
    memory = MemoryStore()

    def put(number: int) -> None:
        memory.put("default", policy_text(number, memory.upload(files_of(number))))

    put(0)
    yield cached_store(memory, refresh_seconds=0.01), put


@contextmanager
def folder_store(folder: Path) -> Generator[tuple[Store, Put]]:
    """A folder with a bundle for each digest; only the policy switches."""

    def put(number: int) -> None:
        files = files_of(number)
        digest = bundle.digest(files)
        for path, content in files.items():
            target = folder / "default" / "bundles" / digest.removeprefix("sha256:") / path
            if not target.exists():
                write(target, content)
        write(folder / "default" / "policy.yaml", policy_text(number, digest).encode())

    put(0)
    yield FolderStore(folder, seconds=0.01), put


def read_versions(answer: Any) -> tuple[str, str]:
    """The version that the policy adds, and the one that the bundle adds."""
    operations = json.dumps(read_patch(answer))
    stamp = operations.partition(f'"{STAMP}": "')[2] or operations.partition("~1version")[2]
    tag = operations.partition("registry.example.com/proxy:")[2]
    stamped = stamp[stamp.index("v") :].partition('"')[0]
    return stamped, tag.partition('"')[0]


class Reader:
    """Sends reviews until it is stopped, and checks each response."""

    def __init__(self, client: FlaskClient, stop: Event) -> None:
        self.answered = 0
        self.wrong: list[object] = []
        self.seen: set[int] = set()
        self._client, self._stop = client, stop

    def run(self) -> None:
        while not self._stop.is_set():
            response = self._client.post(
                "/inject", data=BODY, headers={"Content-Type": "application/json"}
            )
            self.answered += 1
            if response.status_code != 200:
                self.wrong.append((response.status_code, response.text))
                continue
            stamp, tag = read_versions(response.get_json())
            self.seen.add(int(stamp[1:]))
            if int(stamp[1:]) % VERSIONS != int(tag[1:]):
                self.wrong.append((stamp, tag))


@pytest.mark.parametrize("kind", ["Parameter Store and S3", "folder"])
def test_each_response_comes_from_exactly_one_version(kind: str, tmp_path: Path) -> None:
    opened = folder_store(tmp_path) if kind == "folder" else flipping_store()
    with opened as (store, put):
        app = create_app(store, NoCallers(), auth=Auth.NONE, request_log=lambda _: None)
        stop = Event()
        readers = [Reader(app.test_client(), stop) for _ in range(READERS)]
        threads = [Thread(target=reader.run) for reader in readers]
        for thread in threads:
            thread.start()
        end = monotonic() + GIVE_UP_SECONDS
        for number in range(FLIPS + 1):
            put(number)
            await_reviews(readers, REVIEWS * number // FLIPS, number, end)
        stop.set()
        for thread in threads:
            thread.join()
    answered = sum(reader.answered for reader in readers)
    versions = set[int]().union(*(reader.seen for reader in readers))
    print(f"{kind}: {answered} reviews, {FLIPS} flips, {len(versions)} versions answered")  # noqa: T201
    assert [each for reader in readers for each in reader.wrong] == []
    assert answered >= REVIEWS
    assert versions == set(range(FLIPS + 1))


def await_reviews(readers: list[Reader], reviews: int, version: int, end: float) -> None:
    """Wait until this many reviews were answered, and one of them by this version."""
    while True:
        answered = sum(reader.answered for reader in readers)
        if answered >= reviews and any(version in reader.seen for reader in readers):
            return
        assert monotonic() < end, f"version {version}: {answered} reviews"
        sleep(0.002)
