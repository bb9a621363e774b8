"""The commands of docs/start.md, on a deployed stack: a pod gets the sidecar hello.

kube-apiserver and ``register --test`` need an endpoint with a public name: tests/docs/
test_start_page.py runs the complete page with the function's application.
"""

import shlex
import sys
from pathlib import Path
from time import monotonic

from e2e.aws.cloud import ROOT, Stack
from e2e.aws.operator import PATIENCE_SECONDS, containers, send_review

# The section about AWS.
PAGE = (ROOT / "docs" / "start.md").read_text().partition("## On this machine")[0]


def read_command(name: str) -> list[str]:
    """The words of a command of podgraft on the page."""
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"podgraft {name} ")]
    return shlex.split(line)[1:]


def test_the_commands_put_a_sidecar_on_a_pod(stack: Stack, tmp_path: Path) -> None:
    folder = tmp_path / "first"
    program = (sys.executable, "-m", "podgraft")
    stack.cloud.run(*program, "init", str(folder))
    project = ("--project", str(folder / "podgraft.toml"))
    paths = {"hello": str(folder / "hello"), "token": str(folder / "token")}
    for command in (read_command("push"), read_command("tokens issue")):
        stack.cloud.run(*program, *project, *(paths.get(word, word) for word in command))

    token = (folder / "token").read_text().strip()
    ends = monotonic() + PATIENCE_SECONDS
    while "hello" not in containers(send_review(stack, token, "dev", "hello")):
        assert monotonic() < ends
