"""``podgraft status -o policyreport``: the counts of namespaces for the tools of other engines."""

import pytest

from cli.status.test_status import run
from podgraft.cli.status.policy_report import make_reports
from podgraft.cli.status.survey import NamespaceStatus
from podgraft.kube import yaml

# Of wgpolicyk8s.io_policyreports.yaml, v1alpha2.
RESULTS = {"pass", "fail", "warn", "error", "skip"}


def test_a_namespace_with_pods_has_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(monkeypatch, capsys, "status -o policyreport")
    assert status == 0
    pod = {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "early"}
    assert yaml.load(out) == {
        "apiVersion": "wgpolicyk8s.io/v1alpha2",
        "kind": "PolicyReport",
        "metadata": {"name": "podgraft", "namespace": "shop"},
        "summary": {"pass": 1, "fail": 1, "warn": 0, "error": 0, "skip": 0},
        "results": [
            {
                "source": "podgraft",
                "policy": "podgraft",
                "rule": "sidecars",
                "result": "fail",
                "message": "has no sidecar; restart the workload",
                "resources": [pod],
            }
        ],
    }


def test_the_summary_counts_all_pods_and_the_results_are_few() -> None:
    names = [f"pod-{number}" for number in range(600)]
    status = NamespaceStatus(
        "shop", pods=1_000, current=200, missing=names[:400], outdated=names[400:], unchecked=100
    )
    [report] = make_reports([status, NamespaceStatus("empty")])
    assert report["summary"] == {"pass": 200, "fail": 400, "warn": 200, "error": 0, "skip": 200}
    results = report["results"]
    assert isinstance(results, list)
    assert len(results) == 500
    kinds = {str(each["result"]) for each in results if isinstance(each, dict)}
    assert kinds == {"fail", "warn"}
    assert kinds < RESULTS
