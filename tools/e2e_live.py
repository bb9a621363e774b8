#!/usr/bin/env python3
"""Run the commands for live clusters with a real kube-apiserver and etcd.

Builds both with Go from its module proxy: about 5 minutes of one core the first time. ``--record``
also writes the responses of the API server, for the tests that need no Go.
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
TESTS = ROOT / "tests" / "e2e" / "live"
BUILT = ROOT / ".e2e" / "controlplane"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is that of pytest, and 0 without Go."""
    return program.run(e2e_live, argv, "e2e_live.py")


@click.command("e2e_live.py", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--record", is_flag=True, help="Write the responses to tests/e2e/live/recorded.")
@click.option(
    "--pods", type=click.IntRange(10), help="Measure the commands with this number of pods only."
)
def e2e_live(record: bool, pods: int | None) -> int:
    """Build the control plane, and run every scenario."""
    go = shutil.which("go")
    if go is None:
        click.echo("e2e-live: skipped: Go is not installed (https://go.dev/dl, 1.26 or later)")
        return 0
    click.echo("building kube-apiserver and etcd", err=True)
    build = [go, "build", "-o", BUILT, "."]
    if subprocess.run(build, cwd=TESTS / "controlplane", check=False).returncode:
        raise CommandError(f"{TESTS / 'controlplane'}: go build failed; see its messages above")
    environment = os.environ | {"PODGRAFT_CONTROL_PLANE": str(BUILT)}
    if record:
        environment["PODGRAFT_RECORD"] = "1"
    tests = TESTS
    if pods is not None:
        environment["PODGRAFT_LIVE_PODS"] = str(pods)
        tests = TESTS / "test_scale.py"
    command = [sys.executable, "-m", "pytest", "-q", tests]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
