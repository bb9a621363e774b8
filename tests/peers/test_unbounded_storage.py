"""Guarantee: podgraft stores nothing in a cluster, and bounds its log and its memory.

Incidents: Kyverno #8974, #10761, and #17114 (reports and update requests that fill etcd), and
tugger #65 (complete reviews in the log).
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import Object
from podgraft.core.versions.errors import UnavailableError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.http import asgi
from podgraft.service.http.health import FAILURE_SECONDS
from podgraft.service.http.request_log import MAX_FIELD_LENGTH
from podgraft.service.http.throttle import (
    MAX_FAILURES,
    MAX_SOURCES,
    MAX_TOTAL_FAILURES,
    WINDOW_SECONDS,
    Throttle,
)
from podgraft.service.store.folder import FolderStore
from service.http.conftest import make_application
from service.http.test_fronts import load_balancer
from service.http.test_handler import load_handler
from support.effort import scaled
from support.recorded_requests import load_request
from support.store_fixture import TOKEN, admit, write_injector

SENT = load_request("24-bearer-token")
LONG = "x" * 1_000_000
# All text fields of a line together, with their keys, and the numbers.
MAX_LINE = 8 * MAX_FIELD_LENGTH
# PEER_VALUES sets the number of requests, as in test_structure_injection.py.
FLOOD = int(os.environ.get("PEER_VALUES", scaled(20_000, by=20)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    admit(tmp_path, "prod-eu", TOKEN)
    return write_injector(tmp_path)


EDITS: Mapping[str, tuple[str, ...]] = {
    "uid": ("request", "uid"),
    "namespace": ("request", "namespace"),
    "name": ("request", "object", "metadata", "name"),
    "generateName": ("request", "object", "metadata", "generateName"),
    "the user": ("request", "userInfo", "username"),
    "a label": ("request", "object", "metadata", "labels"),
    "an annotation": ("request", "object", "metadata", "annotations"),
    "an owner": ("request", "object", "metadata", "ownerReferences"),
    "a schedule": ("request", "object", "spec", "schedulerName"),
}
VALUES: Mapping[str, Any] = {
    "a label": {LONG: LONG},
    "an annotation": {"proxy.istio.io/config": LONG},
    "an owner": [
        {"apiVersion": "batch/v1", "kind": "Job", "name": LONG, "uid": "u", "controller": True}
    ],
}


@pytest.mark.parametrize("route", ["inject", "mutate", "validate"])
@pytest.mark.parametrize("field", EDITS)
def test_a_line_is_short_whatever_the_pod_contains(field: str, route: str, folder: Path) -> None:
    at = make_application(folder)
    value = VALUES.get(field, LONG)
    at.send(SENT.with_value(*EDITS[field], value=value), f"/{route}")
    [record] = at.records
    assert len(json.dumps(record)) < MAX_LINE, {k: len(str(v)) for k, v in record.items()}


@pytest.mark.parametrize("path", [f"/{LONG[:5000]}/inject", f"/inject/{LONG[:5000]}"])
def test_a_line_is_short_whatever_the_path_is(path: str, folder: Path) -> None:
    at = make_application(folder)
    at.send(SENT, path)
    assert all(len(json.dumps(record)) < MAX_LINE for record in at.records)


def test_reasons_are_values_of_a_finite_set(folder: Path) -> None:
    """Each is a dimension of a metric, which CloudWatch bills."""
    at = make_application(folder)
    reasons: set[object] = set()
    for number in range(200):
        metadata: Object = {"annotations": {"sidecar.istio.io/inject": f"value {number}"}}
        at.send(SENT.with_value("request", "object", "metadata", value=metadata))
        reasons.add(at.records[-1].get("reason"))
    assert len(reasons) < 5


class UnreadBody:
    """A body that no one reads."""

    def __init__(self, _: bytes) -> None:
        pass

    def read(self, size: int = -1) -> bytes:
        raise AssertionError(f"read({size})")


def test_a_flood_reads_no_body_and_writes_few_lines(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """SIG Security threat 1: no byte is decoded, and log and memory are bounded."""
    monkeypatch.setenv("PODGRAFT_STORE", f"file:{folder}")
    handler = load_handler()
    sent = load_balancer({"content-type": "application/json", "authorization": f"Bearer {TOKEN}"})
    before = handler(sent, None)
    capfd.readouterr()
    started = monotonic()
    with monkeypatch.context() as patch:
        patch.setattr(asgi, "BytesIO", UnreadBody)
        codes: set[int] = set()
        for number in range(FLOOD):
            headers = {"content-type": "application/json", "x-forwarded-for": f"1.2.{number}"}
            if number % 2:
                headers["authorization"] = f"Bearer guess-{number}"
            codes.add(handler(load_balancer(headers), None)["statusCode"])
    assert codes == {401, 429}
    windows = (monotonic() - started) // WINDOW_SECONDS + 1  # one, unless the machine is busy
    lines = len(capfd.readouterr().out.splitlines())
    assert MAX_TOTAL_FAILURES <= lines <= MAX_TOTAL_FAILURES * (windows + 1)
    assert windows > 1 or lines < FLOOD
    # A cluster with valid credentials is not throttled, not even with the address of the attacker.
    attacker = {**sent["headers"], "x-forwarded-for": f"1.2.{FLOOD - 1}"}
    after = handler({**sent, "headers": attacker}, None)
    assert (after["statusCode"], after["body"]) == (200, before["body"])


def test_a_flood_of_readiness_requests_calls_the_store_seldom(folder: Path) -> None:
    """A failure to load calls Parameter Store, which limits the requests of the account."""
    calls: list[str] = []

    class MissingStore(FolderStore):
        def snapshot(
            self,
            injector: str,
            cluster: str | None,
            deadline: Deadline | None = None,
            groups: tuple[str, ...] = (),
        ) -> Snapshot:
            del cluster, deadline, groups
            calls.append(injector)
            raise UnavailableError("out of reach")

    at = make_application(folder, store=MissingStore(folder))
    for _ in range(100):
        assert at.client.get("/readyz").status_code == 503
    assert calls == ["default"]
    # A caller with credentials gets the present state.
    caller = {"Authorization": f"Bearer {TOKEN}"}
    assert at.client.get("/readyz", headers=caller).status_code == 503
    assert calls == ["default"] * 2
    at.clock.seconds = FAILURE_SECONDS
    assert at.client.get("/readyz").status_code == 503
    assert calls == ["default"] * 3


def test_the_throttle_stores_a_bounded_number_of_sources() -> None:
    throttle = Throttle(lambda: 0.0)
    exceeded = [throttle.is_exceeded(str(number)) for number in range(10 * MAX_SOURCES)]
    assert exceeded.count(False) == MAX_TOTAL_FAILURES
    assert len(vars(throttle)["_sources"]) == MAX_SOURCES
    assert MAX_FAILURES < MAX_TOTAL_FAILURES < MAX_SOURCES


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("10.0.0.1, 203.0.113.7", "203.0.113.7"),
        (f"{LONG[:5000]}, 203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:41234", "203.0.113.7"),
        ("a, 2001:db8::7", "2001:db8::7"),
        ("a, [2001:db8::7]:41234", "2001:db8::7"),
        ("", ""),
    ],
)
def test_the_address_that_a_load_balancer_appends_is_the_source(header: str, address: str) -> None:
    """The load balancer appends it; the client sends the addresses before it."""
    scope: dict[str, Any] = {
        "method": "POST",
        "path": "/inject",
        "query_string": b"",
        "server": ("", 443),
        "http_version": "1.1",
        "client": (header, 0),
        "scheme": "https",
        "headers": [],
    }
    assert asgi.wsgi_environ(scope, b"")["REMOTE_ADDR"] == address


def test_a_source_is_throttled_whatever_addresses_it_sends(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PODGRAFT_STORE", f"file:{folder}")
    handler = load_handler()
    capfd.readouterr()
    for number in range(2 * MAX_FAILURES):
        handler(load_balancer({"x-forwarded-for": f"198.51.100.{number}, 203.0.113.7"}), None)
    assert MAX_FAILURES <= len(capfd.readouterr().out.splitlines()) < 2 * MAX_FAILURES
