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
from itertools import product
from pathlib import Path

from supply_chain.locks import (
    LOCKS,
    NEWEST_PYTHON,
    OLDEST_PYTHON,
    PLATFORMS,
    Lock,
    check_command,
    compile_command,
)

ROOT = Path(__file__).parents[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Write every lock; return the exit status of the first command that fails."""
    parser = argparse.ArgumentParser("lock.py", description="Write the lock files.")
    parser.add_argument("--uv", default="uv", help="Path of uv.")
    parser.add_argument(
        "--upgrade", nargs="+", default=[], metavar="PACKAGE", help="Packages to upgrade, or all."
    )
    options = parser.parse_args(argv)
    try:
        for lock in LOCKS:
            _write_lock(lock, options.uv, options.upgrade)
    except FileNotFoundError:
        print(f"{options.uv}: not found; run make lock, which installs uv", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode
    return 0


def _write_lock(lock: Lock, uv: str, upgrades: Sequence[str]) -> None:
    """Write a lock, and check that all its packages have wheels; raises ``CalledProcessError``."""
    _run(
        compile_command(lock, uv, upgrades),
        f"{lock.path}: uv cannot resolve {lock.source}; correct it",
    )
    for python, platform in product((OLDEST_PYTHON, NEWEST_PYTHON), PLATFORMS):
        _run(
            check_command(lock, uv, python, platform),
            f"{lock.path}: a package has no wheel for Python {python} on {platform}; "
            f"change {lock.source}",
        )
    print(f"{lock.path}: {_count_packages((ROOT / lock.path).read_text())} packages")


def _run(command: list[str], message: str) -> None:
    try:
        subprocess.run(command, cwd=ROOT, check=True)
    except subprocess.CalledProcessError:
        print(message, file=sys.stderr)
        raise


def _count_packages(text: str) -> int:
    return sum(line[:1].isalnum() for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main())
