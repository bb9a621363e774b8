"""docs/security.md: each row has existing tests, and the role is the one of template.yaml.

The tests of each row are in threats.json, next to this file.
"""

import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from layers.cloudformation import TEMPLATE, Rendering

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
ROLE = Path(__file__).with_name("role.json")
PEERS = ROOT / "tests" / "peers"
FIRST_SENTENCE = "**podgraft has no credentials in any cluster.**"

DATA: Any = json.loads(Path(__file__).with_name("threats.json").read_text())
# The ids of the threat model, of its mitigations, and of threats to the AWS account.
IDS = (
    *(str(number) for number in range(1, 19)),
    *(f"M{number}" for number in range(1, 11)),
    *(f"P{number}" for number in range(1, 8)),
)


def find_rows() -> dict[str, list[str]]:
    """The cells of each row that begins with an id."""
    found: dict[str, list[str]] = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and re.fullmatch(r"[MP]?\d+", cells[0]):
            assert cells[0] not in found, cells[0]
            found[cells[0]] = cells
    return found


@cache
def find_test_names(file: str) -> frozenset[str]:
    """The test functions of a file."""
    tree = ast.parse((ROOT / file).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def find_missing_tests(tests: list[str]) -> list[str]:
    """What is wrong with the tests of a row: ``file::name`` each."""
    if not tests:
        return ["names no test"]
    return [
        f"{test}: not found"
        for test in tests
        for file, _, name in [test.partition("::")]
        if not (ROOT / file).exists() or name not in find_test_names(file)
    ]


def test_the_page_starts_with_the_guarantee() -> None:
    heading, _, text = PAGE.partition("\n\n")
    assert heading == "# Security"
    assert text.startswith(FIRST_SENTENCE)


def test_the_page_has_every_row() -> None:
    assert tuple(find_rows()) == IDS
    assert {len(cells) for cells in find_rows().values()} == {4}
    assert DATA["threats"].keys() == set(IDS)


@pytest.mark.parametrize("row", IDS)
def test_a_row_has_existing_tests(row: str) -> None:
    assert find_missing_tests(DATA["threats"][row]) == []
    cells = find_rows()[row]
    assert all(cells)
    assert "test_" not in " ".join(cells)


BROKEN_ROWS: tuple[tuple[list[str], list[str]], ...] = (
    ([], ["names no test"]),
    (["tests/test_names.py::test_x"], ["tests/test_names.py::test_x: not found"]),
    (["tests/test_none.py::test_x"], ["tests/test_none.py::test_x: not found"]),
)


@pytest.mark.parametrize(("tests", "problems"), BROKEN_ROWS)
def test_a_row_without_an_existing_test_is_found(tests: list[str], problems: list[str]) -> None:
    assert find_missing_tests(tests) == problems


def test_each_class_of_incidents_has_a_row() -> None:
    files = {f"tests/peers/{path.name}" for path in PEERS.glob("test_*.py")}
    incidents = DATA["incidents"]
    assert incidents.keys() == files
    for file in files:
        docstring = ast.get_docstring(ast.parse((ROOT / file).read_text()))
        assert docstring is not None
        assert docstring.startswith("Guarantee: "), file
        assert "Incident" in docstring, file
        for incident in re.findall(r"CVE-\d{4}-\d+|#\d{2,}", incidents[file]["incidents"]):
            if incident != "CVE-2020-8561":
                assert incident in docstring, (file, incident)


def role() -> dict[str, Any]:
    """The role of a stack with the name podgraft and all parameters that add statements."""
    parameters = {"Census": "true", "Tracing": "Active", "KmsKeyArn": "KmsKeyArn"}
    rendering = Rendering(TEMPLATE, "podgraft", parameters)
    return rendering.resources["WebhookRole"]["Properties"]


def test_the_role_of_the_function_is_the_golden_role() -> None:
    golden = json.loads(ROLE.read_text())
    statements = [
        statement
        for policy in role()["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    described = golden["statements"]
    assert [{k: v for k, v in each.items() if k != "Sentence"} for each in described] == statements
    assert role()["AssumeRolePolicyDocument"]["Statement"] == golden["trust"]
    assert role().keys() == {"Description", "AssumeRolePolicyDocument", "Policies"}


def test_the_page_has_a_sentence_for_each_statement() -> None:
    statements = json.loads(ROLE.read_text())["statements"]
    section = PAGE.partition("## Actions that the function can perform")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("- ")]
    assert lines == [f"- `{each['Sid']}`: {each['Sentence']}" for each in statements]


def test_no_statement_writes_outside_the_log() -> None:
    """The page says so; a new action needs a decision."""
    statements = json.loads(ROLE.read_text())["statements"]
    assert {each["Effect"] for each in statements} == {"Allow"}
    writing = {each["Sid"] for each in statements for action in each["Action"] if _writes(action)}
    assert writing == {"WriteLogs", "WriteRecords", "WriteTraces"}
    everywhere = {each["Sid"] for each in statements if "*" in (each["Resource"], each["Action"])}
    assert everywhere == {"WriteTraces"}


def test_make_signs_the_function_and_its_layers() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "deploy", "SIGNING_PROFILE=podgraft", "OVERRIDES=Auth=mtls"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    profiles = " ".join(
        f"{name}=podgraft"
        for name in (
            *("Webhook", "Watch", "Guard", "Probe", "Cleanup", "Rotation"),
            *("DependenciesLayer", "EngineLayer"),
        )
    )
    assert f"Auth=mtls --signing-profiles {profiles}" in " ".join(
        done.stdout.replace("\\\n", " ").split()
    )


def _writes(action: str) -> bool:
    return not action.partition(":")[2].startswith(("Get", "List", "Decrypt", "GenerateDataKey"))
