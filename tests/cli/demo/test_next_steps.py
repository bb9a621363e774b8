"""The next steps that a demo prints work as printed, and the demo replaces only its own folder."""

import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from podgraft import cli
from podgraft.cli.demo import next_steps
from podgraft.cli.demo.next_steps import Outcome, find_program
from podgraft.cli.demo.work_folder import read_server

_STEP = re.compile(r"^  \$ (.*)$", re.MULTILINE)


def read_steps(sample: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    assert cli.main(["demo", sample]) == 0
    printed = capfd.readouterr().out
    _, found, rest = printed.partition(f"Next: the files of this demo are in build/demo/{sample}")
    assert found
    return _STEP.findall(rest)


@pytest.mark.parametrize(
    ("sample", "commands"),
    [
        ("istio", ["explain", "check", "inject", "serve", "register", "demo"]),
        ("allow", ["explain", "check", "serve", "register", "demo"]),  # Deployments only
        ("require-limits", ["explain", "check", "serve", "register", "demo"]),  # rules only
        ("logging", ["explain", "check", "inject", "serve", "register", "demo"]),
    ],
)
def test_the_next_steps_work_as_printed(
    sample: str,
    commands: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    steps = read_steps(sample, capfd)
    prefix = f"{find_program()} "
    assert all(step.startswith(prefix) for step in steps)
    arguments = [shlex.split(step.removeprefix(prefix)) for step in steps]

    assert [words[0] for words in arguments] == commands
    for words in arguments:
        if words[0] == "serve":
            serve_once(words)
        else:
            expected = {0, 3, 4} if words[0] == "explain" else {0}
            assert cli.main(words) in expected, words


def test_the_next_steps_work_after_a_demo_of_another_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    steps = read_steps("istio", capfd)
    another = shlex.split(steps[-1].removeprefix(f"{find_program()} "))
    assert another[0] == "demo"
    assert cli.main(another) == 0

    for step in steps[:-1]:
        words = shlex.split(step.removeprefix(f"{find_program()} "))
        if words[0] == "serve":
            serve_once(words)
        else:
            assert cli.main(words) == 0, words


def serve_once(words: list[str]) -> None:
    """Start the server of a step, on a free port instead of 8443, and stop it."""
    assert words[-2:] == ["--port", "8443"]
    command = [sys.executable, "-m", "podgraft", *words[:-1], "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout
            assert "podgraft listens on https://127.0.0.1:" in server.stdout.readline()
        finally:
            server.terminate()


def test_the_program_is_printed_as_the_user_calls_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name if PATH finds this installation, else by a path that works here."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "podgraft").touch(mode=0o755)
    monkeypatch.setattr(next_steps.sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", "/nowhere")

    monkeypatch.chdir(tmp_path)
    assert find_program() == ".venv/bin/podgraft"
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert find_program() == str(programs / "podgraft")
    monkeypatch.setenv("PATH", str(programs))
    assert find_program() == "podgraft"
    (programs / "podgraft").unlink()
    assert find_program() == f"{programs / 'python'} -m podgraft"


def test_the_explained_object_is_one_that_a_patch_changed(tmp_path: Path) -> None:
    outcomes = [
        Outcome("a.yaml", "Pod", is_patched=False),
        Outcome("b.yaml", "Pod", is_patched=True),
        Outcome("c.yaml", "Pod", is_patched=False),
    ]
    steps = list(next_steps.find_next_steps("istio", tmp_path, outcomes, ["allow"]))

    assert f"-f {tmp_path}/b.yaml" in steps[0][1]


def test_a_demo_replaces_only_the_folder_of_a_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine", "notes.txt").write_text("notes")
    assert cli.main(["demo", "logging", "--dir", "mine"]) == 1
    problem = "error: mine: contains files that no demo created; use another folder with --dir\n"
    assert capfd.readouterr().err == problem
    assert Path("mine", "notes.txt").read_text() == "notes"

    assert cli.main(["demo", "logging", "--dir", "new"]) == 0
    Path("new", "edited").touch()
    assert cli.main(["demo", "logging", "--dir", "new"]) == 0
    assert not Path("new", "edited").exists()
    assert Path("new").stat().st_mode & 0o777 == 0o700


def test_a_step_that_fails_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("podgraft.cli.demo.command.CLUSTER", "not/valid")
    assert cli.main(["demo", "logging"]) == 1
    printed = capfd.readouterr().err
    assert printed.startswith("error: podgraft tokens issue --cluster not/valid")
    assert "Traceback" not in printed


def test_register_reads_the_folder_of_a_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """``register --config FOLDER`` knows URL, CA, injector, cluster, and token, and tests them."""
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "podgraft", "demo", "hello", "--keep", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        try:
            step = next(line for line in demo.stdout if "register --config" in line)
            words = shlex.split(step.partition(" | ")[0].partition("podgraft ")[2])
            assert words[:3] == ["register", "--config", "build/demo/hello"]
            assert cli.main(words) == 0
        finally:
            demo.terminate()
    assert demo.returncode == 128 + signal.SIGTERM
    url = urlsplit(read_server(tmp_path / "build" / "demo" / "hello").url)
    with pytest.raises(ConnectionRefusedError):  # the server ended, too
        socket.create_connection((url.hostname, url.port))
    printed = capfd.readouterr()
    assert "/hello/inject" in printed.out
    assert "podgraft: hello" not in printed.err
    assert cli.main(["register", "--config", str(tmp_path), "--all-namespaces"]) == 1
    assert "is not the folder of a demo" in capfd.readouterr().err
