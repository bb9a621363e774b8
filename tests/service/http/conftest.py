"""An application over a small store, with all that it wrote to its journal."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from podgraft.base.jsonvalue import JSON
from podgraft.core.versions.snapshot import Store
from podgraft.service.http import Auth, RequestLog, catch_errors, create_app, respond_to_functions
from podgraft.service.http.powertools import LOGGER, make_request_log
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.recorded_requests import RecordedRequest
from support.store_fixture import OTHER_TOKEN, PATH_TOKEN, SUBJECT, TOKEN, admit, write_injector


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@dataclass(frozen=True, slots=True)
class ApplicationFixture:
    """A running application as a client sees it, its store and what it noted."""

    client: Client
    folder: Path
    records: list[Mapping[str, JSON]]
    clock: Clock

    def send(self, sent: RecordedRequest, path: str | None = None) -> TestResponse:
        """Send a recorded request, by another path if one is given."""
        return self.client.open(
            path or sent.path,
            method=sent.method,
            query_string=sent.query,
            headers=list(sent.headers),
            data=sent.body,
        )

    def post(
        self,
        body: bytes,
        *,
        path: str = "/inject",
        headers: Mapping[str, str] | None = None,
        token: str = TOKEN,
    ) -> TestResponse:
        """POST a body with the cluster's token, declared as JSON unless *headers* say otherwise."""
        known = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        return self.client.post(path, data=body, headers={**known, **(headers or {})})


def make_application(
    folder: Path,
    auth: Auth = Auth.TOKEN,
    store: Store | None = None,
    journal: RequestLog | None = None,
) -> ApplicationFixture:
    """An application over the folder, or over another store with the folder's callers."""
    records: list[Mapping[str, JSON]] = []
    clock = Clock()
    app = create_app(
        store or FolderStore(folder),
        FolderCallers(folder),
        auth=auth,
        request_log=journal or records.append,
        clock=clock,
        ages=clock,
    )
    return ApplicationFixture(Client(app), folder, records, clock)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of two injectors that two clusters may call."""
    admit(tmp_path, "prod-eu", TOKEN, PATH_TOKEN, subject=SUBJECT)
    admit(tmp_path, "staging", OTHER_TOKEN)
    return write_injector(write_injector(tmp_path), "istio", policy="policy: disabled")


@pytest.fixture
def token_application(folder: Path) -> ApplicationFixture:
    """An application that asks for tokens."""
    return make_application(folder)


@pytest.fixture(autouse=True)
def cold_logger() -> None:
    """Powertools sets up a logger once a process, on the output of that moment."""
    logging.Logger.manager.loggerDict.pop(LOGGER, None)


@pytest.fixture
def send(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[Any], dict[str, Any]]:
    """Send an event to the function over the store of the folder. Its log is captured."""
    del capsys

    def invoke(event: Any) -> dict[str, Any]:
        log = make_request_log("dev")
        store, callers = FolderStore(folder), FolderCallers(folder)
        respond = respond_to_functions(store, callers, log)
        return catch_errors(_fail, log, respond)(event, None)

    return invoke


def _fail(event: Any, context: object) -> dict[str, Any]:
    raise AssertionError((event, context))
