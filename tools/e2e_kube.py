#!/usr/bin/env python3
"""Plays the scenes of tests/e2e/kube before kube-apiserver's own admission plugins.

Builds them with Go from its module proxy (some minutes the first time). ``--record`` also writes
what was said, for the tests that need no Go.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from podgraft.cli import program
from podgraft.cli.failure import CommandError

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "e2e" / "kube"
BUILT = ROOT / ".e2e" / "admission"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is pytest's, and 0 where Go is missing."""
    return program.run(e2e_kube, argv, "e2e_kube.py")


@click.command("e2e_kube.py", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--record", is_flag=True, help="Write what was said to tests/e2e/kube/recorded.")
def e2e_kube(record: bool) -> int:
    """Build the admission plugins, and play every scene."""
    go = shutil.which("go")
    if go is None:
        click.echo("e2e-kube: skipped: Go is not installed (https://go.dev/dl, 1.26 or newer)")
        return 0
    build_program(go)
    environment = os.environ | {"PODGRAFT_KUBE_ADMISSION": str(BUILT)}
    if record:
        environment["PODGRAFT_RECORD"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", TESTS]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def build_program(go: str) -> Path:
    """Build the admission plugins; return the program."""
    click.echo("building kube-apiserver's admission plugins", err=True)
    command = [go, "build", "-o", BUILT, "."]
    if subprocess.run(command, cwd=TESTS / "admission", check=False).returncode:
        raise CommandError(f"{TESTS / 'admission'}: go build failed; see its messages above")
    return BUILT


if __name__ == "__main__":
    sys.exit(main())
