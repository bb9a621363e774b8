"""Callers that may be older than what is stored show as an old policy does, and where they are."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from werkzeug.test import Client

from podgraft.base.jsonvalue import JSON
from podgraft.core.versions.errors import UnavailableError
from podgraft.service.http import create_app
from podgraft.service.store import caller_document
from podgraft.service.store.aws.client import RetryBudget
from podgraft.service.store.aws.ssm import Parameter
from podgraft.service.store.folder import FolderStore
from service.http.conftest import Clock
from support.memory_store import cached_callers
from support.recorded_requests import load_request
from support.store_fixture import OTHER_TOKEN, TOKEN

BODY = load_request("24-bearer-token").body


class StaleCallersApplication:
    """An application whose callers are in Parameter Store, and all that it noted."""

    def __init__(self, folder: Path) -> None:
        self.documents = {
            "prod-eu": callers_document(TOKEN),
            "staging": callers_document(OTHER_TOKEN),
        }
        self.reachable = True
        self.clock = Clock()
        self.records: list[Mapping[str, JSON]] = []
        callers = cached_callers(self, 30, self.clock)
        store = FolderStore(folder)
        app = create_app(store, callers, request_log=self.records.append, clock=self.clock)
        self._client = Client(app)

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        del patience
        if not self.reachable:
            raise UnavailableError("out of reach on purpose")
        return {name: Parameter(text, "1") for name, text in self.documents.items()}

    def post(self, token: str, path: str = "/inject") -> tuple[int, list[str]]:
        """The status and the warnings of a review."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        answer = self._client.post(path, data=BODY, headers=headers)
        said: Any = json.loads(answer.data)
        return answer.status_code, said.get("response", {}).get("warnings", [])

    def stale_fields(self) -> tuple[JSON, ...]:
        return tuple(self.records[-1][key] for key in ("stale", "refused", "age_seconds"))


def callers_document(token: str) -> str:
    return f"tokens: [sha256: {caller_document.hash_token(token)}]"


def test_old_callers_are_reported_to_their_own_cluster(folder: Path) -> None:
    at = StaleCallersApplication(folder)
    assert at.post(OTHER_TOKEN) == (200, [])
    at.documents["staging"] = "tokens: nonsense"
    at.clock.seconds = 31
    why = (
        "callers of cluster staging, confirmed 31 s ago, are in force: "
        "the callers of cluster staging: tokens: expected a list"
    )
    told = [f"podgraft used an older configuration: {why}"]
    assert at.post(OTHER_TOKEN) == (200, told)
    assert at.stale_fields() == (why, True, 31)
    assert at.post(TOKEN) == (200, [])
    assert at.stale_fields() == ("", False, 0)


def test_callers_out_of_reach_are_reported_to_every_cluster(folder: Path) -> None:
    at = StaleCallersApplication(folder)
    at.post(TOKEN)
    at.reachable, at.clock.seconds = False, 45
    for token, cluster in ((TOKEN, "prod-eu"), (OTHER_TOKEN, "staging")):
        [told] = at.post(token)[1]
        assert f"callers of cluster {cluster}, confirmed 45 s ago, are in force: out of" in told
        assert at.stale_fields()[1:] == (False, 45)


def test_a_token_can_be_newer_than_the_callers_in_force(folder: Path) -> None:
    """It is not rejected: 401 would say that a new credential is wrong, and is not repeated."""
    at = StaleCallersApplication(folder)
    assert (at.post(TOKEN)[0], at.post("newer")[0]) == (200, 401)
    at.reachable, at.clock.seconds = False, 45
    assert (at.post(TOKEN)[0], at.post("newer")[0]) == (200, 503)
    at.reachable, at.clock.seconds = True, 90
    at.documents["staging"] = "tokens: nonsense"
    assert (at.post(TOKEN)[0], at.post("newer")[0]) == (200, 500)
    assert at.records[-1]["origin"] == "operator"
    at.documents["staging"] = callers_document("newer")
    at.clock.seconds = 121
    assert (at.post("newer")[0], at.post(OTHER_TOKEN)[0]) == (200, 401)


def test_at_a_cold_start_a_bad_document_is_its_own_clusters_fault_alone(folder: Path) -> None:
    at = StaleCallersApplication(folder)
    at.documents["staging"] = "tokens: nonsense"
    assert at.post(TOKEN, "/inject/cluster/staging")[0] == 200
    # Which of the two is the caller of staging, its document alone would tell.
    for token in (OTHER_TOKEN, "guess"):
        assert at.post(token, "/inject/cluster/prod-eu")[0] == 500
        assert (at.records[-1]["origin"], at.records[-1]["code"]) == ("operator", 500)
