#!/usr/bin/env python3
"""Build the conformance corpus from a clone of Istio with all tags.

    tools/corpus.py ../istio                  # first and last patch of every minor, and HEAD
    tools/corpus.py ../istio 1.30.3 1.31.0    # these tags

PODGRAFT_CORPUS sets the output folder, and .corpus in the repository is the default. The script
requires Go 1.26 or later and Git: tools/corpus/ reads the tests of Istio and renders its charts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DRIVER = ROOT / "tools/corpus"


def main(argv: list[str]) -> int:
    """Build the corpus of the tags; the exit status is 1 if a tag fails."""
    clone = Path(argv[0]).resolve() if argv and argv[0] else None
    if clone is None:
        return _fail("ISTIO is missing; run make corpus ISTIO=folder-of-a-clone")
    missing = [program for program in ("go", "git", "tar") if shutil.which(program) is None]
    if missing:
        return _fail(f"{missing[0]} not found; install it (Go 1.26 or later)")
    process = subprocess.run(
        ["git", "-C", str(clone), "tag", "--list"],  # noqa: S607 - found on the path, as above
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        return _fail(f"{clone}: {process.stderr.strip()}; name a clone of Istio's repository")
    edges = find_edges(process.stdout.split())
    tags = argv[1:] or [*edges, "HEAD"]
    if not argv[1:] and not edges:
        return _fail(f"{clone}: no release tag found; run git fetch --tags in the clone")
    folder = Path(os.environ.get("PODGRAFT_CORPUS") or ROOT / ".corpus").resolve()
    command = ["go", "run", ".", str(clone), str(folder), *tags]
    return subprocess.run(command, cwd=DRIVER, check=False).returncode


def find_edges(tags: Iterable[str]) -> list[str]:
    """Return the first and the last patch of every minor, by number.

    A minor without a patch has its last pre-release.

    >>> find_edges(["1.9.9", "1.9.0", "1.9.1", "1.10.0", "1.10.0-rc.1", "v1"])
    ['1.9.0', '1.9.9', '1.10.0']
    >>> find_edges(["1.31.0-rc.0", "1.31.0-beta.2", "1.31.0-alpha.3"])
    ['1.31.0-rc.0']
    """
    patches: dict[int, list[int]] = {}
    candidates: dict[int, list[tuple[str, int]]] = {}
    for tag in tags:
        match = re.fullmatch(r"1\.([0-9]+)\.([0-9]+)(?:-(alpha|beta|rc)\.([0-9]+))?", tag)
        if match and match[3]:
            candidates.setdefault(int(match[1]), []).append((match[3], int(match[4])))
        elif match:
            patches.setdefault(int(match[1]), []).append(int(match[2]))
    edges: list[str] = []
    for minor in sorted(patches | candidates):
        numbers = patches.get(minor, [])
        edges += [f"1.{minor}.{patch}" for patch in sorted(_ends(numbers))]
        if not numbers:
            stage, number = max(candidates[minor])
            edges.append(f"1.{minor}.0-{stage}.{number}")
    return edges


def _ends(numbers: list[int]) -> set[int]:
    return {min(numbers), max(numbers)} if numbers else set()


def _fail(message: str) -> int:
    print(f"corpus: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
