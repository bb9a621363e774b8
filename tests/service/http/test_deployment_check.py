"""The check of a deployment: events of the probe, which no front can send and no metric counts."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from podgraft.core.versions.errors import UnavailableError
from podgraft.service.store.caller_document import hash_token
from podgraft.service.store.folder import FolderCallers
from support.store_fixture import TOKEN, write, write_injector

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


def test_a_cluster_has_the_groups_of_its_callers(send: Send, folder: Path) -> None:
    write_injector(folder, policy="policy: enabled\ngroups: {ring: {policy: disabled}}\n")
    assert json.loads(send(check(REVIEW))["body"])["response"].get("patch")
    document = f"{{tokens: [{{sha256: {hash_token(TOKEN)}}}], groups: [ring]}}"
    write(folder / "auth" / "prod-eu.yaml", document.encode())
    result = send(check({**REVIEW, "fresh": True}))
    assert result["code"] == 200
    assert "patch" not in json.loads(result["body"])["response"]


def test_callers_that_cannot_be_read_are_the_error_of_a_review(
    send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UnavailableError("out of reach")

    monkeypatch.setattr(FolderCallers, "callers", fail)
    result = send(check(REVIEW))
    assert (result["code"], result["policy_version"]) == (503, "")


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
