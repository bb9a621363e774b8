"""docs/runbook.md: a section for each alarm, and queries that read fields that exist."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from layers.cloudformation import TEMPLATE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "runbook.md").read_text()
LOGS = (ROOT / "docs" / "monitoring.md").read_text()
RESOURCES: dict[str, Any] = TEMPLATE["Resources"]
SITE = "https://podgraft.dev/runbook/"
_BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = frozenset(("display", "filter", "limit", "sort", "stats"))
_WORDS = _COMMANDS | frozenset(
    ("and", "as", "bin", "by", "count", "desc", "ispresent", "latest", "max", "or", "pct")
)


def of_type(kind: str) -> dict[str, Any]:
    """The properties of all resources of a type."""
    return {
        name: each["Properties"]
        for name, each in RESOURCES.items()
        if each["Type"] == f"AWS::{kind}"
    }


ALARMS = of_type("CloudWatch::Alarm")
QUERIES = of_type("Logs::QueryDefinition")
# Sections without an alarm, for what an operator sees first.
SYMPTOMS = (
    "No pod starts in a namespace",
    "Pods start without sidecar",
    "One workload is refused",
    "A certificate or token ends",
)
ALL_SECTIONS = dict(re.findall(r"^## (.+)\n\n((?:(?!^## ).*\n?)*)", PAGE, re.MULTILINE))
SECTIONS = {name: text for name, text in ALL_SECTIONS.items() if name not in SYMPTOMS}


# Commands that read the stack; others can have a cluster or a file as their source.
_NEEDS_CONFIG = re.compile(r"podgraft (rollout|history|rollback|tokens|push) .*--")


def test_each_command_of_the_stack_names_it() -> None:
    """At night, no folder has a podgraft.toml."""
    commands = [each for each in re.findall(r"podgraft [^`\n]+", PAGE) if _NEEDS_CONFIG.match(each)]
    assert len(commands) > 8
    assert [each for each in commands if "--config stack:STACK" not in each] == []


def slug(heading: str) -> str:
    """The anchor of a heading, on the site and on GitHub."""
    return heading.lower().replace(" ", "-")


def log_fields() -> dict[str, frozenset[str]]:
    """The fields of the lines of each log group."""
    rows = re.findall(r"^\| (?:all|of) ?[^|]*\| (`[^|]*)\|", LOGS, re.MULTILINE)
    candidates = (
        LOGS.partition("\n## Candidates\n")[2].partition("\n## ")[0].partition("\n\nThe audit")[0]
    )
    rows += re.findall(r"^\| (`.*?) \|", candidates, re.MULTILINE)
    webhook = frozenset(re.findall(r"`(\w+)`", " ".join(rows)))
    access = RESOURCES["Stage"]["Properties"]["AccessLogSettings"]["Format"]["Sub"]
    [watch] = re.findall(r"^\| of a check of the watch \| (`[^|]*)\|", LOGS, re.MULTILINE)
    always = frozenset(("level", "message", "timestamp", "service", "@timestamp"))
    return {
        "WebhookLogs": webhook | always,
        "ApiLogs": frozenset(json.loads(re.sub(r"\s*\n\s*", "", access))),
        "WatchLogs": frozenset(re.findall(r"`(\w+)`", watch)) | always,
    }


def used_fields(query: str) -> frozenset[str]:
    """The fields that a query reads: its words without commands, functions, and own names."""
    bare = re.sub(r"'[^']*'|\b\d+\w*\b", "", query)
    own = set(re.findall(r"\bas (\w+)", bare))
    return frozenset(re.findall(r"@?\b[a-z_]+\b", bare)) - _WORDS - own


@pytest.mark.parametrize("name", ALARMS)
def test_each_alarm_links_to_its_section(name: str) -> None:
    description = ALARMS[name]["AlarmDescription"]["Sub"]
    found = re.search(rf"; runbook {re.escape(SITE)}#([a-z-]+)$", description)
    assert found is not None, description
    [text] = [text for heading, text in SECTIONS.items() if slug(heading) == found[1]]
    assert text.startswith(f"`{name}`: ")
    assert re.search(r"^1\. ", text, re.MULTILINE)
    # SNS and the console show at most 1024 characters.
    assert len(description) < 900


def test_the_page_begins_with_the_symptoms() -> None:
    assert tuple(ALL_SECTIONS)[: len(SYMPTOMS)] == SYMPTOMS
    for name in SYMPTOMS:
        assert re.search(r"^1\. ", ALL_SECTIONS[name], re.MULTILINE)
        assert re.search(r"\b(?:pod|workload)s?\b", ALL_SECTIONS[name].partition("\n\n")[0] + name)


def test_no_section_is_of_an_alarm_that_does_not_exist() -> None:
    named = {name for text in SECTIONS.values() for name in re.findall(r"`(\w+Alarm)`", text)}
    assert named == ALARMS.keys()
    assert len(SECTIONS) == len(ALARMS)


def test_the_queries_are_the_saved_ones() -> None:
    saved = {each["QueryString"] for each in QUERIES.values()}
    assert set(_BLOCK.findall(PAGE)) == saved
    titles = {each["Name"]["Sub"].removeprefix("${AWS::StackName}/") for each in QUERIES.values()}
    assert set(re.findall(r"saved query \*(.+?)\*", PAGE)) == titles


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_reads_fields_that_exist(name: str) -> None:
    query = QUERIES[name]
    [group] = query["LogGroupNames"]
    fields = used_fields(query["QueryString"])
    assert fields
    assert fields <= log_fields()[group["Ref"]], name


@pytest.mark.parametrize("parameter", sorted(set(re.findall(r"`([A-Z]\w+)(?:=\w+)?`", PAGE))))
def test_parameters_exist(parameter: str) -> None:
    known = {*TEMPLATE["Parameters"], *ALARMS, "Fail", "Ignore", "MISSING"}
    known.add("ValidatingAdmissionPolicyBinding")
    metrics = {"ConcurrentExecutions"}  # of Lambda
    faults = {"UnknownInjectorError", "SettingsError"}
    assert parameter in known | metrics | faults


def test_links_to_other_sections_resolve() -> None:
    anchors = {slug(heading) for heading in ALL_SECTIONS}
    assert set(re.findall(r"\]\(#([a-z-]+)\)", PAGE)) <= anchors
