"""Print the path of the fastest Python of this machine, for the benchmarks.

Debian and the official images compile Python with optimizations for a profile
(``--enable-optimizations``), and pyenv does not by default. Without them, a review takes about 1.4
times as long. So ``make bench`` has an environment of its own.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_NAMES = ("python3", "python3.11", "python3.12", "python3.13", "python3.14")
_FOLDERS = ("/usr/bin", "/usr/local/bin")
_MIN_GAIN = 0.1  # below it, the Python of make setup remains
_ROUNDS = 5
# Objects, strings, and calls, as in a review. A Python without venv is of no use.
_PROGRAM = """
import sys, time
import venv
assert sys.version_info >= (3, 11)

def copy(value):
    if isinstance(value, dict):
        return {key: copy(member) for key, member in value.items()}
    return value if value.__class__ is str else list(value)

value = {f"key{number}": {"name": "text", "list": [1, 2, 3]} for number in range(1000)}
best = 1e9
for _ in range(20):
    start = time.perf_counter()
    copy(value)
    best = min(best, time.perf_counter() - start)
print(best)
"""


def find_candidates(path: str) -> Iterator[str]:
    """The programs with the name of a Python in the folders of *path*, each once."""
    seen: set[Path] = set()
    for folder in (*path.split(os.pathsep), *_FOLDERS):
        for name in _NAMES:
            program = Path(folder, name)
            if os.access(program, os.X_OK) and program.resolve() not in seen:
                seen.add(program.resolve())
                yield str(program)


def measure(python: str) -> float | None:
    """The seconds of a loop; ``None`` if the program cannot be used."""
    command = [python, "-c", _PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return float(done.stdout) if done.returncode == 0 else None


def choose(seconds: Mapping[str, float], default: str) -> str:
    """The fastest Python, or the default one if the gain is small."""
    fastest = min(seconds, key=lambda python: seconds[python], default=default)
    usual = seconds.get(default)
    if usual is None or seconds[fastest] < usual * (1 - _MIN_GAIN):
        return fastest
    return default


def measure_all(pythons: Iterable[str]) -> dict[str, float]:
    """The least seconds of each Python that can be used, measured in turns."""
    best: dict[str, float] = {}
    usable = list(pythons)
    for _ in range(_ROUNDS):
        for python in list(usable):
            seconds = measure(python)
            if seconds is None:
                usable.remove(python)
            else:
                best[python] = min(seconds, best.get(python, seconds))
    return best


def main() -> None:
    """Print the path."""
    candidates = {*find_candidates(os.environ.get("PATH", "")), sys.executable}
    print(choose(measure_all(sorted(candidates)), sys.executable))


if __name__ == "__main__":
    main()
