"""Every command of docs/rollouts.md runs, in the order of a rollout."""

import json
import shlex
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.core import bundle
from podgraft.core.policy.rollout import compute_bucket
from support.aws_account import start_account_with_bucket
from support.memory_store import labelled_bundle
from support.page_commands import read_commands
from support.store_fixture import BUNDLE, write

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "rollouts.md").read_text()
COMMANDS = tuple(
    line.removeprefix("podgraft ")
    for line in read_commands(DOCS / "rollouts.md")
    if line.startswith("podgraft ")
)
BUCKET = "bundles-of-the-page"
POLICY = f"bundle: {bundle.digest(BUNDLE)}\npolicy: enabled\n"
ID = "2026-11-22-probes"


@pytest.fixture
def ssm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PODGRAFT_CONFIG", "stack:podgraft-dev")
    monkeypatch.setenv("PODGRAFT_INJECTOR", "istio")
    for name, content in labelled_bundle("2.0").items():
        write(tmp_path / "next/bundle" / name, content)
    write(tmp_path / "next/policy.yaml", POLICY.encode())
    record = {
        "timestamp": "2099-01-01 00:00:00,000+0000",
        "rollout": ID,
        "track": "candidate",
        "candidate": "same",
        "cluster": "prod-eu",
    }
    line = json.dumps({**record, "namespace": "shop", "owner": "Deployment/web"})
    write(tmp_path / "review.log", f"{line}\n{line}\n".encode())
    with start_account_with_bucket(BUCKET) as session:
        s3, client = session.create_client("s3"), session.create_client("ssm")
        folder = f"bundles/istio/{bundle.digest(BUNDLE).removeprefix('sha256:')}/"
        for name, content in BUNDLE.items():
            s3.put_object(Bucket=BUCKET, Key=folder + name, Body=content)
        client.put_parameter(Name="/podgraft-dev/istio/policy", Value=POLICY, Type="String")
        yield client


def find(word: str) -> list[str]:
    """The commands of the page with a word, in their order."""
    return [line for line in COMMANDS if word in shlex.split(line)]


def test_every_command_of_the_page_runs(ssm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shadow, start = sorted(find("start"), key=lambda line: "--shadow" not in line)
    listing, received = (each for each in sorted(find("who"), key=lambda line: "--got" in line))
    abort, abort_all = sorted(find("abort"), key=lambda line: "--all" in line)
    order = [shadow, *find("status"), listing, *find("step")[:2], *find("pause")]
    order += [*find("step")[2:], *find("promote"), start, abort, received, abort_all]
    order += find("release")
    assert sorted(order) == sorted(COMMANDS)

    output: dict[str, str] = {}
    for line in order:
        if line == start:
            ssm.put_parameter(
                Name="/podgraft-dev/istio/policy", Value=POLICY, Type="String", Overwrite=True
            )
        assert main(shlex.split(line)) == 0, capsys.readouterr()
        output[line] = capsys.readouterr().out
    bucket = compute_bucket(ID, "prod-eu", "shop", "Deployment/web")
    assert f"bucket {bucket}: " in output[listing]
    assert "result     the needed evidence is complete" in output[find("status")[0]]
    assert "the candidate, in all clusters" in output[find("promote")[0]]
    assert output[received].endswith("rollout restart deployment/web\n")
    assert "incident 4711" in output[find("release")[0]]
    current = ssm.get_parameter(Name="/podgraft-dev/istio/policy")["Parameter"]["Value"]
    assert current == POLICY


def test_the_shell_command_of_the_page_is_the_formula() -> None:
    assert 'printf \'%s\\0%s\\0%s\\0%s\' "$id" "$cluster" "$namespace" "$workload"' in PAGE
