"""``podgraft policy prune``: only old bundles without any reference are deleted."""

import json
import os
import re
import shutil
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.core import bundle
from support.machines import LaterMachine, use_machine
from support.policy_account import BUCKET, REMOTE, Account, Result, Run, set_tag
from support.store_fixture import BUNDLE

YES = "--yes"


@pytest.fixture
def later() -> Generator[None]:
    """A clock that is 31 days ahead: all uploads of the test are older than 30 days."""
    with use_machine(LaterMachine(31)):
        yield


def upload(account: Account, number: int, injector: str = "shop") -> str:
    """Store a bundle that no version names; return its digest."""
    content = BUNDLE["injector.yaml"] + f"# {number}\n".encode()
    digest = bundle.digest({"injector.yaml": content})
    key = f"bundles/{injector}/{digest.removeprefix('sha256:')}/injector.yaml"
    account.s3.put_object(Bucket=BUCKET, Key=key, Body=content)
    return digest


def prune(run: Run, *more: str) -> Result:
    return run("prune", *REMOTE, *more)


def stored(account: Account, injector: str = "shop") -> set[str]:
    keys = [key.split("/") for key in account.object_keys()]
    return {f"sha256:{name[2]}" for name in keys if name[1] == injector}


def push(run: Run, local: Path, tag: str, policy: str = "policy: enabled\n") -> None:
    set_tag(local, tag)
    (local / "policy.yaml").write_text(policy)
    result = run("push", str(local), *REMOTE)
    assert result.status == 0, result.err


@pytest.mark.usefixtures("later")
def test_only_yes_deletes(run: Run, local: Path, account: Account) -> None:
    push(run, local, "1.30.0")
    unused = upload(account, 1)
    before = account.object_keys()

    result = prune(run)

    assert (result.status, account.object_keys()) == (0, before)
    assert re.search(rf"^unused   {unused}  .* 1 file, \d+ bytes$", result.out, re.MULTILINE)
    assert "1 of 2 bundles are unused" in result.out
    assert "to delete them, run the command with --yes" in result.out
    result = prune(run, YES)
    assert f"deleted  {unused}" in result.out
    assert unused not in stored(account)
    assert len(stored(account)) == 1
    assert "0 of 1 bundles are unused" in prune(run, YES).out
    assert run("pull", str(local / "out"), *REMOTE).status == 0


@pytest.mark.usefixtures("later")
def test_every_reference_protects_a_bundle(run: Run, local: Path, account: Account) -> None:
    """In force, in the history, of a cluster, of a rollout, in a comment, and denied."""
    push(run, local, "1.30.0")
    push(run, local, "1.30.1")
    names = ("cluster", "rollout", "comment", "invalid", "denied", "unused")
    digests = {name: upload(account, number) for number, name in enumerate(names)}
    live = account.documents()[-1]
    account.put(f"policy: [ {digests['invalid']}")
    account.put(
        f"{live}clusters:\n  eu: {{bundle: {digests['cluster']}}}\n"
        f"# {digests['comment']}\n"
        f"rollout: {{candidate: {{bundle: {digests['rollout']}}}}}\n"
    )
    deny = ("deny", digests["denied"], "--reason", "old", "--config", "stack:podgraft-dev")
    assert run(*deny).status == 0
    expected = stored(account) - {digests["unused"]}

    result = prune(run, YES)

    assert result.status == 0, result.err
    assert stored(account) == expected
    assert len(expected) == 7


def test_the_grace_period_protects_uploads(run: Run, local: Path, account: Account) -> None:
    """A push that has uploaded its bundle, and has not switched yet, must not lose it."""
    push(run, local, "1.30.0")
    upload(account, 1)
    assert "0 of 2 bundles are unused" in prune(run, YES).out
    assert "0 of 2 bundles are unused" in prune(run, YES, "--older-than", "1").out
    assert prune(run, YES, "--older-than", "0").status == 2
    assert len(stored(account)) == 2


@pytest.mark.usefixtures("later")
def test_other_objects_and_injectors_are_not_touched(
    run: Run, local: Path, account: Account
) -> None:
    push(run, local, "1.30.0")
    other = upload(account, 1, injector="logging")
    longer = upload(account, 1, injector="shop-2")
    account.s3.put_object(Bucket=BUCKET, Key="bundles/shop/notes.txt", Body=b"a")
    account.s3.put_object(Bucket=BUCKET, Key="bundles/shop/0123/a.yaml", Body=b"a")
    before = account.object_keys()

    assert prune(run, YES).status == 0
    assert account.object_keys() == before
    assert stored(account, "logging") == {other}
    assert stored(account, "shop-2") == {longer}


@pytest.mark.usefixtures("later")
def test_an_injector_without_a_policy_is_an_error(run: Run, account: Account) -> None:
    """A typing error, or an injector before its first push, must not delete its bundles."""
    upload(account, 1)
    result = prune(run, YES)
    assert (result.status, "injector shop has no policy" in result.err) == (1, True)
    assert len(stored(account)) == 1


@pytest.mark.usefixtures("later")
def test_a_version_that_is_stored_meanwhile_protects_its_bundle(
    run: Run, local: Path, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(run, local, "1.30.0")
    unused = [upload(account, 1), upload(account, 2)]
    live = account.documents()[-1]
    original = DeployedInjector.delete_objects

    def store_first(self: DeployedInjector, objects: Any) -> None:
        monkeypatch.undo()
        account.put(f"{live}# {unused[1]} {unused[0]}\n")
        original(self, objects)

    monkeypatch.setattr(DeployedInjector, "delete_objects", store_first)
    result = prune(run, YES)
    assert result.status == 0, result.err
    assert result.out.count("retained ") == len(unused)
    assert len(stored(account)) == 1 + len(unused)


@pytest.mark.usefixtures("later")
def test_two_at_once_delete_the_same_bundle(
    run: Run, local: Path, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(run, local, "1.30.0")
    upload(account, 1)
    original = DeployedInjector.list_objects

    def delete_listed(self: DeployedInjector, digest: str) -> dict[str, int]:
        listed = original(self, digest)
        self.delete_objects(self.list_bundles()[digest])
        return listed

    monkeypatch.setattr(DeployedInjector, "list_objects", delete_listed)
    result = prune(run, YES)
    assert (result.status, result.out.count("deleted ")) == (0, 1), result.err
    assert len(stored(account)) == 1


@pytest.mark.usefixtures("later")
def test_json_lists_the_unused_bundles(run: Run, local: Path, account: Account) -> None:
    push(run, local, "1.30.0")
    unused = upload(account, 1)
    (listed,) = json.loads(prune(run, "-o", "json").out)
    assert (listed["bundle"], listed["files"], listed["isDeleted"]) == (unused, 1, False)
    (listed,) = json.loads(prune(run, "-o", "json", YES).out)
    assert listed["isDeleted"] is True


def add_folder(store: Path, number: int) -> Path:
    path = store / "shop" / "bundles" / f"{number:064x}"
    path.mkdir(parents=True)
    (path / "a.yaml").write_text("a: b\n")
    old = (datetime.now(UTC) - timedelta(days=40)).timestamp()
    for each in (path / "a.yaml", path):
        os.utime(each, (old, old))
    return path


def test_two_at_once_delete_the_same_folder(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unused = add_folder(store, 2)
    (store / "shop" / "policy.yaml").write_text("policy: enabled\n")
    original = shutil.rmtree

    def delete_twice(path: Path) -> None:
        original(path)
        original(path)

    monkeypatch.setattr(shutil, "rmtree", delete_twice)
    result = run("prune", "--config", str(store), "--injector", "shop", YES)
    assert (result.status, unused.exists()) == (0, False), result.err


def test_a_folder(run: Run, store: Path) -> None:
    used, denied, unused, new = (add_folder(store, number) for number in range(4))
    os.utime(new / "a.yaml")
    other = store / "shop" / "bundles" / "notes"
    other.mkdir()
    (store / "shop" / "policy.yaml").write_text(
        f"policy: enabled\nclusters: {{eu: {{bundle: 'sha256:{used.name}'}}}}\n"
    )
    (store / "denied.yaml").write_text(f"sha256:{denied.name}: old\n")
    options = ("prune", "--config", str(store), "--injector", "shop")

    assert run(*options).status == 0
    assert unused.exists()
    result = run(*options, YES)
    assert (result.status, f"deleted  sha256:{unused.name}" in result.out) == (0, True)
    exists = [path.exists() for path in (used, denied, unused, new, other)]
    assert exists == [True, True, False, True, True]
    assert run("prune", "--config", str(store), "--injector", "new").status == 1
