"""The stages of ``tools/bench_stages.py``: of podgraft in real reviews, and of Istio's stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

import bench_stages
from bench.bench_input import sample_input
from podgraft.cli.assets import ROOT
from support.retry import retry_until

INJECT = "istio.io/istio/pkg/kube/inject."
SERVE = f"{INJECT}(*Webhook).serveInject"


@pytest.mark.parametrize(
    ("functions", "stage"),
    [
        (("reflect.Value.call", f"{INJECT}runTemplate", f"{INJECT}RunTemplate", SERVE), "render"),
        (("sigs.k8s.io/yaml.yamlToJSON", f"{INJECT}applyOverlayYAML", SERVE), "read YAML"),
        (("encoding/json.Unmarshal", f"{INJECT}applyOverlayYAML", SERVE), "merge"),
        (("encoding/json.Marshal", f"{INJECT}createPatch", SERVE), "diff"),
        (("encoding/json.Unmarshal", f"{INJECT}(*Webhook).inject", SERVE), "decode"),
        (("encoding/json.Marshal", SERVE), "encode"),
        ((SERVE,), "rest"),
        (("runtime.gcDrain", "runtime.gcBgMarkWorker"), "garbage collection"),
        (("runtime.mcall",), None),
    ],
)
def test_the_innermost_function_determines_the_stage_of_istio(
    functions: tuple[str, ...], stage: str | None
) -> None:
    assert bench_stages.find_istio_stage(functions) == stage


def test_traces_have_their_seconds_and_stacks() -> None:
    text = f"""File: oracle
Type: cpu
-----------+-------------------------------------------------------
      30ms   runtime.mallocgc
             {SERVE}
-----------+-------------------------------------------------------
     1.20s   {SERVE}
-----------+-------------------------------------------------------
"""
    assert list(bench_stages.parse_traces(text)) == [
        (0.03, ["runtime.mallocgc", SERVE]),
        (1.2, [SERVE]),
    ]


def test_each_function_of_the_table_exists() -> None:
    engine = ROOT / "layers" / "engine" / "podgraft"
    for path, name in bench_stages.PODGRAFT_STAGES:
        texts = [file.read_text(encoding="utf-8") for file in engine.rglob(f"*/{path}")]
        texts += [(engine / path).read_text(encoding="utf-8")] if (engine / path).exists() else []
        assert any(f"def {name}(" in text for text in texts), (path, name)


def test_real_reviews_have_the_stages(tmp_path: Path) -> None:
    def measure() -> bool:
        stages.update(bench_stages.measure_podgraft(sample_input(), tmp_path, 1.0))
        return all(stages[each] > 0 for each in ("decode", "render", "merge", "check", "diff"))

    stages: dict[str, float] = {}
    assert retry_until(True, measure)  # a busy machine takes few samples
    assert set(stages) == set(bench_stages.STAGES)
    table = bench_stages.format_table(stages, stages, "2 cores")
    assert len(table.splitlines()) == len(bench_stages.STAGES) + 5


def test_the_page_has_the_stages() -> None:
    _, _, rest = bench_stages.PAGE.read_text(encoding="utf-8").partition(bench_stages.BEGIN)
    section, _, _ = rest.partition(bench_stages.END)
    for stage in (*bench_stages.STAGES, "all"):
        assert f"| {stage} |" in section
