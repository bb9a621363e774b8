"""``/metrics`` of ``podgraft serve``: the sum over all workers, and for no one else's eyes."""

import os
import re
import signal
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from podgraft.base.jsonvalue import JSON
from podgraft.service.serve import metrics as serve_metrics
from podgraft.service.serve.metrics import MAX_SOURCES, WorkerMetrics
from service.serve.running import CA, PATH, Served, issue_token, prepare, serving

REVIEWS = 24
REQUESTS = "sidecar_injection_requests_total"
PATIENCE_SECONDS = 60


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Certificates and a store, in the working directory."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


def metrics_port(served: Served) -> int:
    """The port that the server printed."""
    [line] = [line for line in served.first if line.startswith("podgraft serves metrics on ")]
    found = re.search(r"http://127\.0\.0\.1:(\d+)/metrics\n", line)
    assert found is not None, line
    return int(found[1])


def get(port: int, path: str = "/metrics", method: str = "GET") -> tuple[int, str]:
    """One request to the metrics port, without credentials."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def samples(text: str) -> Mapping[tuple[str, frozenset[tuple[str, str]]], float]:
    """The values by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    """One value; 0 if the page has none."""
    return samples(text).get((name, frozenset(labels.items())), 0.0)


def attempts() -> Iterator[None]:
    """Attempts until the patience ends; a test fails after the last one."""
    ends = monotonic() + PATIENCE_SECONDS
    while monotonic() < ends:
        yield
    raise AssertionError("it did not happen")


def test_a_page_of_any_worker_is_the_sum_over_all(folder: Path) -> None:
    token = issue_token()
    with serving(folder, "--metrics-port", "0", "--workers", "2") as served:
        port = metrics_port(served)
        source = {"cluster": "prod-eu", "injector": "default"}
        for _ in range(REVIEWS):  # each on a new connection, which any worker can accept
            assert served.ask("POST", f"/k/{token}{PATH}")[0] == 200
        assert served.ask("POST", PATH)[0] == 401
        assert served.ask("POST", f"/k/{token}/invented/inject")[0] == 404
        for _ in range(8):
            status, text = get(port)
            assert status == 200
            assert value(text, REQUESTS, **source) == REVIEWS
            count = "sidecar_injection_time_seconds_count"
            assert value(text, count, **source) == REVIEWS
            reason = "UnauthenticatedError"
            assert value(text, "authentication_failure_total", reason=reason) == 1
            assert value(text, REQUESTS, cluster="prod-eu", injector="(unknown)") == 1
            assert "invented" not in text
            assert token not in text
        killed, *_ = served.workers()
        os.kill(killed, signal.SIGKILL)
        for _ in attempts():
            if killed not in (running := served.workers()) and len(running) == 2:
                break
        # The new worker continues the counters of the killed one.
        done = REVIEWS
        for _ in attempts():
            try:
                done += served.ask("POST", f"/k/{token}{PATH}")[0] == 200
                text = get(port)[1]
            except (OSError, HTTPException):
                continue
            assert value(text, REQUESTS, **source) == done
            if done > 2 * REVIEWS:
                break
        served.stop()


def test_the_page_is_on_the_metrics_port_only(folder: Path) -> None:
    token = issue_token()
    with serving(folder, "--metrics-port", "0", "--client-ca", CA, "--auth", "token") as served:
        port = metrics_port(served)
        assert served.ask("GET", "/metrics")[0] == 404
        assert served.ask("GET", f"/k/{token}/metrics")[0] == 404
        assert get(port, "/")[0] == 404
        assert get(port, PATH, "POST")[0] == 404
        assert get(port, "/metrics", "POST")[0] == 405
        text = get(port)[1]
        assert 'podgraft_cluster_credentials{cluster="prod-eu"} 1.0' in text
        assert 'podgraft_injector_ready{injector="default"} 1.0' in text
        name = "podgraft_certificate_expiration_timestamp_seconds"
        assert {dict(labels)["use"] for found, labels in samples(text) if found == name} == {
            "server",
            "client-ca",
        }
        served.stop()


def test_without_the_option_there_is_no_page(folder: Path) -> None:
    with serving(folder) as served:
        assert not [line for line in served.first if "metrics" in line]
        assert "metrics on" not in served.stop()


def test_an_injector_that_does_not_load_is_not_ready(folder: Path) -> None:
    with serving(folder, "--metrics-port", "0") as served:
        (folder / "store" / "other").mkdir()
        (folder / "store" / "other" / "policy.yaml").write_text("policy: [")
        text = get(metrics_port(served))[1]
        assert value(text, "podgraft_injector_ready", injector="other") == 0
        assert value(text, "podgraft_injector_ready", injector="default") == 1
        assert value(text, "podgraft_injector_stale", injector="default") == 0
        (folder / "store" / "default" / "policy.yaml").write_text("policy: [")
        text = get(metrics_port(served))[1]
        assert value(text, "podgraft_injector_stale", injector="default") == 1
        assert value(text, "podgraft_injector_ready", injector="default") == 1
        served.stop()


def review(number: int) -> Mapping[str, JSON]:
    """The record of a review of one of many clusters."""
    return {
        "event": "review",
        "route": "inject",
        "cluster": f"{number:0100d}",
        "injector": "i" * 63,
        "policy_version": "1",
        "decision": "skip",
        "reason": "host-network,policy-enabled",
        "milliseconds": 1.5,
    }


def test_sources_are_bounded_and_fit_into_the_files(tmp_path: Path) -> None:
    counters = WorkerMetrics(tmp_path, 1)
    for number in range(MAX_SOURCES + 50):
        counters.observe(review(number))
    registry = CollectorRegistry()
    counters.register_total(registry)
    text = generate_latest(registry).decode()
    other = {"cluster": "(other)", "injector": "(other)"}
    assert value(text, REQUESTS, **other) == 50
    # One reason, the deciding one: their combinations have no bound.
    assert value(text, "sidecar_injection_skip_total", reason="host-network", **other) == 50
    sizes = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert sizes == dict.fromkeys(("counter_0.db", "histogram_0.db"), serve_metrics.FILE_BYTES)
