"""A rollout in the log and in the metrics: fields, dimensions, and nothing without a rollout."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.core import bundle
from podgraft.service.http.candidate_metrics import CandidateMetric, candidate_measures
from podgraft.service.http.metrics import Measure, Unit
from podgraft.service.http.powertools import make_request_log
from service.http.conftest import make_application
from support.memory_store import labelled_bundle
from support.recorded_requests import load_request
from support.store_fixture import write, write_injector

REVIEW: Mapping[str, JSON] = {"event": "review", "route": "inject", "milliseconds": 1.5}
CANDIDATE = labelled_bundle("2.0")
DIGEST = bundle.digest(CANDIDATE)
POLICY = f"""\
rollout:
  id: a
  mode: %s
  share: 100
  candidate: {{bundle: "{DIGEST}"}}
"""
RAN = (CandidateMetric.REVIEWS,)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (None, ()),
        ("outside", ()),
        ("same", RAN),
        ("changed", (*RAN, CandidateMetric.CHANGED)),
        ("failed", (*RAN, CandidateMetric.FAILURE)),
        ("fallback", (*RAN, CandidateMetric.FAILURE, CandidateMetric.FALLBACK)),
        ("disabled", (CandidateMetric.DISABLED,)),
    ],
)
def test_each_outcome_has_its_metrics(
    outcome: str | None, expected: tuple[CandidateMetric, ...]
) -> None:
    record = {**REVIEW, "candidate": outcome}
    measures = {each.metric: each.value for each in candidate_measures(record)}
    assert tuple(metric for metric, value in measures.items() if value) == expected
    # Each review in which the candidate ran counts for the alarm, also without a failure.
    assert (CandidateMetric.FAILURE in measures) is (CandidateMetric.REVIEWS in measures)
    timed = {**record, "candidate_milliseconds": 0.5}
    assert [each for each in candidate_measures(timed) if each.value not in (0.0, 1.0)] == [
        Measure(CandidateMetric.TIME, 0.5, Unit.MILLISECONDS)
    ]


def send(
    folder: Path, capsys: pytest.CaptureFixture[str], policy: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The log line of a review, and the lines of its metrics."""
    write_injector(folder, policy=policy)
    for name, content in CANDIDATE.items():
        write(folder / "default/bundles" / DIGEST.removeprefix("sha256:") / name, content)
    site = make_application(folder, journal=make_request_log("stage"))
    capsys.readouterr()
    assert site.send(load_request("24-bearer-token")).status_code == 200
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    reviews = [line for line in lines if line.get("message") == "review"]
    assert len(reviews) == 1
    return reviews[0], [line for line in lines if "_aws" in line]


def test_without_a_rollout_there_are_no_further_fields_and_metrics(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, metrics = send(folder, capsys, "policy: enabled\n")
    assert not {"rollout", "track", "bucket", "candidate"} & line.keys()
    assert len(metrics) == 1
    assert "track" not in metrics[0]


@pytest.mark.parametrize("mode", ["share", "shadow"])
def test_a_rollout_is_in_the_log_and_has_metrics(
    folder: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    line, [review, candidate] = send(folder, capsys, POLICY % mode)
    assert (line["rollout"], line["rollout_mode"], line["candidate"]) == ("a", mode, "changed")
    assert line["candidate_paths"] == "replace spec.containers[istio-proxy].image"
    assert line["track"] == ("candidate" if mode == "share" else "stable")
    assert review.get("track") == ("candidate" if mode == "share" else None)
    assert "sidecar_injection_requests_total" in review
    assert candidate["candidate_changed_total"] == [1.0]
    assert candidate["candidate_failure_total"] == [0.0]
    assert candidate["service"] == "stage"
    assert "sidecar_injection_requests_total" not in candidate


def test_a_refused_candidate_is_in_the_log_and_not_in_the_response(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, metrics = send(folder, capsys, (POLICY % "share").replace(DIGEST, "sha256:00"))
    assert (line["candidate"], line["candidate_reason"]) == ("disabled", "refused")
    assert "/rollout/candidate/bundle: got" in line["candidate_problem"]
    assert (line["refused"], line["stale"]) == (True, "")
    assert metrics[0]["policy_refused_total"] == [1.0]
    assert metrics[1]["reason"] == "refused"
