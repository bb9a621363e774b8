"""``--config stack:NAME`` finds the groups of a cluster in the registry, as the function does."""

import json
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from support.policy_account import REMOTE, Account, Run, set_tag

STACK, AUTH = "/podgraft-dev/stack", "/podgraft-dev/auth/prod-eu"
POD = "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: [{name: a}]}\n"
CONFIG = ("--injector", "shop", "--config", "stack:podgraft-dev")


def test_a_cluster_has_its_groups_of_the_registry(
    run: Run, account: Account, local: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    owner: Any = json.loads(account.ssm.get_parameter(Name=STACK)["Parameter"]["Value"])
    text = json.dumps({**owner, "documents": 2})
    account.ssm.put_parameter(Name=STACK, Value=text, Type="String", Overwrite=True)
    account.ssm.put_parameter(Name=AUTH, Value="groups: [canary, gone]\n", Type="SecureString")
    set_tag(local, "of-the-canary")
    assert run("push", str(local), *REMOTE).status == 0
    digest = account.documents()[0].partition("bundle: ")[2].split()[0]
    set_tag(local, "of-stable")
    (local / "policy.yaml").write_text(
        f"policy: enabled\ngroups: {{canary: {{bundle: '{digest}', revision: canary}}}}\n"
    )
    result = run("push", str(local), *REMOTE)
    assert result.status == 0, result.err
    (local / "pod.yaml").write_text(POD)
    line = ["explain", "-f", str(local / "pod.yaml"), "-n", "shop", *CONFIG, "-o", "yaml"]
    for cluster, tag in (("prod-eu", "of-the-canary"), ("prod-us", "of-stable")):
        capsys.readouterr()
        assert main([*line, "--cluster", cluster]) == 0
        assert tag in capsys.readouterr().out
    lines = run("history", *REMOTE, "--cluster", "prod-eu").out.splitlines()
    assert [each[:6] for each in lines] == ["    1 ", "*   2 ", "      "]
    assert lines[2] == "       prod-eu: bundle from group canary, revision from group canary"
    for cluster, origins in (("prod-eu", {"bundle", "revision"}), ("prod-us", set[str]())):
        printed = run("history", *REMOTE, "--cluster", cluster, "-o", "json").out
        assert [each["origins"].keys() for each in json.loads(printed)] == [set(), origins]
    account.ssm.delete_parameter(Name=AUTH)
