"""The scripts that are left for their users run the commands of podgraft."""

import subprocess
import sys
from pathlib import Path

import pytest

from podgraft.cli import main

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize("name", ["certs", "register"])
def test_a_script_is_its_command(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # both wrap their help at the same width
    assert main([name, "--help"]) == 0
    expected = capfd.readouterr().out
    assert expected.startswith(f"Usage: podgraft {name} ")
    assert run(name, "--help") == (0, expected, "")


@pytest.mark.parametrize(
    ("name", "arguments", "status", "message"),
    [
        # A failed command, a wrong command line, and a status for monitoring
        ("certs", ("bundle", __file__), 1, "error: "),
        ("register", ("--url", "http://a.example"), 1, "error: "),
        ("certs", ("absent",), 2, "No such command 'absent'"),
        ("certs", ("inspect", __file__), 3, "error: "),
    ],
)
def test_a_script_ends_with_the_status_of_its_command(
    name: str, arguments: tuple[str, ...], status: int, message: str
) -> None:
    ended, out, err = run(name, *arguments)
    assert (ended, out) == (status, "")
    assert message in err
    assert "Traceback" not in err


def run(name: str, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr
