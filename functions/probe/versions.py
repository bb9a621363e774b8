"""Two versions of the webhook function, and the comparison of their responses to one review."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from recordings import RecordedReview

Response: TypeAlias = Mapping[str, Any]

_RETRIES = 2
_RETRY_SECONDS = 2.0
# Lines for the status code of the response, and for the decision in it.
_HARMFUL = frozenset(("replace code", "replace response.allowed"))
_TRANSIENT = frozenset((HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS))


class RefusedError(Exception):
    """The new version must not get traffic. The text contains no value of a review."""


@dataclass(frozen=True, slots=True)
class Version:
    """A published version of the function: its number, and how to invoke it."""

    number: str
    invoke: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def read_state(self) -> Mapping[str, Any]:
        """Return the injectors, the clusters, and the rollouts; raises ``RefusedError``."""
        state = self._request({"request": "state"}, "rollouts")
        if state["problems"]:
            raise RefusedError(f"version {self.number}: {state['problems'][0]}")
        return state

    def review(self, review: RecordedReview, *, is_fresh: bool = False) -> Response:
        """Return the response to a review; a fresh one uses nothing that is cached."""
        request = {"request": "review", **review.fields, "fresh": is_fresh}
        return self._request(request, "code")  # a response to an invalid event has none

    def compare(self, review: RecordedReview, before: Response, after: Response) -> "Change":
        """Return what differs between two responses."""
        versions = {"before": _response_fields(before), "after": _response_fields(after)}
        original: Any = json.loads(review.body)["request"].get("object")
        result = self._request({"request": "compare", "object": original, **versions}, "lines")
        return Change(review.injector, result["kind"], tuple(result["lines"]))

    def _request(self, request: Mapping[str, Any], expected: str) -> Mapping[str, Any]:
        result = self.invoke({"deployment_check": request})
        if expected not in result:
            raise RefusedError(
                f"version {self.number}: does not respond to the check of a deployment; if it is "
                "of an earlier release, deploy once with GradualDeployment=false"
            )
        return result


@dataclass(frozen=True, slots=True)
class Change:
    """A kind of change in the responses of an injector: names of fields, without values."""

    injector: str
    kind: str
    lines: tuple[str, ...]

    @property
    def is_harmful(self) -> bool:
        """Whether one version allows the object, and the other one denies it or fails."""
        return not _HARMFUL.isdisjoint(self.lines)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result for one review. ``change`` is None if the responses are equal."""

    is_success: bool
    change: Change | None = None


def make_invoke(client: Any, arn: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return the function that invokes one version through the API of Lambda."""

    def invoke(event: Mapping[str, Any]) -> Mapping[str, Any]:
        response = client.invoke(FunctionName=arn, Payload=json.dumps(event).encode())
        payload = response["Payload"].read()
        if response.get("FunctionError"):
            number = arn.rpartition(":")[2]
            raise RefusedError(f"version {number}: an invocation ended without a response")
        return json.loads(payload)

    return invoke


def compare_versions(live: Version, new: Version, review: RecordedReview) -> Comparison:
    """Send a review to both versions, and compare the responses byte for byte.

    A review is repeated if a dependency of the function was not available, and if the versions did
    not use the same version of the policy, for example because an operator pushed one.
    """
    before, after = live.review(review), new.review(review)
    for _ in range(_RETRIES):
        if _is_comparable(before, after):
            break
        time.sleep(_RETRY_SECONDS)
        before, after = (version.review(review, is_fresh=True) for version in (live, new))
    _check_comparable(review, before, after)
    is_success = after["code"] == HTTPStatus.OK
    if _response_fields(before) == _response_fields(after):
        return Comparison(is_success)
    return Comparison(is_success, live.compare(review, before, after))


def _is_comparable(before: Response, after: Response) -> bool:
    if {before["code"], after["code"]} & _TRANSIENT:
        return False
    return _response_fields(before) == _response_fields(after) or _used_equal(before, after)


def _check_comparable(review: RecordedReview, before: Response, after: Response) -> None:
    if {before["code"], after["code"]} & _TRANSIENT:
        raise RefusedError(
            f"injector {review.injector}: got {before['code']} from the live version and "
            f"{after['code']} from the new version; deploy again when AWS is available"
        )
    if not _is_comparable(before, after):
        raise RefusedError(
            f"injector {review.injector}: the policy changed during the check; deploy again"
        )


def _used_equal(before: Response, after: Response) -> bool:
    """Whether both versions used the same policy. A review that failed names none."""
    return all(
        before[key] == after[key] or not (before[key] and after[key])
        for key in ("policy_version", "bundle")
    )


def _response_fields(response: Response) -> dict[str, Any]:
    return {"code": response["code"], "body": response["body"]}
