"""Policies above the limit of Parameter Store: every command shows and writes the complete text."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from podgraft.cli.parameter_values import ADVANCED_BYTES
from podgraft.cli.policy.large_policy import SIGNATURE_BYTES, find_value_errors, split_policy
from podgraft.core.versions.overrides import find_overrides, join_overrides
from podgraft.kube import yaml
from support.machines import LaterMachine, use_machine
from support.policy_account import BUCKET, REMOTE, Account, Run, set_tag
from support.signers import MemorySigner

STACK = "/podgraft-dev/stack"


def make_policy(clusters: int, **keys: Any) -> str:
    """A policy with comments, and with keys between and after its overrides."""
    overrides = {f"prod-{n:04}": {"revision": "canary"} for n in range(clusters)}
    return (
        f"# Ours.\nclusters:\n  # the fleet\n{indent(overrides)}\n"
        f"{yaml.dump({'policy': 'enabled', **keys})}"
        "# Rings.\ngroups: {ring: {order: 1}}  # one\n# the end\n"
    )


def indent(value: Any) -> str:
    return "".join(f"  {line}\n" for line in yaml.dump(value).splitlines())


@pytest.fixture
def large(account: Account, local: Path) -> Path:
    """A folder with a policy of 300 clusters, and a stack that reads it."""
    set_documents(account, 3)
    (local / "policy.yaml").write_text(make_policy(300))
    return local


def set_documents(account: Account, number: int) -> None:
    owner: Any = json.loads(account.ssm.get_parameter(Name=STACK)["Parameter"]["Value"])
    text = json.dumps({**owner, "documents": number})
    account.ssm.put_parameter(Name=STACK, Value=text, Type="String", Overwrite=True)


def test_split_texts_join_to_the_same_text() -> None:
    random = Random(7)  # noqa: S311
    parts = (
        *("policy: enabled\n", "# a comment\n", "\n", "features:\n  a: b\n", "---\n"),
        *("groups:\n  a: {order: 1}\n", "clusters:\n- x\n\n# end\n", "clusters: {a: {}}\n"),
        *("# groups: in overrides\n", "groups: {\n}\n", "é: ü\r\n", 'x: "a\n\nb"\n'),
    )
    for _ in range(500):
        text = "".join(random.choices(parts, k=random.randrange(9)))
        text = random.choice([text, text.rstrip("\n")])
        filler = ADVANCED_BYTES - SIGNATURE_BYTES - len(text.encode()) + random.randrange(-9, 9)
        text = random.choice([f"#{'x' * filler}\n{text}", f"{text}#{'x' * filler}\n"])
        split = split_policy(text)
        assert join_overrides(split.document, lambda _, files=split.files: files) == text
        assert len(split.document.encode()) <= max(len(text.encode()), ADVANCED_BYTES)


@pytest.mark.parametrize("key", ["groups", "clusters"])
def test_one_key_moves_alone(key: str) -> None:
    block = f"{key}:\n" + "".join(f"  a{n}: {{order: {n}}}\n" for n in range(900))
    split = split_policy(f"policy: enabled\n{block}# the end\n")
    assert split.files == {f"{key}.yaml": block.encode()}
    head, *rest = split.document.splitlines(keepends=True)
    assert head.startswith("# bundles: ")
    assert rest[1:] == ["policy: enabled\n", f"# {key}: in overrides\n", "# the end\n"]


def test_a_pushed_policy_is_complete_in_every_command(
    run: Run, account: Account, large: Path, tmp_path: Path
) -> None:
    pushed = run("push", str(large), *REMOTE)
    assert pushed.status == 0, pushed.err
    [stored] = account.documents()
    assert len(stored.encode()) < 400
    assert find_overrides(stored) is not None
    assert run("push", str(large), *REMOTE).out.count("is already the same") == 1
    assert run("diff", str(large), *REMOTE).status == 0
    assert run("pull", *REMOTE, str(tmp_path / "pulled")).status == 0
    text = (tmp_path / "pulled" / "policy.yaml").read_text()
    assert text.startswith(make_policy(300))
    assert "1 version" not in run("history", *REMOTE).err


def test_changes_keep_the_overrides(
    run: Run, account: Account, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("push", str(large), *REMOTE).status == 0
    monkeypatch.setenv("EDITOR", "sed -i s/enabled/disabled/")
    assert run("edit", "policy.yaml", *REMOTE, "--yes").status == 0
    (large / "policy.yaml").write_text("policy: enabled\n")
    assert run("push", str(large), *REMOTE).status == 0
    assert run("rollback", "1", *REMOTE).status == 0
    digests = [find_overrides(each) for each in account.documents()]
    assert digests[0] == digests[1] == digests[3] is not None
    assert digests[2] is None
    assert "policy: disabled" in account.documents()[1]


def test_a_prune_does_not_delete_what_overrides_name(
    run: Run, account: Account, large: Path
) -> None:
    set_tag(large, "1.30.0")
    assert run("push", str(large), *REMOTE).status == 0
    set_tag(large, "1.30.1")
    canary = (str(large), "--cluster", "prod-0007")
    assert run("push", *canary, *REMOTE).status == 0
    (large / "policy.yaml").write_text(make_policy(300))
    before = account.object_keys()
    with use_machine(LaterMachine(31)):
        assert run("prune", *REMOTE, "--yes").status == 0
    assert account.object_keys() == before


def test_an_earlier_function_receives_no_overrides(run: Run, account: Account, large: Path) -> None:
    set_documents(account, 2)
    result = run("push", str(large), *REMOTE)
    assert result.status == 1
    assert "/overrides: the function of stack podgraft-dev reads no overrides; deploy" in result.err
    assert account.documents() == []


def test_what_does_not_fit_is_an_error_before_a_request(
    run: Run, account: Account, large: Path
) -> None:
    (large / "policy.yaml").write_text(f"{make_policy(300)}# {'x' * 9000}\n")
    result = run("push", str(large), *REMOTE)
    assert result.status == 1
    assert "bytes without groups and clusters, but Parameter Store accepts at most" in result.err
    assert account.object_keys() == []
    text = json.dumps({"clusters": {f"c{n}": {} for n in range(1000)}})
    [error] = find_value_errors("policy", text)
    assert "write groups and clusters as blocks" in error.remedy
    comments = "  #\n" * 300_000  # 1.2 MB
    [error] = find_value_errors("policy", f"clusters:\n  a: {{}}\n{comments}  b: {{}}\n")
    assert "give clusters with equal overrides a group" in error.remedy


def test_what_fits_only_without_its_signature_is_not_stored(
    run: Run, account: Account, local: Path
) -> None:
    (local / "signer.key").write_text(MemorySigner().private_pem)
    (local / "policy.yaml").write_text(f"policy: enabled\n# {'x' * 7990}\n")
    result = run("push", str(local), *REMOTE, "--sign-key", str(local / "signer.key"))
    assert result.status == 1
    assert "bytes with the signature, but Parameter Store accepts at most 8192" in result.err
    assert account.documents() == []
    assert run("push", str(local), *REMOTE).status == 0


def test_damaged_overrides_name_the_version_until_a_push_mends_them(
    run: Run, account: Account, large: Path
) -> None:
    assert run("push", str(large), *REMOTE).status == 0
    digest = find_overrides(account.documents()[0]) or ""
    folder = f"bundles/shop/{digest.removeprefix('sha256:')}/"
    account.s3.put_object(Bucket=BUCKET, Key=f"{folder}groups.yaml", Body=b"groups: {}\n")
    assert f"bundle {digest} in s3://{BUCKET} is damaged" in run("diff", str(large), *REMOTE).err
    assert "podgraft policy" not in run("history", *REMOTE).err
    assert run("history", *REMOTE).status == 0
    assert "already the same" in run("push", str(large), *REMOTE).out
    assert run("diff", str(large), *REMOTE).status == 0
    account.s3.delete_object(Bucket=BUCKET, Key=f"{folder}clusters.yaml")
    (large / "policy.yaml").write_text("policy: enabled\n")
    assert run("push", str(large), *REMOTE).status == 0


def test_denied_overrides_are_not_stored_again(run: Run, account: Account, large: Path) -> None:
    assert run("push", str(large), *REMOTE).status == 0
    digest = find_overrides(account.documents()[0]) or ""
    assert run("deny", digest, "--reason", "CVE", *REMOTE[2:]).status == 0
    for command in ("push", str(large)), ("rollback", "1"):
        assert f"bundle {digest} is denied: CVE" in run(*command, *REMOTE).err
    assert len(account.documents()) == 1
