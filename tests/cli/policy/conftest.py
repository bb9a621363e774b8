"""An account on loopback with one stack, a local policy with its bundle, and a folder store."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from support.aws_account import start_account_with_bucket
from support.policy_account import BUCKET, Account, Result, Run
from support.store_fixture import BUNDLE


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a subcommand of ``podgraft policy``."""

    def command(*arguments: str) -> Result:
        capsys.readouterr()
        status = main(["policy", *arguments])
        out, err = capsys.readouterr()
        return Result(status, out, err)

    return command


@pytest.fixture(scope="module")
def session() -> Generator[Any]:
    with start_account_with_bucket(BUCKET) as session:
        yield session


@pytest.fixture
def account(session: Any) -> Generator[Account]:
    account = Account(session)
    yield account
    account.clear()


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """A folder to push."""
    folder = tmp_path / "mesh"
    (folder / "bundle").mkdir(parents=True)
    for name, content in BUNDLE.items():
        (folder / "bundle" / name).write_bytes(content)
    (folder / "policy.yaml").write_text("policy: enabled\n")
    return folder


@pytest.fixture
def store(tmp_path: Path, local: Path) -> Path:
    """A folder store with the same injector."""
    injector = tmp_path / "store" / "shop"
    (injector / "bundle").mkdir(parents=True)
    for path in local.rglob("*.yaml"):
        (injector / path.relative_to(local)).write_bytes(path.read_bytes())
    return tmp_path / "store"
