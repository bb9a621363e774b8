"""Lines of the engine by room: at the baseline, today, and today without newer features.

    python tools/count_lines.py

``newer_features.txt`` lists the modules that serve only features newer than the baseline, so the
last column compares equal features. Each line of each ``.py`` file counts.
"""

import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath

ROOT = Path(__file__).parents[1]
TOP = "layers/engine/podgraft"
FEATURES = Path(__file__).with_name("newer_features.txt")
# The last commit before the engine was redesigned, of 23 November 2026.
BASELINE = "1c1228e0"
ROOMS = ("base", "golang", "kube", "core", "service", "cli")
# The rooms of names at the baseline; names that are not here became part of core.
_OLD_NAMES = {
    "base": "deadline diagnostics field_reads jsonvalue lazy_re lru trace",
    "golang": "go sprig texttemplate",
    "kube": "admission cel document_reader matching patch privileges validation yaml",
    "service": "settings store web",
}
_OLD_ROOMS = {name: room for room, names in _OLD_NAMES.items() for name in names.split()}


def find_room(path: PurePath) -> str:
    """The room of a module, by its path in today's or the baseline's package."""
    name = path.relative_to(TOP).parts[0].removesuffix(".py")
    return name if name in ROOMS or name.startswith("__") else _OLD_ROOMS.get(name, "core")


def read_features() -> dict[str, list[Path]]:
    """The modules of each newer feature."""
    features: dict[str, list[Path]] = {}
    for section in FEATURES.read_text(encoding="utf-8").split("\n[")[1:]:
        title, *patterns = section.splitlines()
        features[f"[{title}"] = []
        for pattern in patterns:
            found = sorted((ROOT / TOP).glob(pattern))
            if not found:
                raise SystemExit(f"{FEATURES.name}: no module is {pattern}; correct the line")
            features[f"[{title}"] += found
    return features


def read_baseline() -> Counter[str]:
    """The lines of each room at the baseline."""
    command = ("git", "-C", str(ROOT), "grep", "-c", "", BASELINE, "--", f"{TOP}/*.py")
    rooms: Counter[str] = Counter()
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        _, path, count = line.split(":")
        rooms[find_room(PurePath(path))] += int(count)
    return rooms


def count_lines(modules: Iterable[Path]) -> Counter[str]:
    """The lines of modules, by room."""
    rooms: Counter[str] = Counter()
    for path in modules:
        rooms[find_room(path.relative_to(ROOT))] += path.read_bytes().count(b"\n")
    return rooms


if __name__ == "__main__":
    features = {name: count_lines(modules) for name, modules in read_features().items()}
    newer = sum(features.values(), Counter[str]())
    today = count_lines((ROOT / TOP).rglob("*.py"))
    columns = (read_baseline(), today, newer, today - newer)
    print(f"{'room':10}{'baseline':>10}{'today':>10}{'newer':>10}{'equal':>10}")
    for room in ROOMS:
        print(f"{room:10}" + "".join(f"{rooms[room]:10,}" for rooms in columns))
    print(f"{'total':10}" + "".join(f"{rooms.total():10,}" for rooms in columns))
    for feature, lines in features.items():
        print(f"{lines.total():10,}  {feature}")
