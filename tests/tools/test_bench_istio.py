"""make bench-istio without Go: a program in place of Istio that returns the patches of podgraft."""

from pathlib import Path

import pytest

import bench_istio
from bench.load import Load
from core.injectors.istio import bundles
from oracle.istio import bench
from support.programs import write_python_program

# Answers as main.go does, with a patch that adds nothing.
STUB = """\
import base64, json, sys
patch = base64.b64encode(b"[]").decode()
for line in sys.stdin:
    asked = json.loads(line)
    answer = {{}}
    if "review" in asked:
        body = json.dumps({{"response": {{"allowed": True, "patch": patch}}}})
        answer = {{"status": 200, "body": body, "nanoseconds": 1000}}
    elif "pods" in asked:
        answer = {{"pods": [{pods}]}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The settings of the sample, in the form of the corpus."""
    folder = tmp_path / "settings"
    folder.mkdir()
    documents = bundles.documents()
    (folder / "config.yaml").write_text(documents.config, encoding="utf-8")
    (folder / "values.json").write_text(documents.values, encoding="utf-8")
    (folder / "mesh.yaml").write_text(documents.mesh, encoding="utf-8")
    return folder


def run_bench(tmp_path: Path, settings: Path, pods: str) -> int:
    program = tmp_path / "stub"
    write_python_program(program, STUB.format(pods=pods))
    options = ["--program", str(program), "--settings", str(settings), "--load-rounds", "0"]
    with pytest.raises(SystemExit) as caught:
        bench_istio.main([str(tmp_path), "1.30.3", *options, "--rounds", "3"])
    return int(caught.value.code or 0)


def test_the_table_has_all_rows(
    tmp_path: Path,
    settings: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bench_istio, "OUTPUT", tmp_path / "build" / "table.md")
    monkeypatch.setattr(bench, "REVIEWS", {"known": 20, "unseen": 20})
    monkeypatch.setattr(bench, "REVIEWS_OF_LARGE_PODS", 2)

    assert run_bench(tmp_path, settings, "1, 1") == 0

    text = (tmp_path / "build" / "table.md").read_text()
    assert capsys.readouterr().out == text
    rows = [line for line in text.splitlines() if line.startswith(("| known", "| unseen"))]
    assert len(rows) == 2 * len(bench.CONTAINERS)
    assert "| 0.001 ms | 0.001 ms |" in rows[0]
    assert "A fixed calculation, after each review of a known pod: p50 " in text


def test_different_pods_stop_the_measurement(
    tmp_path: Path, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_bench(tmp_path, settings, "1, 2") == 1
    assert "inject the pod differently; run make oracle-istio" in capsys.readouterr().err


def test_goals_are_ratios_of_medians() -> None:
    row = bench.LatencyRow("known", 1, istio=[1.0, 1.0, 9.0], podgraft=[0.1, 0.1, 0.2])
    rates = [
        Load(requests=each, errors=0, seconds=1, p50=0.01, p99=0.02) for each in (100, 300, 500)
    ]
    slow = [Load(requests=1, errors=0, seconds=1, p50=0.01, p99=0.09)]
    loads = [
        bench.LoadRow("mix", istio=rates[:1], podgraft=rates),
        bench.LoadRow("known, 1 container", istio=slow, podgraft=rates),
        bench.LoadRow("unseen, 1 container", istio=rates, podgraft=slow),
    ]

    text = bench.format_table(bench.Latencies([row], [0.1, 0.1, 0.3]), loads)

    assert "| 0.100 | ≤ 0.2 met | 2.00 | 9.00 |" in text
    assert "p50 100.000 ms, p99 300.000 ms, p99/p50 3.00." in text
    assert "TLS, 16 connections, mix: 3.00 times Istio's reviews/s; goal ≥ 3 met" in text
    missed = bench.LoadRow("mix", istio=rates, podgraft=rates)
    rows = bench.format_table(bench.Latencies([row], [0.1]), [missed])
    assert "mix: 1.00 times Istio's reviews/s; goal ≥ 3 MISSED" in rows
    assert (
        "| mix | podgraft serve, 2 workers | 100, 300, 500 | 10.0 ms | 20.0 ms | 2.0 |  |" in text
    )
    assert "| 10.0 ms | 20.0 ms | 2.0 | ≤ 2.5, below Istio's met | 0 |" in text
    assert "| 10.0 ms | 90.0 ms | 9.0 | ≤ 2.5, below Istio's MISSED | 0 |" in text


def test_the_page_has_the_table() -> None:
    _, _, rest = bench_istio.PAGE.read_text(encoding="utf-8").partition(bench_istio.BEGIN)
    section, _, _ = rest.partition(bench_istio.END)
    for name in ("1 container", "10 containers", "500 containers"):
        assert f"| unseen, {name} |" in section
    assert "| pods | server | reviews/s, each round |" in section
