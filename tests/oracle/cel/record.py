"""Record what kube-apiserver's compiler and evaluator make of expressions of policies.

    go build -o /tmp/oracle . && python -m oracle.cel.record /tmp/oracle [FILE...]

The expressions of the fixtures are asked again; those of the files (a line is a JSON text, or a row
with its kind) and some at random are added with ``--add``. A line without an expression sets the
variables of the lines after it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from oracle.cel.generate import damage, make_call, make_comparison, make_typed

FIXTURES = Path(__file__).parents[2] / "kube" / "cel" / "fixtures"
POLICIES = FIXTURES / "policies.jsonl"
SUITES = FIXTURES / "suites.jsonl"
COMPARISONS = FIXTURES / "comparisons.jsonl"
FUNCTIONS = FIXTURES / "functions.tsv"
RELEASES = tuple(f"1.{minor}" for minor in range(26, 38))

HEAD = {
    "values": {
        "object": {
            "spec": {"n": 3, "f": 1.5, "b": True, "s": "text", "l": [1, 2], "m": {"a": 1}},
            "metadata": {"name": "x"},
        },
        "params": {"data": {"a": "b"}},
        "request": {
            "name": "n",
            "dryRun": False,
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "userInfo": {"groups": ["g"]},
            "options": {"a": 1},
        },
        "namespaceObject": {"metadata": {"name": "ns", "labels": {"e": "p"}}},
    },
    "variables": [
        {"name": "flag", "expression": "false"},
        {"name": "c", "expression": "{'k': 1}"},
        {"name": "q", "expression": "quantity('1')"},
        {"name": "o", "expression": "object.?x"},
        {"name": "err", "expression": "object.nope.x"},
        {"name": "n", "expression": "3"},
        {"name": "u", "expression": "1u"},
        {"name": "d", "expression": "1.5"},
        {"name": "s", "expression": "'text'"},
        {"name": "l", "expression": "['a','b']"},
    ],
}

_CONTAINER = {
    "name": "web",
    "command": ["sh", "-c"],
    "env": [{"name": "LEVEL", "value": "info"}, {"name": "EMPTY"}],
    "ports": [{"containerPort": 80, "name": "http"}],
    "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
}
# The variables for a Pod, as kube-apiserver 1.37 reads it: from Go's structs.
TYPED_HEAD: dict[str, object] = {
    "typed": True,
    "values": {
        "object": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "web",
                "labels": {"app": "web"},
                "managedFields": [{"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"a": 1}}}],
            },
            "spec": {
                "containers": [_CONTAINER],
                "hostNetwork": True,
                "nodeSelector": {"app": "web"},
                "priority": 1,
                "volumes": [{"name": "tmp", "emptyDir": {}}],
            },
            "status": {},
        },
        "oldObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web"},
            "spec": {
                "containers": [
                    {**_CONTAINER, "resources": {"requests": {"cpu": "1", "memory": "1073741824"}}}
                ]
            },
            "status": {},
        },
        "params": {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "params"},
            "data": {"a": "b", "app": "web"},
        },
        "request": {
            "uid": "1",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
            "name": "web",
            "namespace": "ns",
            "operation": "UPDATE",
            "userInfo": {"username": "u", "groups": ["a", "b"], "extra": {"app": ["web"]}},
            "object": None,
            "oldObject": None,
            "dryRun": False,
            "options": {"a": 1},
        },
        "namespaceObject": {
            "metadata": {"name": "ns", "labels": {"app": "web"}},
            "spec": {},
            "status": {},
        },
    },
    "variables": [
        {"name": "c", "expression": "{'k': 1}"},
        {"name": "l", "expression": "object.spec.containers"},
    ],
}


# No value of Go is zero for ``optional.ofNonZeroValue``.
NON_ZERO_TESTS = tuple(
    {"expression": expression, "kind": "mutation"}
    for expression in (
        "optional.ofNonZeroValue(object.status).hasValue()",
        "optional.ofNonZeroValue(object.spec.volumes[0].emptyDir).hasValue()",
        "optional.ofNonZeroValue({}).hasValue()",
        "optional.ofNonZeroValue(dyn([])).hasValue()",
        "optional.ofNonZeroValue(namespaceObject.spec).orValue(dyn(1)) == 1",
    )
)


def make_comparisons(count: int, seed: int = 39) -> Iterator[dict[str, str]]:
    """Comparisons at random, of values of Go and of an expression."""
    random = Random(seed)  # noqa: S311 - the same each time
    for _ in range(count):
        text = make_comparison(random)
        yield {"expression": text, "kind": "mutation"}


def make_rows(count: int, seed: int = 39) -> Iterator[dict[str, str]]:
    """Expressions at random, of each generator."""
    random = Random(seed)  # noqa: S311 - the same each time
    for _ in range(count):
        yield {"expression": make_typed(random), "kind": random.choice(("", "validation"))}
        yield {"expression": make_call(random), "kind": ""}
        yield {"expression": damage(random, make_typed(random)) or "()", "kind": ""}


def ask(program: str, rows: Iterable[object]) -> Iterator[dict[str, object]]:
    """The rows with the answers of the program."""
    text = "\n".join(json.dumps(row) for row in rows)
    done = subprocess.run(
        [program, "policy"], input=text, capture_output=True, text=True, check=True
    )
    return map(json.loads, done.stdout.splitlines())


def list_functions(program: str) -> Iterator[str]:
    """Each overload once: function, style, signature, and first release; in the newest's order."""
    command = [program, "dump", *reversed(RELEASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    first: dict[tuple[str, str, str], str] = {}
    for line in done.stdout.splitlines():
        release, environment, *parts = line.split("\t")
        if environment == "new":
            is_macro = parts[0] == "macro"
            key = ("macro", "", parts[1]) if is_macro else (parts[0], parts[2], parts[3])
            first[key] = release
    for (name, member, signature), release in first.items():
        yield f"{name}\t{member}\t{signature}\t{release}"


def main() -> None:
    """Write the fixtures."""
    program, *files = sys.argv[1:]
    rows = list(_read_questions(POLICIES))[1:]
    if "--add" in files:
        files.remove("--add")
        lines = (line for file in files for line in Path(file).read_text().splitlines())
        rows += [_as_row(json.loads(line)) for line in lines]
        rows += make_rows(300)
    unique = {
        (row["expression"], row.get("kind", "")): row for row in rows if row["expression"].strip()
    }
    _write(POLICIES, filter(_is_kept, ask(program, (HEAD, *unique.values()))))
    _write(SUITES, filter(_is_kept, ask(program, _read_questions(SUITES))))
    compared = ask(program, (TYPED_HEAD, *make_comparisons(1_500), *NON_ZERO_TESTS))
    _write(COMPARISONS, filter(_is_kept, compared))
    FUNCTIONS.write_text("".join(f"{line}\n" for line in list_functions(program)))


def _read_questions(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a fixture without their answers."""
    for line in path.read_text().splitlines():
        row = json.loads(line)
        is_question = "expression" in row
        yield (
            {key: row[key] for key in ("expression", "kind") if key in row} if is_question else row
        )


def _as_row(line: str | dict[str, Any]) -> dict[str, Any]:
    return {"expression": line} if isinstance(line, str) else line


def _write(path: Path, rows: Iterable[object]) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def _is_kept(row: dict[str, object]) -> bool:
    """Whether a row is of use: no panic of the original, and not much text."""
    text = json.dumps(row)
    is_answer = "panic: " not in text and "internal error" not in text and len(text) < 10_000
    return is_answer or "expression" not in row


if __name__ == "__main__":
    main()
