"""No record contains a planted secret, whatever reviews contain, and no preview prints one."""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from werkzeug.test import Client

from podgraft.cli import main
from podgraft.service.http import create_app
from podgraft.service.store.census import CensusWriter
from podgraft.service.store.folder import FolderCallers, FolderStore
from podgraft.service.store.folder.census import FolderCensus
from secrecy.calls import BEARER, SCENARIOS, Call, edit_review, pod
from secrecy.known_secrets import MARK, find_secrets

FORMATS = ("text", "json", "markdown")


@pytest.fixture
def recorder(folder: Path, tmp_path: Path, failing_engine: None) -> Callable[[Call], int]:
    """A server with a census of all injectors, and a function that calls it."""
    del failing_engine
    for policy in folder.glob("*/policy.yaml"):
        policy.write_text(f"{policy.read_text()}\ncensus: {{}}\n")
        key = b64encode(b"0" * 32).decode()
        (policy.parent / "census.key").write_text(key)
    # Each reading of the clock is a second later, so no limit drops a record.
    clock = count().__next__
    census = CensusWriter(FolderCensus(tmp_path / "census", folder), clock, cap_seconds=1e6)
    client = Client(create_app(FolderStore(folder), FolderCallers(folder), census=census))

    def call(each: Call) -> int:
        headers = dict(each.headers)
        response = client.open(each.path, method=each.method, data=each.body, headers=headers)
        return response.status_code

    return call


def read_records(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): gzip.decompress(path.read_bytes()).decode()
        for path in folder.rglob("*.json.gz")
    }


def test_no_record_and_no_preview_contains_a_secret(
    recorder: Callable[[Call], int],
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number, scenario in enumerate(SCENARIOS):
        if not scenario.changes:
            name = f"web-{number}"
            recorder(scenario.call)
            body = edit_review(lambda r, name=name: r["object"]["metadata"].update(name=name))
            path = f"/inject/cluster/prod-eu/PASSWORD/{MARK}/:ENV:A={MARK}"
            recorder(Call(body, path, headers=BEARER))
    records = read_records(tmp_path / "census")
    assert records
    for path, text in records.items():
        # The names of workloads are recorded: a scenario can plant a mark in one.
        assert [each for each in find_secrets(text) if each != "a planted value"] == [], path
        value = json.loads(text)
        del value["workload"]
        start = (without_name := json.dumps(value)).find(MARK)
        assert start < 0, without_name[max(start - 60, 0) : start + 60]
    capsys.readouterr()
    for output in FORMATS:
        line = ["policy", "preview", str(folder / "default"), "--config", str(folder)]
        main([*line, "--census", str(tmp_path / "census"), "-o", output])
        captured = capsys.readouterr()
        assert captured.out, captured.err
        assert find_secrets(captured.out + captured.err) == [], output


def test_a_dry_run_leaves_no_record(recorder: Callable[[Call], int], tmp_path: Path) -> None:
    body = edit_review(lambda request: request.update(dryRun=True))
    assert recorder(Call(body)) == 200
    assert read_records(tmp_path / "census") == {}
    assert recorder(Call(pod())) == 200
    assert len(read_records(tmp_path / "census")) == 1
