"""Synthetic reviews: the event of the watch, which no front can send and no metric counts."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support.store_fixture import TOKEN, write, write_injector

Send = Callable[[Any], dict[str, Any]]
ALL: Mapping[str, Any] = {"synthetic_review": {}}


def test_each_injector_reviews_a_pod_and_no_metric_counts_it(
    send: Send, capsys: pytest.CaptureFixture[str]
) -> None:
    result = send(ALL)
    reviews = {review["injector"]: review for review in result["reviews"]}
    assert reviews.keys() == {"default", "istio"}
    assert (reviews["default"]["code"], reviews["default"]["decision"]) == (200, "inject")
    # The label of the pod decides, although the policy of this injector is disabled.
    assert (reviews["istio"]["code"], reviews["istio"]["reason"]) == (
        200,
        "inject-true",
    )
    assert result["problems"] == []
    assert "prod-eu" in result["clusters"]
    assert TOKEN not in json.dumps(result)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["message"] for line in lines} == {"synthetic_review"}  # and no metrics
    assert all(line["cluster"] == "" and "route" not in line for line in lines)


def test_the_named_injectors_are_reviewed(send: Send) -> None:
    result = send({"synthetic_review": {"injectors": ["istio", "missing", "No Name", 5]}})
    assert [review["injector"] for review in result["reviews"]] == ["istio", "missing"]
    assert result["reviews"][1]["code"] == 404
    assert "no folder of this name" in result["reviews"][1]["problem"]


def test_what_does_not_load_is_reported(send: Send, folder: Path) -> None:
    write_injector(folder, policy="polcy: 1")
    write(folder / "auth" / "other.yaml", b"tokens: nonsense")
    result = send(ALL)
    [broken] = [review for review in result["reviews"] if review["injector"] == "default"]
    assert (broken["code"], broken["fault"]) == (500, "InvalidVersionError")
    assert "polcy" in broken["problem"]
    assert [problem for problem in result["problems"] if "other" in problem]


OTHERS: tuple[Any, ...] = (
    {"synthetic_review": {}, "requestContext": {"http": {"method": "GET", "path": "/"}}},
    {"synthetic_review": None},
    {"synthetic_review": {}, "more": 1},
    {"synthetic_review": {"injectors": 5}},
    {"body": '{"synthetic_review":{}}'},
    ["synthetic_review"],
    "synthetic_review",
)


@pytest.mark.parametrize("event", OTHERS, ids=repr)
def test_no_other_event_is_a_synthetic_review(
    event: Any, send: Send, capsys: pytest.CaptureFixture[str]
) -> None:
    response = send(event)
    assert response["statusCode"] == 400
    assert json.loads(capsys.readouterr().out)["message"] == "fault"
