#!/usr/bin/env python3
"""Write the lock files: each package that podgraft downloads, with its version and hashes.

lock.py --uv PROGRAM [--upgrade PACKAGE ...]

Run it with ``make lock``, which installs uv from its own lock. Locked versions stay as they are,
except those of ``--upgrade``; ``--upgrade all`` upgrades every package.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from supply_chain.locks import LOCKS, compile_command

ROOT = Path(__file__).parents[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Write every lock; return the exit status of the first command that fails."""
    parser = argparse.ArgumentParser("lock.py", description="Write the lock files.")
    parser.add_argument("--uv", default="uv", help="Path of uv.")
    parser.add_argument(
        "--upgrade", nargs="+", default=[], metavar="PACKAGE", help="Packages to upgrade, or all."
    )
    options = parser.parse_args(argv)
    for lock in LOCKS:
        command = compile_command(lock, options.uv, options.upgrade)
        try:
            status = subprocess.run(command, cwd=ROOT, check=False).returncode
        except FileNotFoundError:
            print(f"{options.uv}: not found; run make lock, which installs uv", file=sys.stderr)
            return 1
        if status:
            print(f"{lock.path}: uv cannot resolve {lock.source}; correct it", file=sys.stderr)
            return status
        print(f"{lock.path}: {_count_packages((ROOT / lock.path).read_text())} packages")
    return 0


def _count_packages(text: str) -> int:
    return sum(line[:1].isalnum() for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main())
