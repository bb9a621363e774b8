"""A Go program of this folder that answers rows of JSON, one a line."""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

HERE = Path(__file__).parent
# Go walks maps in random order. Rows whose answer depends on it are asked so often to be found:
# among the eight slots of a small map, an order may come up but once in eight times.
TRIES = 64


def ask_program(program: str, rows: Sequence[Row], kubernetes: str = "") -> list[Row]:
    """The rows, each with Go's answer to it; by a release of Kubernetes, as 1.36.5, if given."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    built = _build_for_kubernetes(program, kubernetes) if kubernetes else _build_program(program)
    answered = subprocess.run([built], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in answered.stdout.split(b"\n") if line]


def stable_answers(program: str, rows: Sequence[Row]) -> list[Row]:
    """The answered rows, without those whose answer differs from one time to the next."""
    answers = [ask_program(program, rows) for _ in range(TRIES)]
    return [
        first for first, *others in zip(*answers, strict=True) if others == [first] * len(others)
    ]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Rows to a fixture, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def load_rows(path: Path) -> list[Row]:
    """The rows of a fixture. Lines end at line feeds alone: a text may hold U+2028."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@cache
def _build_program(program: str) -> str:
    """The program, built anew for this run."""
    built = Path(tempfile.mkdtemp(prefix="oracle")) / program
    subprocess.run(["go", "build", "-o", built, "."], cwd=HERE / program, check=True)
    return str(built)


def kubernetes_folder(version: str) -> Path:
    """The source of Kubernetes, which Go downloads if it is not there."""
    command = ["go", "mod", "download", "-json", f"k8s.io/kubernetes@v{version}"]
    module = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Path(json.loads(module.stdout)["Dir"])


@cache
def _build_for_kubernetes(program: str, version: str) -> str:
    """The program with the modules of a release of Kubernetes, and what that release requires."""
    folder = Path(tempfile.mkdtemp(prefix="oracle"))
    for source in (*(HERE / program).glob("*.go"), *map(HERE.joinpath, _SHARED.get(program, ()))):
        shutil.copy(source, folder)
    own = (kubernetes_folder(version) / "go.mod").read_text(encoding="utf-8")
    minor = version.removeprefix("1.")
    staged = sorted(set(re.findall(r"(\S+) => \./staging/", own)))
    (folder / "go.mod").write_text(
        f"module podgraft.dev/{program}\n\nrequire k8s.io/kubernetes v{version}\n\n"
        + "".join(f"replace {module} => {module} v0.{minor}\n" for module in staged),
        encoding="utf-8",
    )
    subprocess.run(["go", "mod", "tidy"], cwd=folder, check=True)
    subprocess.run(["go", "build", "-o", program, "."], cwd=folder, check=True)
    return str(folder / program)


# The files that a program has from another one.
_SHARED: Mapping[str, Sequence[str]] = dict.fromkeys(
    ("defaults", "documents"), ("mutation/objects.go",)
)
