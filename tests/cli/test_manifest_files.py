"""``-f`` has one rule in all commands: repeatable, folders, standard input; no file is dropped."""

import errno
import io
import os
from pathlib import Path

import click
import pytest

from podgraft import cli
from podgraft.cli.manifest_files import ManifestPath, join_streams
from podgraft.kube import yaml

SAMPLES = Path(__file__).parents[2] / "samples"
ISTIO = ("--config", str(SAMPLES / "istio" / "bundle"))
LOGGING = ("--config", str(SAMPLES / "logging" / "bundle"))
RULES = ("--config", str(SAMPLES / "allow" / "bundle"))
POD = """apiVersion: v1
kind: Pod
metadata: {{name: {0}, annotations: {{logging.example.com/path: /var/log}}}}
spec: {{containers: [{{name: app, image: "app:1"}}]}}
"""
Out = pytest.CaptureFixture[str]

# Each command with -f.
COMMANDS = (
    ("inject", *ISTIO),
    ("inject", "--webhook", *ISTIO),
    ("uninject",),
    ("explain", *ISTIO),
    ("explain", "-o", "yaml", "--pods", *LOGGING),
    ("explain", "-o", "json", *RULES),
    ("policy", "diff", "istio", "--config", "store", "--injector", "new"),
)
NAMES = ("one", "two", "three")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file, a folder, and a subfolder, each with one pod; as working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pods" / "more").mkdir(parents=True)
    (tmp_path / "store").mkdir()
    (tmp_path / "istio").symlink_to(SAMPLES / "istio")
    for name, path in zip(NAMES, ("one.yaml", "pods/two.yml", "pods/more/three.json"), strict=True):
        (tmp_path / path).write_text(POD.format(name))
    (tmp_path / "pods" / "notes.txt").write_text("no manifest")
    return tmp_path


def run(capsys: Out, *arguments: str) -> tuple[int, str]:
    """Run a command; return its status, and the text of both outputs."""
    status = cli.main(arguments)
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def find_leaf(words: tuple[str, ...]) -> click.Command:
    """The command of these words, without its options."""
    command: click.Command | None = cli.podgraft
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
    assert command is not None
    return command


def all_commands(
    command: click.Command, words: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        return [(words, command)]
    context = click.Context(command)
    return [
        leaf
        for name in command.list_commands(context)
        if (child := command.get_command(context, name)) is not None
        for leaf in all_commands(child, (*words, name))
    ]


def test_each_command_with_f_has_the_one_rule_and_a_case() -> None:
    """A new command with ``-f`` needs a row in ``COMMANDS``.

    ``policy edit`` opens an editor, and ``doctor`` reads registrations alone.
    """
    others = (("policy", "edit"), ("doctor",))
    tested = {find_leaf(command).name for command in COMMANDS}
    for words, command in all_commands(cli.podgraft):
        option = next((each for each in command.params if "-f" in each.opts), None)
        if option is None:
            continue
        assert isinstance(option.type, ManifestPath), words
        assert option.multiple, words
        assert any("-R" in each.opts for each in command.params), words
        assert command.name in tested or words in others, words


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("folder")
def test_no_file_is_dropped(command: tuple[str, ...], capsys: Out) -> None:
    _, printed = run(capsys, *command, "-f", "one.yaml", "-f", "pods")
    assert ["one" in printed, "two" in printed, "three" in printed] == [True, True, False]

    _, printed = run(capsys, *command, "-R", "-f", "pods", "-f", "one.yaml")
    assert all(name in printed for name in NAMES)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("folder")
def test_standard_input_is_one_of_the_files(
    command: tuple[str, ...], capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(POD.format("typed")))

    _, printed = run(capsys, *command, "-f", "one.yaml", "-f", "-")
    assert "one" in printed
    assert "typed" in printed


ERRORS = (
    # files, and the message for them
    (("-f", "-", "-f", "-"), "standard input can be read once; use - once"),
    (("-f", "store"), "store: contains no .yaml, .yml, or .json file; name another, or use -R"),
    (("-f", "absent.yaml"), "absent.yaml: not found; check --filename"),
    (("-f", "one.yaml,pods"), "one.yaml,pods: not found; use -f once for each file"),
    (("-f", "https://example.com/a.yaml"), "is a URL; download it, or pipe it to -f -"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(("files", "message"), ERRORS, ids=lambda value: value[-1])
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_read_is_an_error(
    command: tuple[str, ...], files: tuple[str, ...], message: str, capsys: Out
) -> None:
    status, printed = run(capsys, *command, *files)
    assert status != 0
    assert message in " ".join(printed.split())


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_folder_that_cannot_be_read_is_an_error(
    folder: Path, command: tuple[str, ...], capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root can read each folder, so the system call fails here."""
    (folder / "pods" / "secret").mkdir()
    scan = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path).name == "secret":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    status, printed = run(capsys, *command, "-f", "pods", "-R")
    assert status != 0
    assert "pods/secret: permission denied; change its permissions" in printed


@pytest.mark.parametrize("command", [each for each in COMMANDS if "inject" not in each[0]])
def test_an_object_without_a_kind_is_an_error(
    folder: Path, command: tuple[str, ...], capsys: Out
) -> None:
    (folder / "pods" / "values.yaml").write_text("replicas: 1\n")

    status, printed = run(capsys, *command, "-f", "pods")
    assert status != 0
    assert "pods/values.yaml: expected a Kubernetes object, got one without apiVersion" in printed


def test_several_files_become_one_stream(folder: Path, capsys: Out) -> None:
    (folder / "one.yaml").write_text(POD.format("one").rstrip("\n"))

    assert cli.main(["inject", "-f", "one.yaml", "-f", "pods", *ISTIO, "-o", "out.yaml"]) == 0
    assert "injected 2 of 2 workloads" in capsys.readouterr().err
    injected = (folder / "out.yaml").read_text()
    assert injected.count("istio-proxy") >= 2
    assert cli.main(["uninject", "-f", "out.yaml", "-f", "one.yaml", "-o", "back.yaml"]) == 0
    assert "removed sidecars from 2 of 3 workloads" in capsys.readouterr().err
    restored = [each for each in yaml.load_all((folder / "back.yaml").read_text()) if each]
    assert restored == [yaml.load(POD.format(name)) for name in ("one", "two", "one")]


STREAMS = (
    (("a: 1",), "a: 1"),
    (("a: 1", "b: 2\n"), "a: 1\n---\nb: 2\n"),
    (("a: 1\n---\n", "b: 2"), "a: 1\n---\nb: 2"),
    (("", "b: 2"), "\nb: 2"),
)


@pytest.mark.parametrize(("texts", "joined"), STREAMS)
def test_joined_streams_have_one_separator(texts: tuple[str, ...], joined: str) -> None:
    assert join_streams(texts) == joined
