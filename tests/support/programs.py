"""Programs of tests: their paths and this Python's can contain spaces."""

import shlex
import sys
from pathlib import Path

# The path of this Python, quoted for a shell.
PYTHON = shlex.quote(sys.executable)


def write_shell_program(path: Path, text: str) -> None:
    """Write a program for sh."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def write_python_program(path: Path, text: str) -> None:
    """Write a program for this Python; the first line of a script cannot quote its path."""
    source = path.with_name(f"{path.name}.source.py")
    source.write_text(text)
    write_shell_program(path, f'exec {PYTHON} {shlex.quote(str(source))} "$@"')
