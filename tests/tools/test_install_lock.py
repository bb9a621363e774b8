"""Locks are installed with progress, and the demo installs only its own lock."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import install_lock
from install_lock import Progress
from supply_chain.pins import read_pins

ROOT = Path(__file__).parents[2]
PIP = """\
Collecting click==8.5.1 (from -r requirements/demo.txt (line 3))
  Using cached click-8.5.1-py3-none-any.whl (98 kB)
Requirement already satisfied: PyYAML==6.0.3 in ./lib (from -r requirements/demo.txt (line 9))
Ignoring colorama: markers 'sys_platform == "win32"' don't match your environment
Collecting flask==3.1.3 (from -r requirements/demo.txt (line 5))
Installing collected packages: click, flask
Successfully installed click-8.5.1 flask-3.1.3
"""


@pytest.mark.parametrize(
    ("is_terminal", "expected"),
    [
        (
            False,
            (
                "lock: package 1 of 4\nlock: package 2 of 4\nlock: package 3 of 4\n"
                "lock: package 4 of 4\nlock: installing\n"
            ),
        ),
        (
            True,
            (
                "\r\x1b[Klock: package 1 of 4: click\r\x1b[Klock: package 2 of 4: PyYAML"
                "\r\x1b[Klock: package 3 of 4: colorama\r\x1b[Klock: package 4 of 4: flask"
                "\rlock: installing\n"
            ),
        ),
    ],
)
def test_the_output_of_pip_becomes_progress(is_terminal: bool, expected: str) -> None:
    progress = Progress("lock", 4, is_terminal)
    assert (
        "".join(text for line in PIP.splitlines() for text in progress.read_line(line)) == expected
    )


def test_a_long_lock_prints_four_lines_without_a_terminal() -> None:
    progress = Progress("lock", 105, is_terminal=False)
    lines = [text for n in range(105) for text in progress.read_line(f"Collecting a{n}==1")]
    assert [int(re.findall(r"package (\d+)", line)[0]) for line in lines] == [27, 53, 79, 105]


def test_a_failure_prints_the_output_of_pip(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text("click==8.5.1 \\\n    --hash=sha256:00\n")
    pip = "import sys; print('ERROR: hashes differ'); sys.exit(3)"
    assert install_lock.install([sys.executable, "-c", pip], Progress("lock.txt", 1, False)) == 3
    assert capfd.readouterr().err == "\nERROR: hashes differ\nlock.txt: pip failed\n"


def test_pip_verifies_hashes_and_installs_wheels_only() -> None:
    assert {"--require-hashes", "--only-binary=:all:", "--no-deps"} <= set(install_lock.INSTALL)


def make_commands(target: str, tmp_path: Path) -> str:
    """What make runs for a target in a copy of the Makefile without environments."""
    for name in ("Makefile", "pyproject.toml", "packaging", "tools"):
        (tmp_path / name).symlink_to(ROOT / name)
    command = ["make", "--dry-run", "--no-print-directory", target]
    return subprocess.run(
        command,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
    ).stdout


def test_the_demo_installs_its_lock_and_setup_adds_the_rest(tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    setup = tmp_path / "setup"
    for folder in (demo, setup):
        folder.mkdir()
    installed = re.compile(r"packaging/requirements/\w+\.txt")
    assert installed.findall(make_commands("demo", demo)) == ["packaging/requirements/demo.txt"]
    assert installed.findall(make_commands("setup", setup)) == [
        "packaging/requirements/demo.txt",
        "packaging/requirements/dev.txt",
    ]


def test_the_versions_of_the_demo_are_those_of_setup() -> None:
    """Or make setup would replace them."""
    demo, dev = (
        {
            pin.name: pin.version
            for pin in read_pins(ROOT / "packaging" / "requirements" / f"{name}.txt")
        }
        for name in ("demo", "dev")
    )
    assert len(demo) > 10
    assert demo.items() <= dev.items()


@pytest.mark.parametrize(
    ("has_pip", "version", "expected"),
    [
        (True, (), ["PYTHON", "-m", "pip"]),
        (False, (22, 3), [sys.executable, "-m", "pip", "--python", "PYTHON"]),
        (False, (22, 2), ["PYTHON", "-m", "pip"]),
        (False, (), ["PYTHON", "-m", "pip"]),
    ],
)
def test_an_environment_without_pip_uses_that_of_this_python(
    has_pip: bool, version: tuple[int, ...], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[Sequence[str]] = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command[1:3])
        return subprocess.CompletedProcess(command, 0 if has_pip else 1)

    monkeypatch.setattr("install_lock.subprocess.run", run)
    monkeypatch.setattr("install_lock._find_pip_version", lambda: version)
    assert install_lock.find_pip("PYTHON") == expected
    needs_pip = not has_pip and version < (22, 3)
    assert (["-m", "ensurepip"] in [list(command) for command in commands]) == needs_pip


def test_the_version_of_pip_has_two_numbers() -> None:
    version = install_lock._find_pip_version()  # pyright: ignore[reportPrivateUsage]
    assert version == () or len(version) == 2
