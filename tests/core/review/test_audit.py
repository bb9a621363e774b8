"""The audit annotations of every response: the decision, its reason, and the versions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.core import review
from podgraft.core.review.results import ReviewResponse, ReviewResult
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Store
from podgraft.kube import admission
from podgraft.service.store.folder import FolderStore
from support.recorded_requests import load_request
from support.store_fixture import write_injector

Way = Callable[[ReviewContext, Store], ReviewResult]
WAYS: tuple[Way, ...] = (review.inject, review.mutate, review.validate)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("policy", ["policy: enabled", "policy: disabled"])
@pytest.mark.parametrize("value", [None, "no pod"])
def test_every_response_has_the_decision_the_reason_and_the_versions(
    tmp_path: Path, way: Way, policy: str, value: JSON
) -> None:
    sent = load_request("03-kubectl-run")
    if value is not None:
        sent = sent.with_value("request", "object", value=value)
    outcome = way(
        ReviewContext(injector="default").with_request(admission.decode(sent.body)),
        FolderStore(write_injector(tmp_path, policy=policy)),
    )

    assert isinstance(outcome, ReviewResponse)
    audit = outcome.response.audit
    assert {"decision", "reason", "policy-version", "bundle"} <= audit.keys()
    assert all(audit.values())
