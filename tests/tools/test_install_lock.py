"""Locks are installed with progress, and the demo installs only its own lock."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Sequence
from http.client import IncompleteRead
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
    assert install_lock.run_pip([sys.executable, "-c", pip], Progress("lock.txt", 1, False)) == 3
    assert capfd.readouterr().err == "\nERROR: hashes differ\nlock.txt: pip failed\n"


def test_pip_verifies_hashes_and_installs_wheels_only() -> None:
    assert {"--require-hashes", "--only-binary=:all:", "--no-deps"} <= set(install_lock.INSTALL)


def test_the_setting_of_a_user_does_not_install_elsewhere() -> None:
    """PIP_USER=1 fails in an environment."""
    assert "--no-user" in install_lock.INSTALL
    assert re.search(
        "^INSTALL_PROJECT := .* --no-user ", (ROOT / "Makefile").read_text(), re.MULTILINE
    )


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
        (False, (22, 2), [sys.executable, "WHEEL/pip", "--python", "PYTHON"]),
        (False, (), [sys.executable, "WHEEL/pip", "--python", "PYTHON"]),
    ],
)
def test_an_environment_without_pip_uses_that_of_this_python_or_the_locked_one(
    has_pip: bool, version: tuple[int, ...], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0 if has_pip else 1)

    def download(_lock: Path, _folder: Path) -> Path:
        return Path("WHEEL")

    monkeypatch.setattr("install_lock.subprocess.run", run)
    monkeypatch.setattr("install_lock._find_pip_version", lambda: version)
    monkeypatch.setattr("install_lock.download_pip", download)
    assert install_lock.find_pip("PYTHON") == expected


PIP_WHEEL = b"the wheel"
PIP_DIGEST = hashlib.sha256(PIP_WHEEL).hexdigest()
INDEX = {
    "https://pypi.org/simple/pip/": b'<a href="../../files/pip-9.1-py3-none-any.whl#sha256=0">',
    "https://pypi.org/files/pip-9.1-py3-none-any.whl": PIP_WHEEL,
    "https://mirror.example/simple/pip/": b'<a href="/pip-9.1-py3-none-any.whl">',
    "https://mirror.example/pip-9.1-py3-none-any.whl": PIP_WHEEL,
    "https://empty.example/pip/": b"",
}


def write_pip_lock(folder: Path, digest: str) -> Path:
    lock = folder / "dev.txt"
    lines = (f"--hash=sha256:{'0' * 64}", f"--hash=sha256:{digest}")
    lock.write_text(
        "pathable==0.6\npip==9.1 \\\n    " + " \\\n    ".join(lines) + "\n    # via x\n"
    )
    return lock


@pytest.mark.parametrize("index", ["", "https://mirror.example/simple/"])
def test_the_locked_pip_is_downloaded_once(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[str] = []

    def fetch(url: str) -> bytes:
        requests.append(url)
        return INDEX[url]

    monkeypatch.setattr("install_lock._fetch", fetch)
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    if index:
        monkeypatch.setenv("PIP_INDEX_URL", index)
    lock = write_pip_lock(tmp_path, PIP_DIGEST)
    wheel = install_lock.download_pip(lock, tmp_path / "tools")
    assert install_lock.download_pip(lock, tmp_path / "tools") == wheel
    assert wheel.read_bytes() == PIP_WHEEL
    assert len(requests) == 2
    wheel.write_bytes(PIP_WHEEL[:3])  # of an interrupted run
    assert install_lock.download_pip(lock, tmp_path / "tools").read_bytes() == PIP_WHEEL


@pytest.mark.parametrize(
    ("digest", "index", "problem"),
    [
        ("1" * 64, "", "pip-9.1-py3-none-any.whl does not have a hash of"),
        (PIP_DIGEST, "https://empty.example", "https://empty.example/pip/ has no pip-9.1-py3"),
        ("", "", "has no pip"),
    ],
)
def test_another_file_is_never_run(
    digest: str, index: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("install_lock._fetch", INDEX.__getitem__)
    monkeypatch.setenv("PIP_INDEX_URL", index or "https://pypi.org/simple")
    lock = write_pip_lock(tmp_path, digest)
    if not digest:
        lock.write_text("pathable==0.6\n")
    with pytest.raises(ValueError, match=re.escape(problem)):
        install_lock.download_pip(lock, tmp_path / "tools")
    assert not (tmp_path / "tools").exists()


def test_the_lock_of_this_project_has_pip() -> None:
    text = (ROOT / "packaging" / "requirements" / "dev.txt").read_text()
    assert len(install_lock.PIP.findall(text)) == 1


@pytest.mark.parametrize("error", [OSError("no route to host"), IncompleteRead(b"")])
def test_a_download_that_fails_names_the_remedy(
    error: Exception,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: str) -> list[str]:
        raise error

    monkeypatch.setattr("install_lock.find_pip", fail)
    lock = tmp_path / "lock.txt"
    lock.write_text("click==8.5.1\n")
    assert install_lock.main([str(lock)]) == 1
    assert capsys.readouterr().err == (
        f"install_lock.py: this Python has no pip, and pip cannot be downloaded: {error}; "
        "install pip, on Debian and Ubuntu by the package python3-pip\n"
    )


@pytest.mark.parametrize("python", ["false", "/absent/python3"])
def test_a_python_that_is_old_or_missing_is_an_error_with_a_remedy(
    python: str, tmp_path: Path
) -> None:
    for name in ("Makefile", "packaging"):
        (tmp_path / name).symlink_to(ROOT / name)
    done = subprocess.run(
        ["make", "demo", f"PYTHON={python}"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert done.returncode != 0
    assert "podgraft needs Python 3.11 or later: name one, such as make demo PYTHON=" in done.stderr


def test_the_version_of_pip_has_two_numbers() -> None:
    version = install_lock._find_pip_version()  # pyright: ignore[reportPrivateUsage]
    assert version == () or len(version) == 2
