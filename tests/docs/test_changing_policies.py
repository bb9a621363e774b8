"""Each command of docs/changing-policies.md runs, one after the other, and does what it says."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from support.aws_account import start_account_with_bucket

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "changing-policies.md").read_text()
NAME = "/podgraft-dev/istio/policy"
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ ")
]
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example.com/web:1"}]}
"""


@pytest.fixture
def ssm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    """The account of the page, its project file, an editor, and an operator who says yes."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "samples", "samples")
    (project,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    Path("podgraft.toml").write_text(project)
    Path("editor.py").write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('\"1.30.2\"', '\"1.30.1\"'))\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {tmp_path / 'editor.py'}")
    monkeypatch.setattr("click.termui.visible_prompt_func", answer)
    with start_account_with_bucket("bundles-of-changing") as session:
        yield session.create_client("ssm")


def answer(prompt: str) -> str:
    return "istio" if "name of the injector" in prompt else "y"


def run(command: str) -> None:
    if command.startswith("podgraft "):
        words = shlex.split(command)
        # The page says so: a difference has status 1.
        statuses = {"diff": {1}}.get(words[2], {0})
        assert cli.main(words[1:]) in statuses, command
    elif command.startswith("kubectl "):
        Path("workloads.yaml").write_text(WORKLOAD)
    else:
        subprocess.run(shlex.split(command), check=True)


def test_the_commands_of_the_page(ssm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    outputs: dict[str, str] = {}
    versions: list[dict[str, Any]] = []
    for command in COMMANDS:
        if " delete " in command:
            versions = ssm.get_parameter_history(Name=NAME)["Parameters"]
        run(command)
        outputs[command] = capsys.readouterr().out

    assert [version["Description"] for version in versions] == [
        "First version",
        "Proxy 1.30.2, TICKET-1",
        "Canary of 1.30.1",
        "End of the canary",
        "Proxy 1.30.1",
    ]
    assert "prod-eu:" in versions[2]["Value"]
    assert versions[3]["Value"] == versions[1]["Value"]
    diff = outputs["podgraft diff mesh -f workloads.yaml"]
    assert "-        image: registry.example.com/mesh/proxyv2:1.30.3" in diff
    assert "+        image: registry.example.com/mesh/proxyv2:1.30.2" in diff
    assert outputs["podgraft history"].splitlines()[1].startswith("*   2 ")
    with pytest.raises(ssm.exceptions.ParameterNotFound):
        ssm.get_parameter(Name=NAME)


def test_the_page_names_each_subcommand_that_changes_a_policy() -> None:
    names = {"diff", "push", "history", "rollback", "edit", "prune", "delete"}
    assert names <= {command.split()[2] for command in COMMANDS if command.startswith("podgraft ")}
