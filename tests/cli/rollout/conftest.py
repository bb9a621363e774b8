"""A folder and a stack with a policy, and a candidate in the current folder."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli.policy.rollout import stop
from support.aws_account import start_account_with_bucket
from support.rollout_world import (
    BUCKET,
    NEXT,
    STABLE,
    FolderWorld,
    Run,
    StackWorld,
    World,
    make_run,
)
from support.store_fixture import write


@pytest.fixture(scope="module")
def session() -> Generator[Any]:
    with start_account_with_bucket(BUCKET) as opened:
        yield opened


@pytest.fixture
def stack(session: Any) -> Generator[StackWorld]:
    world = StackWorld(session)
    yield world
    names = ("istio/policy", "istio/brake", "brake", "denied")
    world.ssm.delete_parameters(Names=[f"/podgraft-dev/{name}" for name in names])


@pytest.fixture(params=["folder", "stack"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return FolderWorld(tmp_path) if request.param == "folder" else request.getfixturevalue("stack")


@pytest.fixture(autouse=True)
def candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the candidate, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stop, "getuser", lambda: "operator")
    for name, content in NEXT.items():
        write(tmp_path / "next/bundle" / name, content)
    write(tmp_path / "next/policy.yaml", STABLE.encode())
    return tmp_path / "next"


@pytest.fixture
def run(world: World, capsys: pytest.CaptureFixture[str]) -> Run:
    return make_run(world, capsys)
