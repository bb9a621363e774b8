"""The step of a rollout in explain: the bucket and the track of the workload in each cluster."""

import json
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.core.policy.rollout import compute_bucket
from podgraft.kube import yaml
from support.config_folder import write_folder

SAMPLE = Path(__file__).parents[3] / "samples" / "istio" / "bundle"
ID = "2026-11-22-hotfix-probes"
DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        },
    },
}
EU = compute_bucket(ID, "prod-eu", "shop", "Deployment/web")


def explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cluster: str, rollout: Object | None
) -> list[str]:
    """The steps of rollouts in the trace."""
    (tmp_path / "web.yaml").write_text(yaml.dump(DEPLOYMENT))
    fields: Object = {} if rollout is None else {"rollout": rollout}
    clusters: Object = {"prod-eu": {"revision": "a"}, "prod-us": {"revision": "a"}}
    policy = yaml.dump({"policy": "enabled", "clusters": clusters, **fields})
    folder = write_folder(tmp_path / "a", "istio", policy)
    files = ("-f", str(tmp_path / "web.yaml"), "--config", folder)
    assert cli.main(["explain", *files, "--cluster", cluster, "-o", "json"]) == 0
    trace: Any = json.loads(capsys.readouterr().out)
    steps = [step for stage in trace["stages"] for step in stage["steps"]]
    return [step["observed"] for step in steps if step["name"] == "rollout"]


CANDIDATE = "; the other steps are those of stable"


@pytest.mark.parametrize(
    ("cluster", "changes", "expected"),
    [
        ("prod-eu", {}, f"bucket {EU} of 10,000, 5 %, candidate{CANDIDATE}"),
        ("prod-eu", {"share": 2.23}, f"bucket {EU} of 10,000, 2.23 %, stable"),
        ("prod-eu", {"share": 2.24}, f"bucket {EU} of 10,000, 2.24 %, candidate{CANDIDATE}"),
        ("prod-eu", {"clusters": {"prod-eu": 1}}, f"bucket {EU} of 10,000, 1 %, stable"),
        ("prod-eu", {"mode": "shadow"}, f"bucket {EU} of 10,000, 5 %, compared{CANDIDATE}"),
        ("prod-eu", {"mode": "paused"}, f"bucket {EU} of 10,000, 5 % (paused), stable"),
        ("prod-us", {}, "bucket 6156 of 10,000, 5 %, stable"),
    ],
)
def test_the_step_is_that_of_the_function(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    cluster: str,
    changes: Object,
    expected: str,
) -> None:
    candidate: Object = {"revision": "b"}
    rollout: Object = {"id": ID, "mode": "share", "share": 5, "candidate": candidate, **changes}
    assert explain(tmp_path, capsys, cluster, rollout) == [f"{ID}: {expected}"]


@pytest.mark.parametrize("rollout", [None, {"id": "A"}])
def test_without_a_valid_rollout_there_is_no_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rollout: Object | None
) -> None:
    assert explain(tmp_path, capsys, "prod-eu", rollout) == []
