"""Every command of the tutorial runs in order: podgraft and curl are real, AWS is on loopback.

kubectl is a stand-in that checks its arguments. ``make setup``, ``make deploy``, and
``make delete`` are resolved by make, and not run.
"""

import shutil
import socket
import subprocess
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from support.aws_account import start_account_with_bucket
from support.repository_pages import (
    ROOT,
    Checkout,
    PageCommand,
    PageFile,
    make_checkout,
    read_steps,
    stop_server,
)

PAGE = (ROOT / "docs" / "tutorial.md").read_text()
STEPS = read_steps(PAGE)
_PORT = "8443"
_KUBECTL = """\
import sys
verb, *rest = sys.argv[1:]
FLAGS = {"apply": {"--server-side", "-f"}, "label": {"--overwrite"}, "delete": set(),
         "run": {"--image", "--dry-run", "-o"}}
unknown = {word.partition("=")[0] for word in rest if word.startswith("-")} - FLAGS[verb]
if unknown:
    sys.exit(f"unknown flag: {unknown}")
if verb == "apply":
    assert "MutatingWebhookConfiguration" in open(rest[-1]).read()
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Generator[Checkout]:
    made = make_checkout(tmp_path)
    made.add_stub("kubectl", _KUBECTL)
    with start_account_with_bucket("bundles-of-tutorial"):
        yield made


def find_free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_every_command_of_the_tutorial_works_in_order(checkout: Checkout) -> None:
    port = find_free_port()
    outputs: dict[str, str] = {}
    servers: list[subprocess.Popen[str]] = []
    try:
        for step in STEPS:
            if isinstance(step, PageFile):
                checkout.write(step)
            elif step.line.endswith("&"):
                servers.append(checkout.start(step.line[:-1].replace(_PORT, port)))
            elif step.line == "kill %1":
                stop_server(servers.pop())
            else:
                command = replace(step, line=resolve_make(step.line).replace(_PORT, port))
                if step.line.startswith("curl "):
                    check_message_of_rejection(checkout, command)
                outputs[step.line] = checkout.run(command)
    finally:
        for server in servers:
            stop_server(server)
    printed = "\n".join(outputs.values())
    for text in ("Next: the files of this demo", "not injected", "name: istio-proxy", '"op"'):
        assert text in printed
    assert "is in force" in outputs[next(line for line in outputs if " policy push " in line)]


def check_message_of_rejection(checkout: Checkout, command: PageCommand) -> None:
    """Check that the command prints the message of the server for a request that it rejects."""
    rejected = replace(command, line=command.line.replace("/istio/inject", "/absent/inject"))
    assert rejected.line != command.line
    assert "injector absent" in checkout.run(rejected)


def resolve_make(line: str) -> str:
    """Commands that install, deploy, or delete are only resolved."""
    is_resolved = line.startswith(("make setup", "make deploy", "make delete"))
    return line.replace("make", "make --dry-run", 1) if is_resolved else line


def test_the_tutorial_names_only_files_that_it_has_or_makes() -> None:
    commands = [step for step in STEPS if isinstance(step, PageCommand)]
    assert len(commands) > 15
    assert "ENDPOINT" not in "".join(command.line for command in commands)
