"""Defaults of the project file and the environment, and the options of the AWS account."""

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from podgraft.cli import main, podgraft
from podgraft.cli.aws_options import aws_options, format_aws_options, make_session
from podgraft.cli.policy.target import TargetOptions, target_options
from podgraft.cli.project import KEYS, find_project_file, load_defaults

Resolve = Callable[..., TargetOptions]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def resolve() -> Resolve:
    """The options of a command of policy, with the project file of the working folder."""
    found: list[TargetOptions] = []

    @click.command()
    @target_options
    def show(options: TargetOptions) -> None:
        found.append(options)

    def _resolve(*arguments: str) -> TargetOptions:
        defaults = load_defaults(None)["policy"]
        show.main(arguments, standalone_mode=False, default_map=defaults)
        return found.pop()

    return _resolve


def _write(text: str) -> None:
    Path("podgraft.toml").write_text(text)


def test_the_project_file_sets_defaults(resolve: Resolve) -> None:
    _write('config = "stack:podgraft-dev"\ninjector = "istio"\n')

    options = resolve()

    assert (options.stack_name, options.injector) == ("podgraft-dev", "istio")


def test_the_environment_replaces_the_project_file(
    resolve: Resolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write('config = "stack:podgraft-dev"\ninjector = "istio"\n')
    monkeypatch.setenv("PODGRAFT_CONFIG", "stack:podgraft-test")

    assert resolve().stack_name == "podgraft-test"
    assert resolve("--config", "stack:podgraft").stack_name == "podgraft"
    assert resolve("--injector", "logging").injector == "logging"


def test_options_of_the_command_line_replace_the_other_kind_of_target(resolve: Resolve) -> None:
    _write('config = "stack:podgraft-dev"\n')
    options = resolve("--parameter-prefix", "/q")
    assert (options.stack_name, options.parameter_prefix) == (None, "/q")

    _write('parameter-prefix = "/p"\n')
    assert resolve().parameter_prefix == "/p"
    options = resolve("--config", "stack:podgraft")
    assert (options.stack_name, options.parameter_prefix) == ("podgraft", None)


def test_two_kinds_on_the_command_line_are_an_error(resolve: Resolve) -> None:
    with pytest.raises(click.UsageError, match="--config replaces --parameter-prefix"):
        resolve("--config", "stack:podgraft", "--parameter-prefix", "/p")


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "a"):
        (folder / "podgraft.toml").write_text("")
    assert find_project_file(inner) == tmp_path / "a" / "podgraft.toml"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('stack = "podgraft"\n', "podgraft.toml: unknown key stack; did you mean config?"),
        ('stack-name = "podgraft"\n', "unknown key stack-name; did you mean config?"),
        ("injector = 5\n", "podgraft.toml: injector must be a nonempty string"),
        ("injector = \n", "podgraft.toml: Invalid value"),
        (f"config = {'[' * 20_000}", "podgraft.toml: "),
    ],
)
def test_an_invalid_project_file_is_an_error(
    text: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(text)
    assert main(["policy", "history"]) == 1
    assert error in capsys.readouterr().err
    assert main(["uninject", "--help"]) == 0  # other commands do not read the file


def test_another_file_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("prod.toml").write_text('unknown = "x"\n')
    assert main(["--project", "prod.toml", "policy", "history"]) == 1
    assert "prod.toml: unknown key unknown" in capsys.readouterr().err


def test_every_key_is_an_option_of_policy_or_tokens() -> None:
    context = click.Context(podgraft)
    names: set[str] = set()
    for group in ("policy", "tokens"):
        command = podgraft.get_command(context, group)
        assert isinstance(command, click.Group)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            names |= {option for each in subcommand.params for option in each.opts}
    assert {f"--{key}" for key in KEYS} <= names


def test_tokens_in_a_folder_ignore_the_stack_of_the_project_file() -> None:
    _write('config = "stack:podgraft-dev"\n')
    Path("store").mkdir()
    assert main(["tokens", "list", "--config", "store"]) == 0


def test_profile_and_region_select_the_session(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("config").write_text("[profile platform]\nregion = eu-west-1\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(Path("config").absolute()))
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.delenv("AWS_REGION", raising=False)

    @click.command()
    @aws_options
    def show() -> None:
        session = make_session()
        click.echo(f"{session.profile_name} {session.region_name} [{format_aws_options()}]")

    def run(*arguments: str) -> str:
        show.main(arguments, standalone_mode=False)
        return capsys.readouterr().out.strip()

    assert run("--profile", "platform") == "platform eu-west-1 [--profile platform]"
    both = "--profile platform --region us-east-1"
    assert run(*both.split()) == "platform us-east-1 [--profile platform --region us-east-1]"
    assert run() == "default None []"


def test_errors_of_the_client_have_a_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    assert main(["policy", "history", "--config", "stack:podgraft"]) == 1
    assert "set --region, AWS_REGION, or region in podgraft.toml" in capsys.readouterr().err
    assert main(["policy", "history", "--config", "stack:podgraft", "--profile", "nobody"]) == 1
    assert "aws configure list-profiles" in capsys.readouterr().err
