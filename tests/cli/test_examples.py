"""The examples of each command's help run, one after the other, in one folder and one account."""

import re
import shlex
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import click
import pytest

from cli.imports.test_import import CLUSTER
from podgraft import cli
from podgraft.cli import lazy_group
from podgraft.cli.command_help import find_examples, is_rare, iter_options, read_examples
from podgraft.core import bundle
from support import fake_cluster
from support.aws_account import start_account_with_bucket
from support.signers import MemorySigner

ROOT = Path(__file__).parents[2]
DIGEST = bundle.digest({"a.yaml": b"a"})
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
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
}
# They serve until a signal, or install a server. The others run.
PARSED = ("serve", "demo", "playground")
# A result that is no error: a skipped pod, a difference, missing records or evidence.
STATUSES = {
    "explain": {0, 3},
    "diff": {0, 1},
    "doctor": {1, 2},  # no webhook of podgraft is registered, and no kubeconfig exists
    "status --contexts all": {1},  # no kubeconfig exists
    "check mesh --strict": {1},
    "rollout": {0, 1, 3},
    "fleet": {0, 1, 2},  # the function of the stack of this test reads no registry
    "policy preview": {1},
    "certs rotate-ca --from": {0, 1},
}
MAX_VISIBLE = 14


def list_commands() -> list[tuple[str, click.Command]]:
    """Each command with the words after podgraft; of two names, the shorter."""
    found: dict[int, tuple[str, click.Command]] = {}

    def walk(words: tuple[str, ...], command: click.Command) -> None:
        found.setdefault(id(command), (" ".join(words), command))
        if isinstance(command, click.Group):
            context = click.Context(command)
            names = sorted(command.list_commands(context), key=lambda word: word == "policy")
            for name in names:
                child = command.get_command(context, name)
                assert child is not None
                walk((*words, name), child)

    walk((), cli.podgraft)
    return [entry for entry in found.values() if entry[0]]


COMMANDS = list_commands()


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_the_help_has_examples_and_few_options(words: str, command: click.Command) -> None:
    examples = find_examples(f"podgraft {words}")
    is_daily = " " not in words and cli.podgraft.entries[words].section
    assert len(examples) >= (3 if is_daily or isinstance(command, click.Group) else 1)
    visible = [each for each in iter_options(command) if not is_rare(each, command)]
    assert len(visible) <= MAX_VISIBLE


def test_all_options_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["register", "--help"]) == 0
    assert "--static" not in capsys.readouterr().out
    assert cli.main(["register", "--help-all"]) == 0
    assert "--static" in capsys.readouterr().out


def test_the_first_sight_has_few_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    printed = capsys.readouterr().out
    titles = re.findall(r"^(\w+):$", printed, re.MULTILINE)
    assert titles == ["Understand", "Change", "Connect", "Run", "More", "Options", "Help"]
    sections = [entry for entry in cli.podgraft.entries.values() if entry.section]
    assert len(sections) <= 18
    assert all(isinstance(entry, lazy_group.Entry) for entry in sections)


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    """The files, the stack, and the cluster of the examples."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "samples/istio", "mesh")
    shutil.copytree(ROOT / "samples/hello", "hello")
    shutil.copytree("mesh", "store/istio")
    Path("store/istio/podgraft-test.yaml").unlink()
    Path("web.yaml").write_text(WORKLOAD)
    Path("injected.yaml").write_text(WORKLOAD)
    Path("review.log").touch()
    Path("fleet.yaml").touch()
    Path("signer.key").write_text(MemorySigner().private_pem)
    shutil.copyfile("mesh/bundle/injector.yaml", "inject.yaml")
    shutil.copyfile("mesh/bundle/mesh.yaml", "mesh.yaml")
    Path("podgraft.toml").write_text('config = "stack:podgraft-dev"\ninjector = "istio"\n')
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.setattr("click.termui.visible_prompt_func", answer_yes)
    responses = {
        **CLUSTER,
        "/api/v1/namespaces": [{"metadata": {"name": "shop"}}],
        "/api/v1/namespaces/shop": {"metadata": {"name": "shop"}},
        "/api/v1/namespaces/shop/pods": [POD],
        "/api/v1/namespaces/shop/pods/web": POD,
    }
    fake_cluster.use_cluster(monkeypatch, responses)
    with start_account_with_bucket("bundles-of-examples") as session:
        assert cli.main(["push", "mesh"]) == 0
        yield session


def answer_yes(_: str) -> str:
    return "y"


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = cli.podgraft
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        child = command.get_command(click.Context(command), words[0])
        assert child is not None, words
        command, words = child, words[1:]
    return command, words


@pytest.mark.usefixtures("account")
def test_the_examples_run(capfd: pytest.CaptureFixture[str]) -> None:
    token = ""
    failed: list[str] = []
    for name, examples in read_examples().items():
        for line, _ in examples:
            words = shlex.split(line.replace("DIGEST", DIGEST).replace("TOKEN_ID", token))[1:]
            if name in PARSED:
                command, arguments = find_command(words)
                command.make_context(name, arguments)
                continue
            status = cli.main(words)
            out, err = capfd.readouterr()
            key = next((key for key in STATUSES if line.startswith(f"podgraft {key}")), name)
            if status not in STATUSES.get(key, {0}):
                failed.append(f"{line}: {status}\n{err}")
            if line == "podgraft tokens list":
                token = out.split()[2]
    assert not failed, "\n".join(failed)
