"""A revoked token ends with the next request to each worker of ``podgraft serve``."""

import json
from contextlib import ExitStack
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from podgraft.cli import main
from podgraft.service.store.caller_document import identify_token
from service.serve.running import JSON, PATH, REVIEW, Served, issue_token, prepare, serving

WORKERS = 3
MAX_CONNECTIONS = 100


def test_every_worker_rejects_a_revoked_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    token = issue_token()

    def send(connection: HTTPSConnection) -> int:
        connection.request("POST", f"/k/{token}{PATH}", json.dumps(REVIEW), {"Content-Type": JSON})
        response = connection.getresponse()
        response.read()
        return response.status

    with serving(tmp_path, "--workers", str(WORKERS)) as served, ExitStack() as opened:
        connections: list[HTTPSConnection] = []
        while len(find_serving(served)) < WORKERS:
            assert len(connections) < MAX_CONNECTIONS
            connections.append(opened.enter_context(served.connect()))
            assert send(connections[-1]) == 200
        place = ("--cluster", "prod-eu", "--config", "store")
        assert main(["tokens", "revoke", identify_token(token), *place]) == 0
        assert {send(each) for each in connections} == {401}


def find_serving(served: Served) -> set[int]:
    """The workers with a connection: a client stays with its worker while it is connected."""
    rows = [each.split() for each in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    own = {
        f"socket:[{row[9]}]"
        for row in rows
        if row[1].endswith(f":{served.port:04X}") and row[3] == "01"  # established
    }
    return {
        pid
        for pid in served.workers()
        if any(str(each.readlink()) in own for each in Path(f"/proc/{pid}/fd").iterdir())
    }
