"""Reviews that Istio's own injector answered: the known differences, and re-injection.

``tests/oracle/istio/known_differences.py`` contains the reviews and records the answers. Each
injected pod was reviewed again, with the defaults that kube-apiserver fills in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.comparison import differences
from oracle.istio import known_differences, podgraft_side, text_reviews
from oracle.istio.podgraft_side import Podgraft
from podgraft import kube
from podgraft.base.jsonvalue import object_at, objects_at
from podgraft.core.injectors.errors import InvalidDocumentsError

DATA = Path(__file__).parent / "data"
RELEASES = ("1.18.7", "1.24.6", "1.30.3")
REVIEWS = {row.name: row for row in known_differences.make_rows()}
TEXT_REVIEWS = {row.name: row for row in text_reviews.make_rows()}
# The patch of Istio leaves the ids that OpenShift set; the result of podgraft has the template's.
CLEARED_IDS = "openshift 5"


def _answers(release: str, kind: str = "reviews") -> list[dict[str, Any]]:
    lines = (DATA / f"{kind}-{release}.jsonl").read_text(encoding="utf-8").splitlines()
    return [*map(json.loads, lines)]


CASES = [(release, answer["name"], answer) for release in RELEASES for answer in _answers(release)]


@pytest.mark.parametrize(("release", "name", "answer"), CASES)
def test_podgraft_responds_as_istio(release: str, name: str, answer: Mapping[str, Any]) -> None:
    row = REVIEWS[name]
    if "settings" in answer:
        with pytest.raises(InvalidDocumentsError):
            podgraft_side.load(release, row.settings, row.environment)
        return
    podgraft = podgraft_side.load(release, row.settings, row.environment)
    _check(podgraft, name, row.path, answer)
    if "again" in answer:
        _check(podgraft, name, row.path, answer["again"])


def test_every_review_has_a_response() -> None:
    for release in RELEASES:
        assert [answer["name"] for answer in _answers(release)] == [*REVIEWS]
    for release in text_reviews.RELEASES:
        assert [answer["name"] for answer in _answers(release, "texts")] == [*TEXT_REVIEWS]


TEXT_CASES = [
    (release, answer["name"], answer)
    for release in text_reviews.RELEASES
    for answer in _answers(release, "texts")
]


@pytest.mark.parametrize(("release", "name", "answer"), TEXT_CASES)
def test_podgraft_reads_texts_as_istio(release: str, name: str, answer: Mapping[str, Any]) -> None:
    row = TEXT_REVIEWS[name]
    podgraft = podgraft_side.load(release, row.settings, row.environment)
    if name in text_reviews.REFUSED:
        assert "injected" in answer
        refusal = podgraft.review(answer["pod"], "ns", row.path).refusal
        assert refusal is not None
        assert "its text would change the structure" in refusal
        return
    _check(podgraft, name, row.path, answer)
    if "again" in answer:
        _check(podgraft, name, row.path, answer["again"])


def test_no_refusal_has_the_wording_of_python() -> None:
    row = REVIEWS["proxy config tracing: {sampling: x}"]
    podgraft = podgraft_side.load("1.30.3", row.settings, row.environment)
    outcome = podgraft.review(row.pod, "ns", row.path)

    assert outcome.refusal is not None
    assert "invalid character 'x' looking for beginning of value" in outcome.refusal
    assert "could not convert" not in outcome.refusal


def test_the_annotation_that_fails_is_named() -> None:
    row = REVIEWS["a suspicious annotation"]
    podgraft = podgraft_side.load("1.30.3", row.settings, row.environment)
    outcome = podgraft.review(row.pod, "ns", row.path)

    assert outcome.refusal is not None
    assert outcome.refusal.startswith("annotation sidecar.istio.io/userVolumeMount: ")


def test_the_ids_that_openshift_set_are_replaced() -> None:
    """The patch applies to the pod as received, so it replaces the ids of the application."""
    row = REVIEWS[CLEARED_IDS]
    podgraft = podgraft_side.load("1.30.3", row.settings, row.environment)
    outcome = podgraft.review(row.pod, "ns", row.path)

    assert outcome.pod is not None
    containers = objects_at(object_at(outcome.pod, "spec"), "containers")
    ids = {each["name"]: object_at(each, "securityContext") for each in containers}
    assert ids == {
        "app": {"runAsUser": 5, "runAsGroup": 5},
        "istio-proxy": {"runAsUser": 1337, "runAsGroup": 1337},
    }


def _check(podgraft: Podgraft, name: str, path: str, answer: Mapping[str, Any]) -> None:
    outcome = podgraft.review(answer["pod"], "ns", path)
    if "refusal" in answer:
        assert outcome.refusal is not None
        return
    assert outcome.refusal is None
    got, expected = (kube.encode(kube.POD, pod) for pod in (outcome.pod, answer["injected"]))
    found = [*differences(got, expected)]
    if name == CLEARED_IDS:
        assert all("/securityContext/" in each or "/annotations/" in each for each in found), found
    else:
        assert found == []
