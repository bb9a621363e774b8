"""A word of another program leads to the command or option of podgraft with the same task."""

from pathlib import Path
from typing import Any

import click
import pytest

from podgraft import cli
from podgraft.cli import usage_hints

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
Out = pytest.CaptureFixture[str]

WORDS = (
    # istioctl, kubectl, Helm, and subcommands without their group
    ("analyze", "check"),
    ("check-inject", "explain"),
    ("proxy-status", "status"),
    ("version", "--version"),
    ("get", "status"),
    ("describe", "explain"),
    ("lint", "check"),
    ("template", "inject"),
    ("install", "init"),
    ("pull", "policy pull"),
    ("apply", "explain"),
    ("validate", "explain"),
    ("edit", "policy edit"),
    ("issue", "tokens issue"),
    ("renew", "certs renew"),
    ("explian", "explain"),
    ("shadow", "rollout start --shadow"),
)


@pytest.mark.parametrize(("word", "command"), WORDS)
def test_an_unknown_command_names_the_command_with_its_task(
    word: str, command: str, capsys: Out
) -> None:
    assert cli.main([word]) == 2
    printed = capsys.readouterr().err
    assert f"No such command '{word}'. Did you mean '{command}'?" in printed


def test_each_suggested_command_exists(capsys: Out) -> None:
    known: Any = usage_hints._COMMANDS  # pyright: ignore[reportPrivateUsage]
    for command in {command for _, command in WORDS} | {*known.values()}:
        words = command.split()
        assert cli.main(words if command == "--version" else [*words, "--help"]) == 0, command
        capsys.readouterr()


OPTIONS = (
    ("policy rollout start --percentage 10", "--share"),
    ("certs ca --name x", "--common-name"),
    ("inject --file a.yaml", "--filename"),
    ("inject --injectConfigMapName x", "--config cluster"),
    ("inject --release 1.30", "--istio-release"),
    ("policy push --stack a", "--config stack:NAME"),
    # Of 0.1
    ("push --stack-name a", "--config stack:NAME"),
    ("history --bucket a", "--config stack:NAME"),
    ("policy pull a --bundle-prefix a", "--config stack:NAME"),
    ("explain --bundle a", "--config FOLDER?"),
    ("compare --policy a", "--config FOLDER?"),
    ("push --bundle a", "FOLDER?"),
    ("policy sign --policy a", "FOLDER?"),
    ("register --bundle a", "FOLDER?"),
    ("tokens list --store file:a", "--config FOLDER"),
    ("diff --store a", "--config FOLDER"),
    ("register --guard", "--sidecar-check"),
    ("compare --from-cluster", "--config cluster"),
    ("tokens issue --validity 3", "--expires"),
    ("tokens list --validity 3", ""),
    ("status --ns shop", "--namespace"),
    ("explain --all pod", "--all-namespaces"),
)


@pytest.mark.parametrize(("line", "option"), OPTIONS)
def test_an_unknown_option_names_the_option_with_its_meaning(
    line: str, option: str, capsys: Out
) -> None:
    assert cli.main(line.split()) == 2
    printed = capsys.readouterr().err
    assert "No such option" in printed
    assert (f"Did you mean {option}" in printed) == bool(option)


def all_commands(command: click.Command) -> list[click.Command]:
    if not isinstance(command, click.Group):
        return [command]
    context = click.Context(command)
    children = [command.get_command(context, name) for name in command.list_commands(context)]
    return [leaf for child in children if child is not None for leaf in all_commands(child)]


def test_each_group_of_options_has_one_of_podgraft() -> None:
    options = {name for each in all_commands(cli.podgraft) for p in each.params for name in p.opts}
    for words in usage_hints._OPTIONS:  # pyright: ignore[reportPrivateUsage]
        assert words & options, words


@pytest.mark.parametrize("command", ["inject", "uninject", "diff a"])
def test_a_second_file_needs_a_second_option(
    command: str, capsys: Out, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(name).touch()

    assert cli.main([*command.split(), "-f", "a", "b"]) == 2
    assert "use -f once for each file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "remedy"),
    [("rollback", "podgraft history"), ("tokens revoke", "podgraft tokens list")],
)
def test_a_missing_argument_names_the_command_that_prints_it(
    command: str, remedy: str, capsys: Out
) -> None:
    assert cli.main(command.split()) == 2
    assert f"'. {remedy} prints it.\n" in capsys.readouterr().err


def test_explain_names_the_form_of_a_target_and_of_files(capsys: Out, tmp_path: Path) -> None:
    (tmp_path / "a").touch()

    assert cli.main(["explain", "-f", f"{tmp_path}/a", "b"]) == 2
    assert "give either TARGET or -f; use -f once for each file" in capsys.readouterr().err
    assert cli.main(["explain", "-f", f"{tmp_path}/a", "-A"]) == 2
    assert "-A and -l: only with TARGET" in capsys.readouterr().err


def test_a_target_without_a_type_has_an_example(
    capsys: Out, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
        "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
        "clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "users: [{name: a, user: {}}]\n"
    )
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))

    assert cli.main(["explain", "web"]) == 1
    printed = capsys.readouterr().err
    assert "web: unknown type; write TYPE/NAME, such as pod/web, with one of the types" in printed
