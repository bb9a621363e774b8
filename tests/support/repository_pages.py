"""Run the commands of a page in order, in a copy of the repository, with a shell."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from support.programs import PYTHON, write_python_program, write_shell_program

ROOT = Path(__file__).parents[2]
# What commands of pages read or change.
_FOLDERS = (
    *("docs", "samples", "scripts", "tools", "deploy", "packaging/requirements"),
    *("layers/engine", "functions"),
)
_FILES = ("Makefile", "pyproject.toml", "template.yaml", "samconfig.toml", "README.md")
_BLOCK = re.compile(
    r"^(?: *<!-- exit status (?P<status>\d+) -->\n)?"
    r"(?P<indent> *)```(?P<language>\w+)(?: title=\"(?P<file>[^\"]+)\")?\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class PageCommand:
    """A command of a page, the status that the page states, and a file to write before it.

    The status is 0, or that of ``<!-- exit status N -->`` before the block of the last command. A
    comment of the shell is none: zsh, the shell of macOS, passes it to the command.
    """

    line: str
    status: int = 0

    @property
    def words(self) -> list[str]:
        """The words of the command."""
        return shlex.split(self.line)


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file that the reader writes: a block with ``title="PATH"``."""

    path: str
    text: str


def read_steps(page: str) -> list[PageCommand | PageFile]:
    """The commands of the blocks of a page, and the files with a title, in order.

    A ``console`` block has a prompt before each command, and can have output; a ``sh`` block has
    commands only.
    """
    steps: list[PageCommand | PageFile] = []
    for block in _BLOCK.finditer(page):
        indent = len(block["indent"])
        lines = [line[indent:] for line in block["text"].splitlines()]
        if block["file"]:
            steps.append(PageFile(block["file"], "\n".join(lines) + "\n"))
        elif block["language"] == "console":
            text = "\n".join(lines).replace("\\\n", " ")
            prompted = (line for line in text.splitlines() if line.startswith("$ "))
            steps.extend(PageCommand(line[2:]) for line in prompted)
        elif block["language"] == "sh":
            steps.extend(map(PageCommand, lines[:-1]))
            steps.extend(PageCommand(line, int(block["status"] or 0)) for line in lines[-1:])
    return steps


@dataclass(frozen=True, slots=True)
class Checkout:
    """A copy of the repository, whose ``.venv`` runs the packages of these tests."""

    folder: Path
    stubs: Path

    def run(self, command: PageCommand, extra: Mapping[str, str] | None = None) -> str:
        """Run a command of a page in a shell; its output. Fails unless it has the stated status."""
        done = subprocess.run(
            ["bash", "-c", command.line],
            cwd=self.folder,
            env={**self._environment(), **(extra or {})},
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == command.status, (command, done.stdout[-2000:], done.stderr)
        return done.stdout + done.stderr

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.stubs}:{self.folder / '.venv/bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            **{name: value for name, value in os.environ.items() if name.startswith("AWS_")},
        }

    def start(self, line: str) -> subprocess.Popen[str]:
        """Start a server of a page, and wait for its first line of output."""
        server = subprocess.Popen(
            shlex.split(line),
            cwd=self.folder,
            env=self._environment(),
            executable=str(self.folder / ".venv" / "bin" / "podgraft"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert server.stdout
        assert "listens on" in server.stdout.readline()
        return server

    def add_stub(self, name: str, text: str) -> None:
        """Add a program that commands find before all others: a Python script."""
        write_python_program(self.stubs / name, text)

    def write(self, file: PageFile) -> None:
        """Write a file of the page."""
        path = self.folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)


def stop_server(server: subprocess.Popen[str]) -> None:
    """Stop a server that ``Checkout.start`` returned."""
    with server:
        server.terminate()


def make_checkout(folder: Path, targets: Collection[str] = (".demo", ".done")) -> Checkout:
    """Copy the repository to a folder; *targets* are the parts of ``.venv`` that are complete."""
    checkout = folder / "podgraft"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    for name in _FOLDERS:
        shutil.copytree(ROOT / name, checkout / name, ignore=ignored)
    for name in _FILES:
        shutil.copy(ROOT / name, checkout / name)
    programs = checkout / ".venv" / "bin"
    programs.mkdir(parents=True)
    engine = checkout / "layers" / "engine"
    start = f"PYTHONPATH={shlex.quote(str(engine))} exec {PYTHON}"
    write_shell_program(programs / "python", f'{start} "$@"')
    write_shell_program(programs / "podgraft", f'{start} -m podgraft "$@"')
    write_shell_program(programs / "activate", f"PATH={shlex.quote(str(programs))}:$PATH")
    for target in targets:
        (checkout / ".venv" / target).touch()
    stubs = folder / "stubs"
    stubs.mkdir()
    return Checkout(checkout, stubs)
