"""SECURITY-INSIGHTS.yml follows OpenSSF's schema 2.0.0, and names existing pages and addresses."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from podgraft.kube import yaml

ROOT = Path(__file__).parents[2]
SITE = "https://podgraft.dev/"
FILE: Any = yaml.load((ROOT / "SECURITY-INSIGHTS.yml").read_text())
POLICY = (ROOT / "SECURITY.md").read_text()

CONTACT = {"name": str, "primary": bool}
# The required fields of the schema (github.com/ossf/security-insights-spec, schema.cue).
REQUIRED: tuple[tuple[tuple[str, ...], type], ...] = (
    (("header", "schema-version"), str),
    (("header", "last-updated"), str),
    (("header", "last-reviewed"), str),
    (("header", "url"), str),
    (("project", "name"), str),
    (("project", "administrators"), list),
    (("project", "repositories"), list),
    (("project", "vulnerability-reporting", "reports-accepted"), bool),
    (("project", "vulnerability-reporting", "bug-bounty-available"), bool),
    (("repository", "url"), str),
    (("repository", "status"), str),
    (("repository", "accepts-change-request"), bool),
    (("repository", "accepts-automated-change-request"), bool),
    (("repository", "core-team"), list),
    (("repository", "license", "url"), str),
    (("repository", "license", "expression"), str),
    (("repository", "security", "assessments", "self", "comment"), str),
    (("repository", "release", "automated-pipeline"), bool),
    (("repository", "release", "distribution-points"), list),
)
STATUSES = {
    "active",
    "abandoned",
    "concept",
    "inactive",
    "moved",
    "suspended",
    "unsupported",
    "WIP",
}
TOOL_TYPES = {"fuzzing", "container", "secret", "SCA", "SAST", "other"}


def strings(value: Any) -> Iterator[str]:
    """Every string of the file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in cast("dict[str, Any]", value).values():
            yield from strings(child)
    elif isinstance(value, list):
        for child in cast("list[Any]", value):
            yield from strings(child)


@pytest.mark.parametrize(("path", "kind"), REQUIRED, ids=str)
def test_a_required_field_is_set(path: tuple[str, ...], kind: type) -> None:
    value = FILE
    for key in path:
        value = value[key]
    assert isinstance(value, kind)
    assert value or kind is bool


def test_enumerations_dates_and_contacts_are_valid() -> None:
    assert FILE.keys() == {"header", "project", "repository"}
    assert FILE["header"]["schema-version"] == "2.0.0"
    dates = [date.fromisoformat(FILE["header"][key]) for key in ("last-updated", "last-reviewed")]
    assert dates[0] <= dates[1]
    assert FILE["repository"]["status"] in STATUSES
    for group in (FILE["project"]["administrators"], FILE["repository"]["core-team"]):
        assert [each["primary"] for each in group].count(True) == 1
        assert all(isinstance(each[key], kind) for each in group for key, kind in CONTACT.items())
    for tool in FILE["repository"]["security"]["tools"]:
        assert tool["type"] in TOOL_TYPES
        assert tool.keys() >= {"name", "rulesets", "integration", "results"}
        assert tool["integration"].keys() == {"adhoc", "ci", "release"}


def test_addresses_of_the_site_are_pages() -> None:
    """With the names that tools/site_hooks.py gives them."""
    pages = {"": "README.md", "reporting": "SECURITY.md"}
    addresses = {text for text in strings(FILE) if text.startswith(SITE)}
    assert len(addresses) > 5
    for address in addresses:
        name = address.removeprefix(SITE).rstrip("/")
        files = (pages.get(name, name), f"{name}.md", f"docs/{name}.md")
        assert any((ROOT / file).is_file() for file in files), address


def test_the_policy_and_the_file_name_the_same_address() -> None:
    addresses = {text for text in strings(FILE) if re.fullmatch(r"[\w.]+@[\w.]+", text)}
    assert addresses == set(re.findall(r"<([\w.]+@[\w.]+)>", POLICY))


def test_the_policy_has_response_times() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", POLICY, re.MULTILINE)
    times = {step: time for step, time in rows if re.search(r"\d+ (working )?days", time)}
    assert {"confirmation that the report arrived", "fix of a critical or high vulnerability"} <= (
        times.keys()
    )
