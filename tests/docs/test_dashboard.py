"""The dashboard shows metrics and labels that ``podgraft serve`` writes, all of them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from podgraft.base.jsonvalue import JSON
from podgraft.service.http.metrics import Metric
from podgraft.service.serve.metrics import WorkerMetrics
from podgraft.service.serve.metrics_page import StateCollector
from podgraft.service.serve.tls import ReloadingContext, TLSFiles
from podgraft.service.store import caller_document
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.pki import write_pair
from support.store_fixture import write, write_injector

ROOT = Path(__file__).parents[2]
DASHBOARD: Any = json.loads((ROOT / "deploy" / "dashboards" / "podgraft.json").read_text())
PAGE = (ROOT / "docs" / "monitoring.md").read_text()
_NAME = re.compile(r"\b([a-z_]+_[a-z_]+)\b(?=\s*[{)\[]|\s*$|\s+unless)")
_SELECTOR = re.compile(r"\b([a-z][a-z_]+)\{([^}]*)\}")
_GROUPING = re.compile(r"\b(?:by|on)\s*\(([^)]*)\)")
_FUNCTIONS = {"histogram_quantile", "label_values"}
RECORD: Mapping[str, JSON] = {
    "event": "review",
    "route": "inject",
    "cluster": "prod-eu",
    "injector": "default",
    "policy_version": "1",
    "reason": "policy-enabled",
    "milliseconds": 2.0,
}
RECORDS: tuple[Mapping[str, JSON], ...] = (
    {**RECORD, "decision": "inject", "refused": True, "census": "stored"},
    {**RECORD, "decision": "skip", "census": "dropped"},
    {**RECORD, "decision": "deny"},
    {**RECORD, "decision": "fail"},
    {"event": "fault", "route": "inject", "fault": "UnauthenticatedError"},
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, frozenset[str]]:
    """The names on a page with every metric, each with its labels."""
    folder, counts = tmp_path_factory.mktemp("store"), tmp_path_factory.mktemp("counts")
    write_injector(folder)
    digest = caller_document.hash_token("token")
    document = f"tokens: [{{sha256: {digest}, created: '2026-11-22T12:00:00Z'}}]"
    write(folder / "auth" / "prod-eu.yaml", document.encode())
    counters, registry = WorkerMetrics(counts, 1), CollectorRegistry()
    for record in RECORDS:
        counters.observe(record)
    counters.register_total(registry)
    tls = ReloadingContext(TLSFiles(*write_pair(folder)))
    registry.register(StateCollector(FolderStore(folder), FolderCallers(folder), tls))
    return {
        sample.name: frozenset(sample.labels)
        for family in text_string_to_metric_families(generate_latest(registry).decode())
        for sample in family.samples
    }


def expressions() -> Iterator[str]:
    """Every PromQL expression of the dashboard."""
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", []))


def queries() -> Iterator[tuple[str, str]]:
    """The metric and the label of each variable."""
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            found = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["definition"])
            assert found is not None, variable
            yield found[1], found[2]


def metrics_of(expression: str) -> set[str]:
    """The names of metrics in an expression."""
    bare = _GROUPING.sub("", re.sub(r'"[^"]*"', "", expression))
    return set(_NAME.findall(bare)) - _FUNCTIONS


@pytest.mark.parametrize("expression", [*expressions()])
def test_an_expression_uses_metrics_and_labels_that_exist(
    expression: str, written: Mapping[str, frozenset[str]]
) -> None:
    names = metrics_of(expression)
    assert names, expression
    assert names <= written.keys()
    for name, selector in _SELECTOR.findall(expression):
        assert set(re.findall(r"(\w+)=", selector)) <= written[name], (name, selector)
    shared = {label for name in names for label in written[name]}
    for group in _GROUPING.findall(expression):
        assert {label.strip() for label in group.split(",")} <= shared, group
    assert expression.count("(") == expression.count(")")
    assert "$__interval" not in expression  # shorter than two scrapes, a rate is empty


def test_variables_are_labels(written: Mapping[str, frozenset[str]]) -> None:
    assert {label for name, label in queries() if label in written[name]} == {"cluster", "injector"}


def test_the_dashboard_shows_every_metric_and_the_page_lists_it(
    written: Mapping[str, frozenset[str]],
) -> None:
    shown = {name for expression in expressions() for name in metrics_of(expression)}
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in written}
    families -= {"podgraft_build_info"}
    assert {re.sub(r"_bucket$", "", name) for name in shown} == families
    listed = re.findall(r"^\| `(\w+)` \| (?:counter|gauge|histogram) \|", PAGE, re.MULTILINE)
    assert set(listed) == families | {"podgraft_build_info"}


def test_counters_have_the_names_of_lambda(written: Mapping[str, frozenset[str]]) -> None:
    """The time is in seconds there, and the two others are fields of the log lines."""
    assert set(Metric) - written.keys() == {Metric.TIME, Metric.AGE, Metric.CERTIFICATE}


def test_panels_have_ids_and_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells
