#!/usr/bin/env python3
"""Install the packages of a lock file into an environment, and print the progress.

install_lock.py LOCK [--python PROGRAM] [--check]

pip installs only wheels with the hashes of the lock, and does not resolve. This script imports
only the standard library, because no package is installed yet. An environment without a pip of its
own is filled by the pip of this Python, because installing pip takes longer than most locks. If
this Python has none either, as on Debian and Ubuntu, the locked pip is downloaded.
"""

import argparse
import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]

# The lock contains all dependencies: pip 23 cannot resolve extras with hashes, so it does not
# resolve. Bytecode is compiled when a module is imported first, which is faster in total.
INSTALL = (
    *("install", "--disable-pip-version-check", "--no-input", "--no-user", "--progress-bar=off"),
    *("--no-deps", "--require-hashes", "--only-binary=:all:", "--no-compile", "--requirement"),
)
_OLDEST_PIP = (22, 3)  # the first with pip --python
# A pin of pip: its version, and its hashes.
PIP = re.compile(r"^pip==(\S+) ((?:\\\n +--hash=sha256:[0-9a-f]{64} ?)+)", re.MULTILINE)
_LOCKED_PIP, _TOOLS = ROOT / "packaging" / "requirements" / "dev.txt", ROOT / ".tools"
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==", re.MULTILINE)
_FETCHED = re.compile(
    r"^(?:Collecting|Requirement already satisfied:|Ignoring) ([A-Za-z0-9][\w.-]*)"
)
_INSTALLING = "Installing collected packages"
_STEPS = 4  # lines of progress without a terminal


@dataclass
class Progress:
    """A line of progress: rewritten on a terminal, else one line at each quarter."""

    lock: str
    total: int
    is_terminal: bool
    count: int = 0
    _quarter: int = field(default=0, init=False)

    def read_line(self, line: str) -> Iterator[str]:
        """Yield the texts that a line of pip's output adds."""
        if found := _FETCHED.match(line):
            self.count = min(self.count + 1, self.total)
            quarter = self.count * _STEPS // self.total
            text = f"{self.lock}: package {self.count} of {self.total}"
            if self.is_terminal:
                yield f"\r\x1b[K{text}: {found[1]}"
            elif quarter > self._quarter:
                yield f"{text}\n"
            self._quarter = quarter
        elif line.startswith(_INSTALLING):
            yield f"{chr(13) if self.is_terminal else ''}{self.lock}: installing\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Install a lock; return the exit status of pip."""
    parser = argparse.ArgumentParser("install_lock.py", description="Install a lock file.")
    parser.add_argument("lock", type=Path, help="Path of the lock file.")
    parser.add_argument("--python", default=sys.executable, help="Python of the environment.")
    parser.add_argument("--check", action="store_true", help="Check that no package is missing.")
    options = parser.parse_args(argv)
    total = len(_PIN.findall(options.lock.read_text()))
    progress = Progress(str(options.lock), total, sys.stdout.isatty())
    print(f"{options.lock}: {total} packages", flush=True)
    try:
        pip = find_pip(options.python)
    except (OSError, ValueError, HTTPException) as error:
        print(
            f"install_lock.py: this Python has no pip, and pip cannot be downloaded: {error}; "
            "install pip, on Debian and Ubuntu by the package python3-pip",
            file=sys.stderr,
        )
        return 1
    status = run_pip([*pip, *INSTALL, str(options.lock)], progress)
    return run_pip([*pip, "check"], progress) if options.check and not status else status


def find_pip(python: str) -> list[str]:
    """Return the start of a command that runs pip for the environment of *python*."""
    has_pip = [python, "-c", "import importlib.util as u; raise SystemExit(not u.find_spec('pip'))"]
    if subprocess.run(has_pip, check=False).returncode == 0:
        return [python, "-m", "pip"]
    has_recent_pip = _find_pip_version() >= _OLDEST_PIP
    pip = ["-m", "pip"] if has_recent_pip else [f"{download_pip(_LOCKED_PIP, _TOOLS)}/pip"]
    return [sys.executable, *pip, "--python", python]


def download_pip(lock: Path, folder: Path) -> Path:
    """Download the wheel of pip that a lock names, unless the folder has it; return its path.

    Raises ``OSError`` or ``HTTPException`` for a failed request, ``ValueError`` for another file.
    """
    pin = PIP.search(lock.read_text())
    if pin is None:
        raise ValueError(f"{lock} has no pip")
    wheel = folder / f"pip-{pin[1]}-py3-none-any.whl"
    # An interrupted run can leave a part of the file.
    if wheel.exists() and _has_hash(wheel.read_bytes(), pin[2]):
        return wheel
    page = f"{os.environ.get('PIP_INDEX_URL', 'https://pypi.org/simple').rstrip('/')}/pip/"
    link = re.search(rf'href="([^"#]*{re.escape(wheel.name)})', _fetch(page).decode())
    if link is None:
        raise ValueError(f"{page} has no {wheel.name}")
    content = _fetch(urljoin(page, link[1]))
    if not _has_hash(content, pin[2]):
        raise ValueError(f"{wheel.name} does not have a hash of {lock}")
    folder.mkdir(exist_ok=True)
    wheel.write_bytes(content)
    return wheel


def _has_hash(content: bytes, hashes: str) -> bool:
    return hashlib.sha256(content).hexdigest() in hashes


def _find_pip_version() -> tuple[int, ...]:
    """Return the first two numbers of the version of this Python's pip; without pip, nothing."""
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return ()
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _fetch(url: str) -> bytes:
    with urlopen(url, timeout=60) as response:  # noqa: S310 - the index of pip's own setting
        return response.read()


def run_pip(command: Sequence[str], progress: Progress) -> int:
    """Run a command of pip; print its output only if it fails. Return its exit status."""
    output: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        for line in pip.stdout or ():
            output.append(line)
            for text in progress.read_line(line):
                print(text, end="", flush=True)
    if pip.returncode:
        print(f"\n{''.join(output)}{progress.lock}: pip failed", file=sys.stderr)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main())
