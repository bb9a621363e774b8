"""All stores of one review wait one share of its time together."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import pytest

from podgraft.base import system
from podgraft.base.deadline import MAX_WAIT_SECONDS, Deadline
from podgraft.core import bundle
from podgraft.core.versions.errors import UnavailableError
from podgraft.service.http import Auth
from podgraft.service.http.authentication import CallerGate
from podgraft.service.http.health import ReadinessCheck
from podgraft.service.http.request import Request
from podgraft.service.store.aws.client import AwsServiceError, RetryBudget, call_with_retries
from podgraft.service.store.aws.ssm import Parameter
from support.memory_store import cached_callers, cached_store
from support.store_fixture import BUNDLE

DIGEST = bundle.digest(BUNDLE)


class HangingSource:
    """Sources that answer at once or, while they hang, nothing until patience ends."""

    def __init__(self) -> None:
        self.now = 0.0
        self.hangs = False
        self.store = cached_store(self, 30, self.clock)
        self.book = cached_callers(self, 30, self.clock)

    def clock(self) -> float:
        return self.now

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        del injector
        self._wait(patience)
        return Parameter(f"bundle: {DIGEST}", "1")

    def policy_versions(
        self, injector: str, versions: Sequence[int], patience: RetryBudget
    ) -> tuple[Parameter, ...]:
        raise AssertionError((injector, versions, patience))  # the newest version loads

    def injectors(self, patience: RetryBudget) -> tuple[str, ...]:
        raise AssertionError(patience)  # no review needs the list

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        self._wait(patience)
        return {"prod": Parameter("", "1")}

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        del injector, digest, patience
        return BUNDLE

    def _wait(self, patience: RetryBudget) -> None:
        if self.hangs:
            self.now += max(patience.remaining_seconds, 0.0)
            raise UnavailableError("hangs on purpose")


@pytest.mark.parametrize("seconds", [1.0, 2.0, 5.0])
def test_a_review_waits_one_share_for_callers_and_policy_together(seconds: float) -> None:
    aws = HangingSource()
    aws.book.callers()
    aws.store.snapshot("default", None)
    aws.hangs, aws.now = True, 31.0
    deadline = Deadline.from_timeout(seconds, aws.clock)
    assert aws.book.callers(deadline).unread
    # Nobody could ask for the policy, and nobody could for as long as the callers hang: it says so.
    stale = aws.store.snapshot("default", None, deadline).stale
    assert stale is not None
    assert "no time to read it" in stale.reason
    assert aws.now == 31.0 + min(seconds / 4, MAX_WAIT_SECONDS)
    assert aws.store.snapshot("default", None, Deadline.from_timeout(seconds, aws.clock)).stale


def test_a_cold_start_has_one_patience_for_all_it_needs() -> None:
    aws = HangingSource()
    deadline = Deadline.from_timeout(10.0, aws.clock)
    aws.now = 1.0  # that long took the callers
    aws.hangs = True
    with pytest.raises(UnavailableError):
        aws.store.snapshot("default", None, deadline)
    assert aws.now == MAX_WAIT_SECONDS


class SourceOfMany(HangingSource):
    """A source with the policies of 40 injectors."""

    def injectors(self, patience: RetryBudget) -> tuple[str, ...]:
        self._wait(patience)
        return tuple(f"injector-{number}" for number in range(40))


def test_readiness_waits_once_for_all_loaded_injectors() -> None:
    """The health check of Route 53 waits two seconds for the response."""
    aws = SourceOfMany()
    gate = CallerGate(Auth.NONE, aws.book, aws.clock)
    check = ReadinessCheck(aws.store, gate, lambda _: None, aws.clock)
    request = Request(read=lambda _: b"")
    assert check.respond(request).code == HTTPStatus.OK
    aws.hangs, aws.now = True, 31.0
    response = check.respond(request)
    assert response.code == HTTPStatus.OK
    injectors = json.loads(response.body)["injectors"]
    assert len(injectors) == 40
    assert all("stale" in each for each in injectors.values())
    assert aws.now <= 31.0 + MAX_WAIT_SECONDS


def test_an_attempt_gets_the_remaining_time_and_none_starts_without() -> None:
    told: list[float] = []

    def request(seconds: float) -> None:
        told.append(seconds)

    call_with_retries("asking", request, RetryBudget(deadline=0.25, clock=lambda: 0.0))
    with pytest.raises(UnavailableError, match="asking: no time left"):
        call_with_retries("asking", request, RetryBudget(deadline=0.25, clock=lambda: 0.25))
    assert told == [0.25]


def test_the_pauses_between_attempts_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A burst of cold starts that Parameter Store throttles must not multiply its requests."""
    now = [0.0]
    attempts: list[float] = []

    def sleep(seconds: float) -> None:
        now[0] += seconds

    def request(seconds: float) -> None:
        del seconds
        attempts.append(now[0])
        raise AwsServiceError("ThrottlingException", 400)

    monkeypatch.setattr(system, "sleep", sleep)
    with pytest.raises(UnavailableError):
        call_with_retries("asking", request, RetryBudget(MAX_WAIT_SECONDS, lambda: now[0]))

    assert attempts == pytest.approx([0.0, 0.05, 0.15, 0.35, 0.75])
