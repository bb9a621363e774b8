"""How commands end: an exit status, and a message for each known error."""

import errno
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from podgraft.cli import podgraft, program, terminal
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.core.identifiers import IdentifierError
from support.programs import PYTHON

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"


def run_failing(error: BaseException) -> int:
    """Run a command that raises *error*."""

    @click.command()
    def command() -> None:
        raise error

    return program.run(command, [], "podgraft test")


@pytest.mark.parametrize(
    ("closed", "command", "status"),
    [
        (">&-", "--version", 0),
        ("2>&-", "history", 2),
        ("<&-", f"inject -f - --config '{SAMPLE}'", 0),
    ],
)
def test_a_closed_stream_is_an_empty_one(closed: str, command: str, status: int) -> None:
    """As cron and daemons can start a command."""
    line = f"{PYTHON} -m podgraft {command} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == status


@pytest.mark.parametrize("reader", ["| true", "| head -n 1", "> /dev/full"])
def test_a_reader_that_ends_early_gets_no_second_error(reader: str) -> None:
    command = f"explain -f '{SAMPLE}/input.web.yaml' --config '{SAMPLE}'"
    line = f"unset PYTHONUNBUFFERED; {PYTHON} -m podgraft {command} {reader}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert "Exception ignored" not in done.stderr
    assert ("error: No space left on device" in done.stderr) is (reader == "> /dev/full")
    assert done.returncode == (1 if reader == "> /dev/full" else 0)


def test_a_question_without_a_terminal_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def command() -> None:
        click.confirm("Continue?", abort=True)

    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert program.run(command, [], "podgraft test") == 1
    problem = "standard input: ended before an answer; run the command on a terminal"
    assert capsys.readouterr().err.startswith(f"\nerror: {problem}")


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (CommandError("a: b; c"), 1, "error: a: b; c\n"),
        (
            OSError(errno.ENOEXEC, "Exec format error", "kubectl"),
            1,
            "error: kubectl: Exec format error; correct this, then run the command again\n",
        ),
        (click.UsageError("no such option"), 2, "no such option\n"),
        (click.Abort(), 130, "podgraft test: interrupted\n"),
        (
            ModuleNotFoundError("", name="cryptography.x509"),
            1,
            "cryptography is missing; run make setup, or install it with pip\n",
        ),
    ],
)
def test_an_error_ends_with_its_status_and_message(
    error: BaseException, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_failing(error) == status
    assert capsys.readouterr().err.endswith(message)


def end_by(number: int, done: list[str]) -> None:
    """Run a command that a signal ends; *done* is what the command did."""

    @click.command()
    def command() -> None:
        try:
            os.kill(os.getpid(), number)
            done.append("continued")
        finally:
            done.append("cleaned up")

    program.run(command, [], "podgraft test")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_cleans_up_before_a_signal_ends_it(number: signal.Signals) -> None:
    done: list[str] = []
    before = signal.signal(number, signal.SIG_DFL)  # nohup ignores SIGHUP
    try:
        with pytest.raises(SystemExit) as caught:
            end_by(number, done)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert caught.value.code == 128 + number
    assert done == ["cleaned up"]


def test_a_command_ignores_the_signals_that_its_parent_ignores() -> None:
    done: list[str] = []
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        end_by(signal.SIGHUP, done)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert done == ["continued", "cleaned up"]


def test_a_bug_retains_its_traceback() -> None:
    with pytest.raises(ModuleNotFoundError):
        run_failing(ModuleNotFoundError("", name="podgraft.absent"))
    with pytest.raises(ZeroDivisionError):
        run_failing(ZeroDivisionError())


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (FileNotFoundError(errno.ENOENT, "", "a.pem"), "a.pem: not found; check the path"),
        (
            FileExistsError(errno.EEXIST, "", "a", None, "b"),
            "b: exists already; remove it, or use another path",
        ),
        (IsADirectoryError(errno.EISDIR, "", "a"), "a: is a folder; use the path of a file"),
        (
            NotADirectoryError(errno.ENOTDIR, "", "a/b"),
            "a/b: is not a folder, or has a parent that is not one; use another path",
        ),
        (
            PermissionError(errno.EACCES, "", "a"),
            "a: permission denied; change its permissions",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "a"),
            "a: No space left on device; correct this, then run the command again",
        ),
        (IdentifierError("cluster: b; c"), "cluster: b; c"),
        (CommandError("a: b; c"), "a: b; c"),
    ],
)
def test_known_errors_are_converted(error: Exception, message: str) -> None:
    with pytest.raises(CommandError) as caught, convert_errors(IdentifierError):
        raise error
    assert str(caught.value) == message


def test_a_package_that_only_some_commands_need_is_named_if_it_is_missing() -> None:
    """The other commands work without it."""
    text = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from podgraft.cli import main\n"
        "assert main(['inject', '--help']) == 0\n"
        "sys.exit(main(['certs', '--help']))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "error: podgraft certs: the Python package cryptography is missing; "
    )


def test_help_names_every_command_without_importing_it() -> None:
    text = (
        "import sys\nfrom podgraft.cli import main\nassert main(['--help']) == 0\n"
        "print([name for name in ('boto3', 'cryptography', 'flask') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    named = set(re.findall(r"[a-z-]+", done.stdout))
    listed = {*podgraft.list_commands(click.Context(podgraft))}
    assert {"explain", "certs", "demo", "register", "tokens", "check"} < listed <= named


def test_a_check_imports_no_runner_of_tests_and_no_signer_if_the_bundle_has_no_tests() -> None:
    """They take a third of its time."""
    unneeded = (
        "boto3",
        "cryptography",
        "flask",
        "podgraft.cli.explain",
        "podgraft.cli.test.runner",
    )
    text = (
        "import sys\nfrom podgraft.cli import main\n"
        f"assert main(['check', {str(SAMPLE)!r}]) == 0\n"
        f"print([name for name in {unneeded} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("value", "is_colored"), [(None, True), ("", True), ("1", False)])
def test_no_color_is_respected(
    value: str | None,
    is_colored: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a terminal, for the output and for errors; no-color.org."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    if value is not None:
        monkeypatch.setenv("NO_COLOR", value)

    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)

    @click.command()
    def command() -> None:
        terminal.secho("ok", fg="green")
        raise CommandError("a: b; c")

    assert program.run(command, [], "podgraft test") == 1
    out, err = capsys.readouterr()
    assert ("\x1b[" in out, "\x1b[" in err) == (is_colored, is_colored)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (CommandError("a: b; c"), 2),
        (ModuleNotFoundError("", name="cryptography.x509"), 2),
        (ZeroDivisionError("a bug"), 2),
        (click.UsageError("no such option"), 2),
        (click.Abort(), 130),
        (click.exceptions.Exit(1), 1),
    ],
)
def test_errors_of_a_comparison_are_no_difference(
    error: BaseException, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command(cls=program.ComparingCommand)
    def command() -> None:
        raise error

    assert program.run(command, [], "podgraft test") == status
    assert capsys.readouterr().out == ""
