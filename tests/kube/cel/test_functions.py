"""The functions are those that Kubernetes declares, by release, in the newest's order."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from podgraft.kube.cel.library import DECLARED
from podgraft.kube.cel.overloads import Overload

ROWS = [
    line.split("\t")
    for line in (Path(__file__).with_name("fixtures") / "functions.tsv").read_text().splitlines()
]
FUNCTIONS = [row for row in ROWS if row[0] != "macro"]
RELEASES = range(26, 38)
# Names from the time before operators had their own; the grammar cannot write the others.
LEFT_OUT = {"_in_", "in", "__not_strictly_false__"}
# All releases declare these, and those before 1.28 do not use them (CrossTypeNumericComparisons).
COMPARISONS = {"_<_", "_<=_", "_>_", "_>=_"}
_SHORT = {
    "google.protobuf.Duration": "duration",
    "google.protobuf.Timestamp": "timestamp",
    ", ": ",",
}


def normalize(signature: str) -> str:
    """A signature with the spelling of this project, its parameters named in their order."""
    for theirs, ours in _SHORT.items():
        signature = signature.replace(theirs, ours)
    names: dict[str, str] = {}
    pattern = r"<(\w+)>|\b([A-Z])\b"
    return re.sub(
        pattern, lambda m: names.setdefault(m[1] or m[2], f"T{len(names)}"), signature.strip()
    )


def describe(row: Overload) -> tuple[str, bool, str]:
    return row.name, row.member, normalize(f"{'; '.join(row.parameters)} -> {row.result}")


def group(rows: Iterable[tuple[str, bool, str]]) -> dict[str, list[tuple[str, bool, str]]]:
    functions: dict[str, list[tuple[str, bool, str]]] = {}
    for row in rows:
        functions.setdefault(row[0], []).append(row)
    return functions


@pytest.mark.parametrize("minor", RELEASES)
def test_a_release_has_the_functions_that_it_declares(minor: int) -> None:
    theirs = group(
        (name, member == "true", normalize(signature))
        for name, member, signature, since in FUNCTIONS
        if int(since.removeprefix("1.")) <= minor
        and "authorization" not in signature
        and name not in LEFT_OUT
    )
    ours = group(describe(row) for row in DECLARED if row.since <= minor or row.name in COMPARISONS)

    assert ours.keys() == theirs.keys()
    for name in ours:
        assert sorted(ours[name]) == sorted(theirs[name])
        assert minor < max(RELEASES) or ours[name] == theirs[name]
