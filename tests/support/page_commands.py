"""The commands of a page, run in a shell; other programs than podgraft record their calls."""

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from support.programs import PYTHON, write_shell_program

_BLOCK = re.compile(r"^ *```(console|sh)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_RECORDER = """\
echo "$(basename "$0")" >> {log}
for word in "$@"; do echo "  $word" >> {log}; done
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a recorded program."""

    program: str
    arguments: tuple[str, ...]


def read_commands(page: Path) -> list[str]:
    """The command lines of all blocks, in their order: those with a prompt, or all of ``sh``."""
    return [
        line.strip().removeprefix("$ ")
        for language, block in _BLOCK.findall(page.read_text())
        for line in block.splitlines()
        if language == "sh" or line.strip().startswith("$ ")
    ]


def run_commands(commands: Iterable[str], folder: Path, recorded: Iterable[str]) -> list[Call]:
    """Run command lines one after the other in one shell, and return the calls of *recorded*.

    ``podgraft`` is that of this tree. A command with another status than 0 fails the test.
    """
    programs, log = folder / "bin", folder / "calls"
    programs.mkdir()
    log.touch()
    write_shell_program(programs / "podgraft", f'exec {PYTHON} -m podgraft "$@"')
    for name in recorded:
        write_shell_program(programs / name, _RECORDER.format(log=log))
    work = folder / "work"
    work.mkdir()
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(commands)],
        cwd=work,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(_read_calls(log.read_text().splitlines()))


def _read_calls(lines: Iterable[str]) -> Iterable[Call]:
    call: list[str] = []
    for line in lines:
        if not line.startswith("  ") and call:
            yield Call(call[0], tuple(call[1:]))
            call = []
        call.append(line.removeprefix("  "))
    if call:
        yield Call(call[0], tuple(call[1:]))
