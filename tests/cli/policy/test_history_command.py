"""``podgraft history``: the mark of the version in force, JSON, and unknown injectors."""

import json
from pathlib import Path

import pytest

from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.in_force import find_in_force
from podgraft.core.signing.verifier import Verifier
from support.policy_account import NAME, REMOTE, Account, Run, set_tag
from support.signers import MemorySigner


def test_an_unknown_injector_is_an_error(run: Run, account: Account) -> None:
    del account
    result = run("history", *REMOTE)
    assert result.status == 1
    assert result.err == (
        f"error: injector shop has no policy: parameter {NAME} not found; check --injector, or "
        "create it with `podgraft push`\n"
    )


def test_the_mark_is_at_the_newest_version_that_loads(
    run: Run, local: Path, account: Account
) -> None:
    assert run("push", str(local), *REMOTE, "-m", "one").status == 0
    account.put("policy: [")
    account.put(f"bundle: sha256:{'0' * 64}\n")

    result = run("history", *REMOTE)

    assert result.status == 0
    assert [line[:6] for line in result.out.splitlines()] == ["*   1 ", "    2 ", "    3 "]
    assert "warning: version 3 does not load: bundle sha256:000" in result.err
    document = json.loads(run("history", *REMOTE, "-o", "json").out)
    assert [each["isInForce"] for each in document] == [True, False, False]
    assert [bool(each["error"]) for each in document] == [False, True, True]
    assert document[0]["message"] == "one"
    assert document[1]["bundle"] is None


def test_a_denied_version_is_not_in_force(run: Run, local: Path, account: Account) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    set_tag(local, "1.30.1")
    assert run("push", str(local), *REMOTE).status == 0
    digest = json.loads(run("history", *REMOTE, "-o", "json").out)[1]["bundle"]
    assert run("deny", digest, "--reason", "old", "--config", "stack:podgraft-dev").status == 0

    result = run("history", *REMOTE)

    assert [line[0] for line in result.out.splitlines()] == ["*", " "]
    assert "is denied: old" in result.err
    assert len(account.versions()) == 2


@pytest.mark.parametrize("is_required", [True, False])
def test_the_keys_of_the_stack_decide(
    run: Run,
    local: Path,
    account: Account,
    monkeypatch: pytest.MonkeyPatch,
    is_required: bool,
) -> None:
    """With a signer, the function does not load an unsigned version if signatures are required."""
    assert run("push", str(local), *REMOTE).status == 0
    assert account.versions()
    verifier = Verifier((MemorySigner().public_key,), is_required=is_required)

    def parse_verifier(*_: object) -> Verifier:
        return verifier

    monkeypatch.setattr("podgraft.cli.stacks._parse_verifier", parse_verifier)

    result = run("history", *REMOTE)

    assert (result.out[0] == "*") is not is_required
    assert ("the policy is not signed" in result.err) is is_required


def test_nothing_is_in_force_without_versions(session: object, account: Account) -> None:
    from podgraft.cli.policy.target import DeploymentTarget

    del session
    target = DeploymentTarget(
        injector="shop",
        bucket="bundles-of-changes",
        bundle_prefix="bundles/",
        parameter_prefix="/podgraft-dev",
    )
    cloud = DeployedInjector(target, account.ssm, account.s3)
    assert find_in_force(cloud, []).version is None


def test_pull_writes_the_version_in_force(
    run: Run, local: Path, account: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A later one can be of a person who may write the parameter, and not sign."""
    assert run("push", str(local), *REMOTE).status == 0
    signer, digest = (
        MemorySigner(),
        json.loads(run("history", *REMOTE, "-o", "json").out)[0]["bundle"],
    )
    account.put(signer.sign_document(f"bundle: {digest}\nrevision: signed\n", NAME, 2, digest))
    account.put(f"bundle: {digest}\nrevision: unsigned\n")
    verifier = Verifier((signer.public_key,))

    def parse_verifier(*_: object) -> Verifier:
        return verifier

    monkeypatch.setattr("podgraft.cli.stacks._parse_verifier", parse_verifier)

    result = run("pull", str(tmp_path / "out"), *REMOTE)

    assert "does not load: the policy is not signed" in result.err
    assert "revision: signed" in (tmp_path / "out" / "policy.yaml").read_text()
    assert "podgraft push --expect-version 3" in result.out
