"""What came of a review, as the cluster, the audit log, the log, and the metrics show it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from werkzeug.test import TestResponse

from podgraft.base.jsonvalue import JSON
from podgraft.service.http.metrics import Metric, record_measures

_WARNING = "podgraft used an older configuration: "


def describe_outcome(answer: TestResponse, record: Mapping[str, JSON]) -> str:
    """The status and, if the pod was injected, whether by a stale version, and one in place of a
    refused one. Everything that shows this has to show the same.
    """
    assert record["code"] == answer.status_code
    metrics = {measure.metric for measure in record_measures(record)}
    if answer.status_code != 200:
        return _describe_fault(answer, record, metrics)
    response: Any = answer.get_json()["response"]
    assert response["patch"]
    assert Metric.SUCCESS in metrics
    warnings = [text for text in response.get("warnings", []) if text.startswith(_WARNING)]
    stale = str(record["stale"])
    assert warnings == ([_WARNING + stale] if stale else [])
    assert response["auditAnnotations"].get("stale", "") == stale
    assert (Metric.REFUSED in metrics) == bool(record["refused"])
    assert (Metric.AGE in metrics) == bool(record["age_seconds"])
    words = ("200", "stale" if stale else "", "refused" if record["refused"] else "")
    return " ".join(filter(None, words))


def _describe_fault(answer: TestResponse, record: Mapping[str, JSON], metrics: set[StrEnum]) -> str:
    body: Any = answer.get_json()
    assert (body["kind"], body["code"]) == ("Status", answer.status_code)
    assert record["message"] == body["message"]
    assert (answer.headers.get("Retry-After") == "1") == (answer.status_code == 503)
    assert Metric.FAILURE in metrics
    return str(answer.status_code)
