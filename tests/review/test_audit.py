"""What the cluster's audit log learns of every answer: the decision, why, and by what."""

from collections.abc import Callable
from pathlib import Path

import pytest

from events.kept import keep
from events.recorded import recorded
from podgraft import admission, review
from podgraft.admission import AdmissionRequest
from podgraft.jsonvalue import JSON
from podgraft.review import Answered, Caller, Outcome
from podgraft.store import DirectoryStore, Store

Way = Callable[[AdmissionRequest, Store, Caller], Outcome]
WAYS: tuple[Way, ...] = (review.inject, review.mutate, review.validate)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("policy", ["policy: enabled", "policy: disabled"])
@pytest.mark.parametrize("value", [None, "no pod"])
def test_every_answer_says_what_was_decided_why_and_by_what(
    tmp_path: Path, way: Way, policy: str, value: JSON
) -> None:
    sent = recorded("03-kubectl-run")
    if value is not None:
        sent = sent.edited("request", "object", value=value)
    outcome = way(
        admission.decode(sent.body),
        DirectoryStore(keep(tmp_path, policy=policy)),
        Caller(injector="default"),
    )

    assert isinstance(outcome, Answered)
    audit = outcome.response.audit
    assert {"decision", "reason", "policy-version", "bundle"} <= audit.keys()
    assert all(audit.values())
