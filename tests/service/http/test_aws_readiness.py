"""GET /readyz on AWS: the injectors with a policy count, whichever were reviewed before."""

import json
from pathlib import Path
from typing import Any

import pytest

from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.store.aws.client import RetryBudget
from service.http.conftest import ApplicationFixture, Clock, make_application
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.store_fixture import TOKEN

REFRESH_SECONDS = 30


class Function:
    """A cold function over a store in memory, which counts the requests for the list."""

    def __init__(self, folder: Path) -> None:
        self.memory, self.clock = CountingStore(), Clock()
        store = cached_store(self.memory, refresh_seconds=REFRESH_SECONDS, clock=self.clock)
        self.site: ApplicationFixture = make_application(folder, store=store)
        self.digest = self.memory.upload(labelled_bundle("1"))

    def put(self, injector: str) -> None:
        """Store a policy that loads."""
        self.memory.put(injector, f"bundle: {self.digest}\n")

    def get(self) -> tuple[int, Any]:
        """The response to a caller with credentials."""
        self.site.clock.seconds = self.clock.seconds
        response = self.site.client.get("/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
        return response.status_code, json.loads(response.data)


class CountingStore(MemoryStore):
    """A store that counts lists, and can refuse them."""

    def __init__(self) -> None:
        super().__init__()
        self.lists = 0
        self.refusal: NotLoadedError | None = None

    def injectors(self, patience: RetryBudget) -> tuple[str, ...]:
        self.lists += 1
        if self.refusal is not None:
            raise self.refusal
        return super().injectors(patience)


@pytest.fixture
def function(folder: Path) -> Function:
    return Function(folder)


def test_a_cold_function_is_ready_for_an_injector_with_another_name(function: Function) -> None:
    function.put("istio")
    status, ready = function.get()
    assert (status, ready["injectors"].keys()) == (200, {"istio"})
    function.put("logging")
    function.clock.seconds += REFRESH_SECONDS
    ready = function.get()[1]
    assert ready["injectors"].keys() == {"istio", "logging"}


def test_every_injector_must_load(function: Function) -> None:
    function.put("istio")
    function.memory.put("logging", "policy: [")
    status, problem = function.get()
    assert status == 500
    assert "logging" in str(problem["message"])


def test_the_list_is_cached(function: Function) -> None:
    function.put("istio")
    for _ in range(5):
        assert function.get()[0] == 200
    assert function.memory.lists == 1


def test_while_aws_is_away_the_loaded_injectors_are_ready(function: Function) -> None:
    function.put("istio")
    assert function.get()[0] == 200
    function.memory.reachable = False
    function.clock.seconds += REFRESH_SECONDS
    status, ready = function.get()
    assert status == 200
    assert "stale" in str(ready["injectors"]["istio"])


def test_a_cold_function_without_aws_is_not_ready(function: Function) -> None:
    function.put("istio")
    function.memory.reachable = False
    assert function.get()[0] == 503


def test_a_role_without_the_permission_is_an_error(function: Function) -> None:
    function.put("istio")
    problem = "reading parameters /podgraft/: AccessDeniedException; the function's role must allow"
    function.memory.refusal = NotLoadedError(problem)
    status, body = function.get()
    assert (status, body["message"]) == (500, problem)
