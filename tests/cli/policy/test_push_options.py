"""The message, the dry run, the confirmation, and the canary of a push."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.target import DeploymentTarget
from podgraft.core import bundle, policy
from podgraft.core.versions.snapshot_loader import load_snapshots
from support.policy_account import (
    BUCKET,
    NAME,
    REMOTE,
    Account,
    Result,
    Run,
    answer_prompts,
    set_tag,
)


def digest(folder: Path) -> str:
    files = (folder / "bundle").iterdir()
    return bundle.digest({path.name: path.read_bytes() for path in files})


def history(run: Run) -> list[dict[str, Any]]:
    result = run("history", *REMOTE, "-o", "json")
    assert result.status == 0, result.err
    return json.loads(result.out)


def test_a_message_belongs_to_its_version(run: Run, local: Path, account: Account) -> None:
    """It is not part of the document: signatures and the size do not change."""
    assert run("push", str(local), *REMOTE, "-m", "first of all").status == 0
    set_tag(local, "1.30.1")
    assert run("push", str(local), *REMOTE).status == 0
    assert run("rollback", "1", *REMOTE).status == 0
    assert run("rollback", "2", *REMOTE, "--message", "the fix again").status == 0

    messages = ["first of all", "", "rollback to version 1", "the fix again"]
    assert [each["message"] for each in history(run)] == messages
    documents = account.documents()
    assert (documents[2], documents[3]) == (documents[0], documents[1])
    assert "first of all" not in documents[0]
    listed = run("history", *REMOTE).out.splitlines()
    assert listed[0].endswith("  first of all")


def test_the_message_of_an_equal_push_is_not_stored(
    run: Run, local: Path, account: Account
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    result = run("push", str(local), *REMOTE, "-m", "again")
    assert "version 1 is already the same; the message is not stored" in result.out
    assert len(account.versions()) == 1


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("a\nb", "--message: must be one line without control characters"),
        ("\x1b[1m", "--message: must be one line without control characters"),
        ("x" * 1025, "--message: got 1025 characters; use at most 1024"),
    ],
)
def test_a_message_that_parameter_store_cannot_store(
    run: Run, local: Path, account: Account, message: str, problem: str
) -> None:
    result = run("push", str(local), *REMOTE, "--message", message)
    assert (result.status, problem in result.err, account.versions()) == (2, True, [])


def test_a_dry_run_changes_nothing(run: Run, local: Path, account: Account) -> None:
    result = run("push", str(local), *REMOTE, "--dry-run")
    assert result.status == 0
    assert "upload   mesh.yaml, " in result.out
    assert f"policy   version 1 of {NAME} is the first version (dry run)" in result.out
    assert (account.versions(), account.object_keys()) == ([], [])
    assert run("push", str(local), *REMOTE).status == 0
    assert "version 1 is already the same" in run("push", str(local), *REMOTE, "--dry-run").out
    set_tag(local, "1.30.1")
    result = run("push", str(local), *REMOTE, "--dry-run")
    assert "version 2 of /podgraft-dev/shop/policy replaces version 1 (dry run)" in result.out
    assert len(account.versions()) == 1


def test_a_policy_that_was_created_again_is_not_replaced(account: Account) -> None:
    """Its versions count from 1 again, and the deletion removed the bundles."""
    target = DeploymentTarget(
        injector="shop",
        bucket=BUCKET,
        bundle_prefix="bundles/",
        parameter_prefix="/podgraft-dev",
    )
    cloud = DeployedInjector(target, account.ssm, account.s3)
    account.put("policy: enabled\n")
    (replaced,) = cloud.history()
    account.ssm.delete_parameter(Name=NAME)
    account.put("policy: disabled\n")

    with pytest.raises(CommandError, match="was deleted, and created again by"):
        cloud.put_policy("policy: enabled\n", replaced)
    assert account.documents() == ["policy: disabled\n"]


def test_a_dry_run_finds_what_the_push_finds(run: Run, local: Path, account: Account) -> None:
    absent = f"sha256:{'0' * 64}"
    (local / "policy.yaml").write_text(f"clusters: {{eu: {{bundle: '{absent}'}}}}\n")
    result = run("push", str(local), *REMOTE, "--dry-run")
    assert (result.status, "is missing in s3://" in result.err) == (1, True)
    (local / "policy.yaml").write_text("policy: enabled\n")
    result = run("push", str(local), *REMOTE, "--dry-run", "--expect-version", "3")
    assert (result.status, "expected version 3, got version 0" in result.err) == (1, True)
    assert account.object_keys() == []


@pytest.mark.parametrize(("text", "status"), [("y", 0), ("n", 1)])
def test_a_confirmation_shows_the_diff(
    run: Run,
    local: Path,
    account: Account,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    status: int,
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    before = account.object_keys()
    set_tag(local, "1.30.1")
    answer_prompts(monkeypatch, text)

    result = run("push", str(local), *REMOTE, "--confirm")

    assert (result.status, len(account.versions())) == (status, 2 - status), result.err
    assert "+    image: registry.example.com/proxy:1.30.1" in result.out
    assert (account.object_keys() == before) is (text == "n")


def canary(run: Run, local: Path, *more: str) -> Result:
    return run("push", str(local), *REMOTE, "--cluster", "prod-eu", *more)


def policy_for(account: Account, cluster: str | None) -> policy.Policy:
    return policy.parse(account.documents()[-1]).for_cluster(cluster)


def test_a_canary_gives_one_cluster_the_local_folder(
    run: Run, local: Path, account: Account
) -> None:
    text = "# ours\npolicy: enabled # a\nclusters:\n  # b\n  us: {policy: disabled} # c\n"
    (local / "policy.yaml").write_text(text)
    assert run("push", str(local), *REMOTE).status == 0
    stable = digest(local)
    set_tag(local, "1.30.1")
    (local / "policy.yaml").write_text("policy: disabled\nrevision: canary\n")

    result = canary(run, local, "-m", "canary")

    assert result.status == 0, result.err
    document = account.documents()[-1]
    assert (
        document
        == text.replace(
            "# c\n",
            f"# c\n  prod-eu:\n    bundle: {digest(local)}\n    policy: disabled\n"
            "    revision: canary\n",
        )
        + f"bundle: {stable}\n"
    )
    assert policy_for(account, None).bundle == policy_for(account, "us").bundle == stable
    own = policy_for(account, "prod-eu")
    assert (own.bundle, own.policy, own.revision) == (digest(local), "disabled", "canary")
    assert history(run)[-1]["clusters"] == {"prod-eu": digest(local)}
    assert f"{stable} prod-eu={digest(local)}" in run("history", *REMOTE).out
    assert "already the same" in canary(run, local).out
    undo = result.out[result.out.index("podgraft rollback") :].splitlines()[0]
    assert run(*shlex.split(undo)[1:]).status == 0
    assert policy_for(account, "prod-eu").bundle == stable


def test_the_function_loads_a_canary(run: Run, local: Path, account: Account) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    set_tag(local, "1.30.1")
    assert canary(run, local).status == 0

    def fetch(name: str | None) -> dict[str, bytes]:
        prefix = f"bundles/shop/{(name or '').removeprefix('sha256:')}/"
        keys = [key for key in account.object_keys() if key.startswith(prefix)]
        return {
            key.removeprefix(prefix): account.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
            for key in keys
        }

    snapshots = load_snapshots("shop", account.documents()[-1], "2", fetch)
    assert snapshots.for_cluster("prod-eu").bundle.digest == digest(local)
    assert snapshots.for_cluster("us").bundle.digest != digest(local)


def test_a_canary_without_a_policy_changes_only_the_bundle(
    run: Run, local: Path, account: Account
) -> None:
    (local / "policy.yaml").write_text("clusters: {prod-eu: {policy: disabled}}\n")
    assert run("push", str(local), *REMOTE).status == 0
    set_tag(local, "1.30.1")

    result = run(
        "push", str(local), *REMOTE, "--cluster", "prod-eu"
    )  # fmt: skip

    assert result.status == 0, result.err
    own = policy_for(account, "prod-eu")
    assert (own.bundle, own.policy) == (digest(local), "disabled")


def test_a_push_to_all_clusters_ends_a_canary(run: Run, local: Path, account: Account) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    set_tag(local, "1.30.1")
    assert canary(run, local).status == 0

    preview = run("diff", str(local), *REMOTE)
    assert "(in clusters without overrides)" in preview.out
    assert "(in prod-eu)" not in preview.out
    assert run("push", str(local), *REMOTE).status == 0
    assert policy_for(account, None).bundle == digest(local)
    assert policy.parse(account.documents()[-1]).clusters == {}


CANARY_ERRORS = (
    ("policy: enabled\nrevision: a\n", "policy: enabled\n", "revision: the policy in force sets"),
    (
        "features: {platform: openshift}\n",
        "features: {nativeSidecars: true}\n",
        "cannot remove it; set the key in the local policy",
    ),
)


@pytest.mark.parametrize(("stored", "own", "message"), CANARY_ERRORS)
def test_what_overrides_cannot_express(
    run: Run, local: Path, account: Account, stored: str, own: str, message: str
) -> None:
    (local / "policy.yaml").write_text(stored)
    assert run("push", str(local), *REMOTE).status == 0
    (local / "policy.yaml").write_text(own)
    result = canary(run, local)
    assert (result.status, message in result.err) == (1, True), result.err
    assert len(account.versions()) == 1


def test_a_canary_needs_a_policy_and_a_valid_cluster(
    run: Run, local: Path, account: Account
) -> None:
    result = canary(run, local)
    assert "the injector has no policy yet; push the policy of all clusters first" in result.err
    result = run("push", str(local), *REMOTE, "--cluster", "prod/eu")
    assert result.err.startswith('error: cluster: got "prod/eu"; use 1 to 100 letters')
    assert account.object_keys() == []


def test_a_bundle_that_a_prune_deleted_meanwhile_is_uploaded_again(
    run: Run, local: Path, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    from podgraft.cli.policy.cloud import DeployedInjector

    original = DeployedInjector.put_parameter

    def delete_first(self: DeployedInjector, *arguments: Any) -> int:
        number = original(self, *arguments)
        for key in account.object_keys():
            account.s3.delete_object(Bucket=BUCKET, Key=key)
        return number

    monkeypatch.setattr(DeployedInjector, "put_parameter", delete_first)
    assert run("push", str(local), *REMOTE).status == 0
    assert len(account.object_keys()) == 2


def test_a_file_that_a_prune_deletes_while_a_push_compares_it_is_uploaded_again(
    run: Run, local: Path, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    from podgraft.cli.policy.cloud import DeployedInjector

    original = DeployedInjector.read_file

    def delete_first(self: DeployedInjector, digest: str, path: str) -> bytes:
        monkeypatch.undo()
        for key in account.object_keys():
            account.s3.delete_object(Bucket=BUCKET, Key=key)
        return original(self, digest, path)

    assert run("push", str(local), *REMOTE).status == 0
    keys = account.object_keys()
    monkeypatch.setattr(DeployedInjector, "read_file", delete_first)
    result = run("push", str(local), *REMOTE)
    assert (result.status, account.object_keys()) == (0, keys), result.err
