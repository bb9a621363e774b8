"""Names of injectors and clusters: every command accepts and rejects the same ones."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from podgraft.cli import main, podgraft
from podgraft.core.identifiers import check_cluster, check_injector

INVALID = "Not/valid"
# What a command requires in addition, to get as far as the names.
ARGUMENTS = {
    "explain": ("-f", "pod.yaml", "--config", "bundle"),
    "inject": ("-f", "pod.yaml", "--config", "bundle"),
    "policy allows": ("folder",),
    "policy export": ("--config", "bundle"),
    "policy pull": ("out", "--parameter-prefix", "/p"),
    "policy rollback": ("1", "--parameter-prefix", "/p"),
    "policy rollout step": ("5", "--parameter-prefix", "/p"),
    "policy sign": (".", "--sign-key", "pod.yaml"),
    "register": ("--url", "https://webhook.example.com"),
    "tokens allow": ("CN=a",),
    "tokens forbid": ("CN=a",),
    "tokens revoke": ("0123",),
}


# Their clusters must be in the fleet file, which has the one rule.
FROM_FILE = {"fleet extend", "fleet rotate"}


def find_commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        inner = command.get_command(context, word)
        assert inner is not None
        yield from find_commands(f"{name} {word}".strip(), inner)


CASES = [
    (name, option)
    for name, command in find_commands("", podgraft)
    for parameter in command.params
    for option in parameter.opts
    if option in {"--injector", "--cluster"} and name not in FROM_FILE
]


def test_the_commands_with_names() -> None:
    assert {("policy push", "--injector"), ("explain", "--cluster")} <= {*CASES}
    assert len(CASES) > 15


@pytest.mark.parametrize(("name", "option"), CASES)
def test_an_invalid_name_has_the_same_message_everywhere(
    name: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bundle").mkdir()
    Path("pod.yaml").write_text("{}")
    group = name.partition(" ")[0]
    more = ("--parameter-prefix", "/p") if group == "policy" and name not in ARGUMENTS else ()
    store = ("--config", ".") if group == "tokens" else ()

    status = main([*name.split(), *ARGUMENTS.get(name, ()), *more, *store, option, INVALID])

    check = check_injector if option == "--injector" else check_cluster
    with pytest.raises(ValueError, match=f'{option[2:]}: got "{INVALID}"') as caught:
        check(INVALID)
    assert status in {1, 2}
    assert f"error: {caught.value}\n" in capsys.readouterr().err
