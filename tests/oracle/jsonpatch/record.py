"""JSON Patches for the oracle of this folder, and the fixture of its answers.

python -m oracle.jsonpatch.record [COUNT]     (in tests/, with the repository's environment)

With a count, it compares so many patches and records none.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from oracle import program
from podgraft.base.jsonvalue import JSON, Object, equal
from podgraft.kube import patch

FIXTURE = Path(__file__).parents[2] / "kube/patch/fixtures/json_patches.jsonl"
_KEYS = ("a", "b", "a/b", "~1", "", "0")
_SCALARS: tuple[JSON, ...] = (None, True, False, 0, 1, "", "x", "<&>", "\u2028")
_INDEXES = ("0", "1", "2", "-", "-1", "-2", "+1", "01", "x", "9")


def value(random: Random, depth: int = 3) -> JSON:
    """A value of few keys and scalars."""
    kind = random.random()
    if depth == 0 or kind < 0.4:
        return random.choice(_SCALARS)
    if kind < 0.7:
        keys = random.sample(_KEYS, random.randrange(4))
        return {key: value(random, depth - 1) for key in keys}
    return [value(random, depth - 1) for _ in range(random.randrange(4))]


def operation(random: Random, document: JSON) -> Object:
    """An operation, mostly on paths that exist."""
    kind = random.choice(("add", "remove", "replace", "move", "copy", "test", "test", "nope"))
    result: Object = {"op": kind, "path": path(random, document)}
    if kind in {"move", "copy"}:
        result["from"] = path(random, document)
    if kind in {"add", "replace", "test"} and random.random() < 0.95:
        result["value"] = pick(random, document) if random.random() < 0.5 else value(random, 2)
    if (
        kind == "replace"
        and result["path"] == ""
        and not isinstance(result.get("value"), dict | list)
    ):
        result["value"] = {}  # the original refuses scalars, and panics without a value
    return result


def path(random: Random, document: JSON) -> str:
    """A path in the document, or next to it."""
    text, node = "", document
    while random.random() < 0.75:
        if isinstance(node, dict):
            keys = [*node, *_KEYS] if random.random() < 0.2 else [*node]
            if not keys:
                break
            key = random.choice(keys)
            text, node = f"{text}/{patch.pointer.escape(key)}", node.get(key)
        elif isinstance(node, list):
            index = random.choice(_INDEXES)
            text = f"{text}/{index}"
            node = node[int(index)] if index.isdigit() and int(index) < len(node) else None
        else:
            break
    return text if random.random() < 0.95 else f"{text}/{random.choice(_KEYS)}"


def pick(random: Random, document: JSON) -> JSON:
    """A part of the document, so that tests hold."""
    node = document
    while random.random() < 0.7 and isinstance(node, dict | list) and node:
        node = random.choice([*node.values()] if isinstance(node, dict) else node)
    return node


def make_rows(count: int, seed: int) -> Iterator[program.Row]:
    """Documents with up to four operations."""
    random = Random(seed)  # noqa: S311 - no secret
    for _ in range(count):
        made = value(random, 4)
        other: Object = {"a": made, "b": [{"a": 1}, {"b": None}]}
        document = made if isinstance(made, dict) else other
        operations = [operation(random, document) for _ in range(random.randrange(1, 5))]
        yield {"before": document, "patch": operations}


def answer(row: program.Row) -> tuple[str, JSON]:
    """The answer of podgraft."""
    try:
        return "after", patch.apply(row["before"], row["patch"])
    except patch.PatchError as error:
        return "error", str(error)


def go_answer(row: program.Row) -> tuple[str, JSON]:
    """The answer of evanphx/json-patch."""
    return ("error", row["error"]) if "error" in row else ("after", row["after"])


def is_same(ours: tuple[str, JSON], go: tuple[str, JSON]) -> bool:
    """Whether the answers are equal, or the original panics.

    Unequal are patches that set a null and then read it: 2 of 60,000.
    """
    if go[0] == "error" and str(go[1]).startswith("panic"):
        return True
    return ours[0] == go[0] and equal(ours[1], go[1])


def main() -> None:
    """Record the fixture, or compare many patches."""
    if len(sys.argv) == 1:
        program.write(FIXTURE, program.ask_program("jsonpatch", list(make_rows(1500, 0))))
        return
    for seed in range(int(sys.argv[1]) // 2000):
        for row in program.ask_program("jsonpatch", list(make_rows(2000, seed + 1))):
            if not is_same(answer(row), go_answer(row)):
                sys.stdout.write(json.dumps({**row, "ours": answer(row)}) + "\n")


if __name__ == "__main__":
    main()
