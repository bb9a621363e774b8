"""The requests to Parameter Store for a policy, and texts that stay encrypted."""

from collections.abc import Mapping
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.store.aws.client import AwsServiceError, MissingError, RetryBudget
from podgraft.service.store.aws.clients import Ssm
from podgraft.service.store.aws.ssm import Parameter, ParameterReader
from support.aws_account import start_account_with_bucket

NAME = "/podgraft/istio/policy"
DENIED = "/podgraft/denied"
BRAKES = ("/podgraft/istio/brake", "/podgraft/brake")
NAMES = [NAME, DENIED, *BRAKES]
PATIENCE = RetryBudget(deadline=10.0, clock=lambda: 0.0)


def parameter(text: str, version: str) -> Parameter:
    return Parameter(text, version, None, NAME)


class Service:
    """Parameter Store with versions, of which some are encrypted by a key that nobody may use."""

    def __init__(
        self,
        *encrypted: int,
        versions: int = 3,
        denied: str = "",
        deny_list: str = "",
        brakes: Mapping[str, str] | None = None,
    ) -> None:
        self.asked: list[tuple[str, Mapping[str, JSON]]] = []
        self._encrypted = encrypted
        self._versions = versions
        self._denied = denied
        self._deny_list = deny_list
        self._brakes = brakes or {}

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        del seconds
        self.asked.append((operation, arguments))
        if operation == self._denied:
            raise AwsServiceError("AccessDeniedException", 400)
        named = arguments["Names"]
        assert isinstance(named, list)
        numbers = [
            int(str(name).partition(":")[2] or self._versions)
            for name in named
            if name not in (DENIED, *BRAKES)
        ]
        known = [number for number in numbers if 0 < number <= self._versions]
        if arguments["WithDecryption"] and set(known) & set(self._encrypted):
            raise AwsServiceError("AccessDeniedException", 400)
        found = [self._parameter(number) for number in known]
        if DENIED in named and self._deny_list:
            found.append({"Name": DENIED, "Type": "String", "Value": self._deny_list, "Version": 7})
        found += [
            {"Name": name, "Value": self._brakes[name]}
            for name in map(str, named)
            if name in self._brakes
        ]
        return {"Parameters": found}

    def _parameter(self, number: int) -> Mapping[str, JSON]:
        encrypted = number in self._encrypted
        text, kind = ("AQIC", "SecureString") if encrypted else (f"text {number}", "String")
        return {"Name": NAME, "Type": kind, "Value": text, "Version": number}

    def parameters(self) -> ParameterReader:
        return ParameterReader(self, "/podgraft")


def test_a_policy_is_one_request() -> None:
    service = Service()
    assert service.parameters().policy("istio", PATIENCE) == parameter("text 3", "3")
    assert service.asked == [("GetParameters", {"Names": NAMES, "WithDecryption": True})]


def test_the_deny_list_is_in_the_same_request() -> None:
    service = Service(deny_list="a: b")
    expected = Parameter("text 3", "3", None, NAME, "a: b")
    assert service.parameters().policy("istio", PATIENCE) == expected
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("brakes", "expected"),
    [
        ({BRAKES[0]: "id: a"}, ("id: a",)),
        ({BRAKES[1]: "id: '*'"}, ("id: '*'",)),
        ({BRAKES[1]: "id: b", BRAKES[0]: "id: a"}, ("id: a", "id: b")),
    ],
)
def test_the_brakes_are_in_the_same_request(
    brakes: Mapping[str, str], expected: tuple[str, ...]
) -> None:
    service = Service(brakes=brakes)
    found = service.parameters().policy("istio", PATIENCE)
    assert (found.text, found.brakes) == ("text 3", expected)
    assert len(service.asked) == 1


def test_earlier_versions_are_one_request_by_name_and_version() -> None:
    service = Service()
    found = service.parameters().policy_versions("istio", [2, 1, 9], PATIENCE)
    assert found == (parameter("text 2", "2"), parameter("text 1", "1"))
    names: list[JSON] = [f"{NAME}:2", f"{NAME}:1", f"{NAME}:9"]
    assert service.asked == [("GetParameters", {"Names": names, "WithDecryption": True})]


def test_of_a_policy_that_cannot_be_decrypted_the_version_is_known() -> None:
    found = Service(3).parameters().policy("istio", PATIENCE)
    assert (found.text, found.version) == ("", "3")
    assert "AccessDeniedException" in str(found.problem)


def test_one_version_that_cannot_be_decrypted_hides_no_other() -> None:
    readable, encrypted = Service(1).parameters().policy_versions("istio", [2, 1], PATIENCE)
    assert readable == parameter("text 2", "2")
    assert (encrypted.text, encrypted.version) == ("", "1")
    assert isinstance(encrypted.problem, NotLoadedError)


def test_what_is_denied_is_the_operators_fault() -> None:
    allow = "the function's role must allow it"
    with pytest.raises(NotLoadedError, match=allow):
        Service(denied="GetParameters").parameters().policy("istio", PATIENCE)
    with pytest.raises(NotLoadedError, match=allow):
        Service(denied="GetParameters").parameters().policy_versions("istio", [1], PATIENCE)


def test_a_missing_parameter_is_requested_once() -> None:
    service = Service(versions=0)
    with pytest.raises(MissingError):
        service.parameters().policy("istio", PATIENCE)
    assert len(service.asked) == 1


def test_injectors_are_those_with_a_policy_on_all_pages() -> None:
    names = [f"team-{number:02d}" for number in range(23)]
    with start_account_with_bucket("bundles-of-the-test") as session:
        ssm = session.create_client("ssm")
        prefix = "/podgraft-dev"
        for name in names:
            ssm.put_parameter(Name=f"{prefix}/{name}/policy", Type="String", Value="policy: x")
        for other in ("denied", "Not_A_Name/policy", "a/b/policy", "istio/history"):
            ssm.put_parameter(Name=f"{prefix}/{other}", Type="String", Value="x")
        ssm.put_parameter(Name="/podgraft-dev2/istio/policy", Type="String", Value="x")
        for cluster in ("prod", "policy"):
            secret = {"Type": "SecureString", "Value": "tokens: []"}
            ssm.put_parameter(Name=f"{prefix}/auth/{cluster}", **secret)
        reader = ParameterReader(Ssm(ssm), prefix)
        budget = RetryBudget.from_seconds(60)
        assert sorted(reader.injectors(budget)) == names
        assert reader.callers(budget).keys() == {"prod", "policy"}
