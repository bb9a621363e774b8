"""``{{…}}`` in a value, which Parameter Store rejects: found before anything is written."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import podgraft
from podgraft.cli import main
from support.policy_account import REMOTE, Account, Run

PROBLEM = (
    "line {line}: contains {{{{…}}}}, which Parameter Store rejects in a value; remove one brace"
)
STACK = ("--config", "stack:podgraft-dev")
DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("policy", "line"),
    {
        "policy: enabled\n# see {{ .Values.global.hub }}\n": 2,
        "policy: enabled # {{}}\n": 1,
        "# {{ over\n# lines }}\npolicy: enabled\n": 1,
    }.items(),
)
def test_check_and_push_report_the_line_and_a_push_uploads_nothing(
    policy: str, line: int, run: Run, local: Path, account: Account
) -> None:
    (local / "policy.yaml").write_text(policy)
    expected = f"error: {local}/policy.yaml: {PROBLEM.format(line=line)}"
    assert expected in run("check", str(local)).err
    pushed = run("push", str(local), *REMOTE)
    assert (pushed.status, expected in pushed.err) == (1, True)
    assert account.object_keys() == account.documents() == []


@pytest.mark.parametrize("text", ["{ {a} }", "a: {b: {c: 1}}", "}}{{", "{{ open"])
def test_other_braces_are_allowed_as_in_parameter_store(
    text: str, run: Run, local: Path, account: Account
) -> None:
    (local / "policy.yaml").write_text(f"policy: enabled\n# {text}\n")
    assert run("push", str(local), *REMOTE).status == 0
    assert text in account.documents()[0]


def test_the_account_of_the_tests_rejects_what_parameter_store_rejects(account: Account) -> None:
    with pytest.raises(account.ssm.exceptions.ClientError, match="nest another parameter"):
        account.put("# {{ ssm:other }}")


Write = Callable[[], int]
WRITERS: dict[str, tuple[str, ...]] = {
    "a note of a token": ("tokens", "issue", "--cluster", "prod", "--note", "{{x}}", *STACK),
    "the reason of a brake": ("policy", "rollout", "abort", "--all", "--reason", "{{x}}", *REMOTE),
    "the reason of a denial": ("policy", "deny", DIGEST, "--reason", "{{x}}", *STACK),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_command_that_writes_a_text_of_an_operator_names_the_parameter(
    name: str, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    account.put("policy: enabled\n")
    assert main([*WRITERS[name]]) == 1
    err = capsys.readouterr().err
    assert re.search(r"parameter /podgraft-dev/\S+: line \d+: contains {{…}}, which Parameter", err)
    assert "{{x}}" not in err
    stored: list[Any] = account.ssm.get_parameters_by_path(Path="/podgraft-dev", Recursive=True)[
        "Parameters"
    ]
    assert {each["Name"] for each in stored} == {"/podgraft-dev/shop/policy", "/podgraft-dev/stack"}


def _find_writes() -> Iterator[str]:
    """The functions of podgraft that call a client's ``put_parameter``."""
    package = Path(podgraft.__file__).parent
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                for call in ast.walk(node):
                    if (
                        isinstance(call, ast.Call)
                        and isinstance(call.func, ast.Attribute)
                        and call.func.attr == "put_parameter"
                    ):
                        yield f"{path.relative_to(package)}: {node.name}"


def test_every_write_to_parameter_store_is_checked() -> None:
    """The others call ``DeployedInjector.put_parameter``, or fill the account of a benchmark."""
    assert {*_find_writes()} == {
        "cli/stacks.py: put_parameter",
        "cli/policy/cloud.py: put_policy",
        "cli/policy/cloud.py: _put_signed_version",
    }
