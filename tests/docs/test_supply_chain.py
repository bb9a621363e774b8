"""docs/supply-chain.md names the locks, the targets, and the exit statuses that exist."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from podgraft.cli.init import KINDS
from supply_chain.inventory import NPM_LOCKS
from supply_chain.locks import LOCKS, NEWEST_PYTHON, OLDEST_PYTHON
from supply_chain.target import RUNTIMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "supply-chain.md").read_text()
COMMANDS = [
    shlex.split(line, comments=True) for line in re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)
]


def test_the_page_lists_every_lock_and_its_source() -> None:
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)`.* \| `.*` \|$", PAGE, re.MULTILINE)
    sources = {lock.path: lock.source for lock in LOCKS}
    sources |= {path: path.replace("package-lock", "package") for path in NPM_LOCKS}
    assert dict(rows) == sources


def test_the_image_installs_its_lock() -> None:
    text = (ROOT / "deploy" / "container" / "Containerfile").read_text()
    assert "--require-hashes --only-binary=:all: --requirement /build/requirements.txt" in text
    assert KINDS["container"].assets["packaging/requirements/serve.txt"] == "requirements.txt"


# Neither is installed by make.
OTHERS = ("packaging/requirements/serve.txt",)


@pytest.mark.parametrize("lock", [each.path for each in LOCKS if each.path not in OTHERS])
def test_the_program_of_a_row_installs_its_lock(lock: str) -> None:
    [program] = re.findall(rf"^\| `{lock}` \| .* \| `make (\S+)` \|$", PAGE, re.MULTILINE)
    if lock.startswith("layers/"):
        assert "dependencies/requirements.txt" in (ROOT / "layers" / "Makefile").read_text()
    elif program == "playground":
        assert '"playground.txt"' in (ROOT / "tools/playground_build/archive.py").read_text()
    else:
        name = Path(lock).stem
        own = {"dev": ".venv/.done", "demo": ".venv/.demo"}
        wanted = own.get(name, f"$(TOOLS)/{name}/.done")
        makefile = (ROOT / "Makefile").read_text()
        [rule] = re.findall(rf"^{program}: (.*)$", makefile, re.MULTILINE)
        assert wanted in rule or f"$(SAM)/{name}" in makefile


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_make_accepts_every_command(command: list[str]) -> None:
    program, target, *variables = command
    done = subprocess.run(
        [program, "--dry-run", target, *variables],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        check=True,
        capture_output=True,
        text=True,
    )
    for variable in variables:
        value = variable.partition("=")[2]
        assert value in done.stdout.splitlines()[-1]
        assert re.search(
            rf"^{variable.partition('=')[0]} \?=", (ROOT / "Makefile").read_text(), re.MULTILINE
        )


def test_the_locks_are_for_the_releases_of_the_page() -> None:
    assert RUNTIMES[-1] == f"python{NEWEST_PYTHON}"
    assert f"wheels for Python {OLDEST_PYTHON} and {NEWEST_PYTHON} on Linux" in PAGE
