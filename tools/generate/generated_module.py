"""Modules and tables that a script generates from data, or compares with the data."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path


def write_or_compare(argv: Sequence[str] | None, target: Path, fresh: str, tests: str) -> int:
    """Write *fresh* to *target* or, with ``--check``, compare them; print the next step."""
    parser = argparse.ArgumentParser(description=f"write {target.name}")
    parser.add_argument("--check", action="store_true", help="only compare")
    if not parser.parse_args(argv).check:
        target.write_text(fresh, encoding="utf-8")
        print(f"wrote {target}\nnext: run {tests}")
        return 0
    if target.read_text(encoding="utf-8") == fresh:
        return 0
    print(f"{target} is not fresh\nnext: run its generator without --check")
    return 1
