"""One harness under Atheris, which chooses inputs by the coverage that they reach.

``python -m fuzz.atheris HARNESS [libFuzzer's options] [folders of inputs]``. Atheris is no
dependency of podgraft: install it with ``pip install atheris`` where a wheel exists (Linux, CPython
3.11 to 3.13). Inputs that reach new code are stored in build/fuzz.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from fuzz.harness import HARNESSES, find_harness

_MISSING = 3  # the exit status without Atheris
_FOUND = Path(__file__).parents[2] / "build" / "fuzz"


def main(arguments: Sequence[str]) -> int:
    """Fuzz until libFuzzer's options end it; without Atheris, state how to install it."""
    if not arguments or arguments[0] not in HARNESSES:
        _print(f"harness: got {' '.join(arguments[:1])}; use one of {', '.join(HARNESSES)}")
        return 2
    harness = find_harness(arguments[0])
    try:
        atheris: Any = import_module("atheris")
    except ImportError as error:
        _print(f"atheris: cannot be imported ({error}); run: pip install atheris")
        return _MISSING
    with atheris.instrument_imports(include=["podgraft"]):
        run = harness.run
    found = _FOUND / harness.name  # libFuzzer writes to the first folder
    found.mkdir(parents=True, exist_ok=True)
    folders = [str(found), *([str(harness.corpus)] if harness.corpus.is_dir() else [])]

    def test_one_input(data: bytes) -> None:  # libFuzzer reserves the result
        run(data)

    atheris.Setup([sys.argv[0], *arguments[1:], *folders], test_one_input)
    atheris.Fuzz()
    return 0


def _print(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
