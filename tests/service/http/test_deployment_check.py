"""The check of a deployment: events of the probe, which no front can send and no metric counts."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support.store_fixture import TOKEN, write_injector

Send = Callable[[Any], dict[str, Any]]
BODY = json.dumps(
    {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "1",
            "namespace": "shop",
            "object": {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "web"},
                "spec": {"containers": [{"name": "app", "image": "app"}]},
            },
        },
    }
)
REVIEW: Mapping[str, Any] = {
    "request": "review",
    "injector": "default",
    "cluster": "prod-eu",
    "route": "inject",
    "path": "",
    "body": BODY,
}
ROLLOUT = """\
policy: enabled
rollout:
  id: 2026-11-22-probes
  mode: %s
  share: 5
  candidate: {policy: disabled}
"""


def check(request: Mapping[str, Any]) -> dict[str, Any]:
    return {"deployment_check": request}


def test_a_review_is_complete_and_no_metric_counts_it(
    send: Send, capsys: pytest.CaptureFixture[str]
) -> None:
    result = send(check(REVIEW))
    assert result["code"] == 200
    response = json.loads(result["body"])["response"]
    assert (response["uid"], response["allowed"]) == ("1", True)
    assert response["patch"]
    assert result["policy_version"]
    [line] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (line["message"], line["cluster"]) == ("deployment_check", "prod-eu")
    assert "route" not in line
    assert send(check({**REVIEW, "fresh": True})) == result


@pytest.mark.parametrize("cluster", ["Prod_EU", "prod.eu-1", "auth"])
def test_each_id_of_a_cluster_is_reviewed(send: Send, cluster: str) -> None:
    assert send(check({**REVIEW, "cluster": cluster}))["code"] == 200


@pytest.mark.parametrize("mode", ["shadow", "share", "paused"])
def test_the_state_names_injectors_clusters_and_rollouts(
    send: Send, folder: Path, mode: str
) -> None:
    write_injector(folder, policy=ROLLOUT % mode)
    state = send(check({"request": "state"}))
    assert state["injectors"] == ["default", "istio"]
    assert "prod-eu" in state["clusters"]
    assert state["rollouts"] == {"default": {"id": "2026-11-22-probes", "mode": mode}}
    assert state["problems"] == []
    assert TOKEN not in json.dumps(state)


def test_an_unknown_rollout_is_a_problem(send: Send, folder: Path) -> None:
    write_injector(folder, policy="polcy: 1")
    state = send(check({"request": "state"}))
    assert state["problems"] == ["injector default: its policy does not load"]


def test_two_responses_are_compared(send: Send) -> None:
    before = send(check(REVIEW))
    after = {**before, "code": 500}
    request = {"request": "compare", "object": {}, "before": before, "after": after}
    result = send(check(request))
    assert len(result["kind"]) == 12
    assert "replace code" in result["lines"]


OTHERS: tuple[Any, ...] = (
    {**check(REVIEW), "requestContext": {"http": {"method": "GET", "path": "/"}}},
    {**check(REVIEW), "more": 1},
    {"deployment_check": None},
    check({}),
    check({"request": "delete"}),
    check({**REVIEW, "route": "readyz"}),
    check({**REVIEW, "cluster": "a b"}),
    check({"request": "compare"}),
    {"body": json.dumps(check(REVIEW))},
)


@pytest.mark.parametrize("event", OTHERS, ids=repr)
def test_no_other_event_is_a_check(
    event: Any, send: Send, capsys: pytest.CaptureFixture[str]
) -> None:
    assert send(event)["statusCode"] == 400
    assert json.loads(capsys.readouterr().out)["message"] == "fault"
