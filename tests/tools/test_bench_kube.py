"""The measurement of ``tools/bench_kube.py`` without Go: programs in place of both sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest

import bench_kube
from bench.bench_input import sample_input
from bench_kube import ALLOW, ISTIO, NONE, PODGRAFT, VARIANTS, AdmissionProgram, Cluster
from support.programs import write_python_program

# Answers as main.go does: a webhook adds 2 ms for each user, and a container.
STUB = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    users, extra = asked["load"]["users"], asked["server"] != "none"
    times = {name: 0.001 * number + 0.002 * users * extra
              for number, name in enumerate(("mean", "p50", "p95", "p99"), 1)}
    containers = 1 + (asked["server"] == "injects")
    print(json.dumps({"load": {"pods": 100, "errors": 0, "containers": containers, **times}}),
          flush=True)
"""
POD: dict[str, Any] = {"spec": {"containers": [{"name": "web"}]}}
CLUSTERS = {
    NONE: Cluster("", "none"),
    ALLOW: Cluster("{}", "allows"),
    PODGRAFT: Cluster("{}", "injects"),
    ISTIO: Cluster("{}", "injects"),
}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "admission"
    write_python_program(path, STUB)
    return path


def test_rows_show_what_each_webhook_adds(program: Path) -> None:
    steps: list[str] = []
    with AdmissionProgram(program) as client:
        rows = bench_kube.measure(client, CLUSTERS, POD, (1, 10), 2.0, 2, steps.append)
    assert [(row.users, row.variant) for row in rows] == [
        (users, variant) for users in (1, 10) for variant in VARIANTS
    ]
    assert len(steps) == 2 * 2 * len(VARIANTS)
    for row in rows:
        added = 0.0 if row.variant == NONE else 0.002 * row.users
        assert row.rate == 50
        assert row.times == pytest.approx(tuple(0.001 * each + added for each in (1, 2, 3, 4)))
        assert row.added == pytest.approx((added,) * 3)
    text = bench_kube.format_table(rows, "2 cores")
    assert "| 10 | podgraft serve | 50 | 21.0 ms |" in text
    assert "| 1 | no webhook | 50 | 1.0 ms | 2.0 ms | 3.0 ms | 4.0 ms |  |  |  |" in text


@pytest.mark.parametrize(
    ("variant", "change", "expected"),
    [
        (PODGRAFT, {"containers": 1}, "podgraft serve: the pod has 1 containers"),
        (NONE, {"containers": 2}, "no webhook: the pod has 2 containers"),
        (ISTIO, {"errors": 3, "error": "denied"}, "Istio: 3 errors: denied"),
        (ISTIO, {"pods": 0}, "Istio: 0 errors: None"),
    ],
)
def test_a_run_that_measured_something_else_is_an_error(
    variant: str, change: dict[str, Any], expected: str
) -> None:
    times = dict.fromkeys(("mean", "p50", "p95", "p99"), 0.1)
    answer = {"pods": 9, "errors": 0, "containers": 2, **times, **change}
    with pytest.raises(click.ClickException, match=expected):
        bench_kube.check_result(variant, answer, POD, 1.0)


def test_the_pod_has_the_mark_that_the_client_replaces() -> None:
    text = json.dumps(bench_kube.make_pod(sample_input()))
    assert "app-123456789" in text


def test_the_registration_calls_the_webhook_for_new_pods() -> None:
    (webhook,) = json.loads(bench_kube.make_registration("https://h/inject", b"ca"))["webhooks"]
    assert webhook["clientConfig"] == {"url": "https://h/inject", "caBundle": "Y2E="}
    assert webhook["failurePolicy"] == "Fail"
    assert webhook["rules"][0]["operations"] == ["CREATE"]


def test_the_page_has_the_figures() -> None:
    _, _, rest = bench_kube.PAGE.read_text(encoding="utf-8").partition(bench_kube.BEGIN)
    section, _, _ = rest.partition(bench_kube.END)
    for users in (1, 10, 100):
        for variant in VARIANTS:
            assert f"| {users} | {variant} |" in section
