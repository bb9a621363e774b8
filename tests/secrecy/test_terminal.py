"""No command lets the text of an object control the terminal."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any, cast

import click
import pytest

from podgraft import cli
from podgraft.cli import terminal
from podgraft.cli.terminal import EscapingStream, escape_controls, style
from podgraft.kube import yaml
from secrecy.test_commands import LIVE, POD, RUNS, Run, live_objects, place, write
from support.fake_cluster import use_cluster

HOSTILE = "t\x1b]0;pwned\x07\x1b[31m\x1b[2K\r\x9b1A\u202eevil\u2069"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Only these print documents for another program: their scalars are data. YAML escapes controls.
DOCUMENTS = re.compile(r"podgraft (un)?inject|-o yaml")
BIDI = re.compile("[\u202e\u2069]")
KEYS = (
    "inject.istio.io/templates",
    "proxy.istio.io/config",
    "sidecar.istio.io/proxyImageType",
    "sidecar.istio.io/proxyCPU",
    "sidecar.istio.io/inject",
    "example.com/a",
)
__all__ = ["place"]


def make_hostile(key: str) -> str:
    metadata = {**POD["metadata"], "annotations": {**POD["metadata"].get("annotations", {})}}
    metadata["annotations"][key] = HOSTILE
    return yaml.dump({**POD, "metadata": metadata})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_styles_are_printed_and_texts_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    output = Terminal()
    EscapingStream(output).write(f"{style(HOSTILE, fg='red')}\n\tend")
    assert output.getvalue() == f"\x1b[31m{escape_controls(HOSTILE)}\x1b[0m\n\tend"
    plain = io.StringIO()
    EscapingStream(plain).write(style(HOSTILE, fg="red"))
    assert plain.getvalue() == escape_controls(HOSTILE)


def test_a_text_without_styles_is_that_of_a_file() -> None:
    text = f"{terminal.style('red', fg='red', bold=True)} \x1b[31m\n"

    assert terminal.unstyle(text) == "red \\x1b[31m\n"


def test_the_mark_of_a_style_is_a_secret_of_the_process() -> None:
    output = Terminal()
    EscapingStream(output).write(f"\x1b{'0' * 32}[31m")
    assert output.getvalue() == f"\\x1b{'0' * 32}[31m"


def test_a_document_is_unchanged_unless_a_terminal_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for output, expected in ((io.StringIO(), HOSTILE), (Terminal(), escape_controls(HOSTILE))):
        monkeypatch.setattr(sys, "stdout", EscapingStream(output))
        terminal.write_document(HOSTILE)
        assert output.getvalue() == expected


def test_a_new_command_cannot_forget_it(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def command() -> None:
        click.echo(HOSTILE)
        click.secho(HOSTILE, err=True)
        print(HOSTILE)  # noqa: T201 - what a command should not do
        sys.stderr.writelines([HOSTILE])
        raise click.UsageError(HOSTILE)

    cli.program.run(command, [], "podgraft")
    out, err = capsys.readouterr()
    assert out == f"{escape_controls(HOSTILE)}\n" * 2
    assert escape_controls(HOSTILE) in err
    assert not CONTROLS.search(err)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.command_line[:60])
@pytest.mark.shows_secrets("the objects of these runs contain planted secrets")
def test_no_command_prints_controls_of_an_object(
    case: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    is_of_pod = "pod.yaml" in case.command_line or "test ." in case.command_line
    for key in KEYS if is_of_pod and "pod.yaml" not in case.files else KEYS[:1]:
        write(
            {**case.files, **({} if "pod.yaml" in case.files else {"pod.yaml": make_hostile(key)})}
        )
        cli.main(case.command_line.split()[1:])
        out, err = capfd.readouterr()
        if DOCUMENTS.search(case.command_line):
            out = BIDI.sub("", out)
        assert not CONTROLS.search(out), out
        assert not CONTROLS.search(err), err


@pytest.mark.usefixtures("place")
def test_explain_prints_escapes(capfd: pytest.CaptureFixture[str]) -> None:
    write({"pod.yaml": make_hostile(KEYS[0])})
    cli.main(["explain", "-f", "pod.yaml", "--config", "bundle"])
    assert "\\x1b]0;pwned\\x07\\x1b[31m" in "".join(capfd.readouterr())


@pytest.mark.usefixtures("place")
@pytest.mark.shows_secrets("the live objects contain planted secrets")
def test_live_commands_print_no_controls(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every text of the cluster is hostile, except what the commands are asked for."""
    use_cluster(monkeypatch, make_hostile_texts(live_objects()))
    written = ""
    for line, _ in LIVE:
        cli.main(line.split()[1:])
        written += "".join(capfd.readouterr())
    assert "\\x1b]0;pwned" in written
    assert not CONTROLS.search(written)


def make_hostile_texts(value: Any) -> Any:
    """The value with the hostile text at the end of images, annotations, and other free texts."""
    match value:
        case dict():
            members = cast("dict[str, Any]", value)
            return {
                key: f"{each}{HOSTILE}"
                if isinstance(each, str) and key not in {"name", "namespace", "kind", "url"}
                else make_hostile_texts(each)
                for key, each in members.items()
            }
        case list():
            return [*map(make_hostile_texts, cast("list[Any]", value))]
        case _:
            return value


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", ["explain", "inject", "uninject"])
def test_the_names_of_files_are_escaped(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    name = f"{HOSTILE}.yaml"
    Path(name).write_text("a: [", encoding="utf-8")
    for path in (name, f"absent-{name}"):
        bundle = [] if command == "uninject" else ["--config", "bundle"]
        assert cli.main([command, "-f", path, *bundle]) != 0
        out, err = capfd.readouterr()
        assert "\\x1b]0;pwned\\x07" in err
        assert not CONTROLS.search(out + err)
